"""However long a text is that a request may hold: it is a row, as a whole, and found.

What it teaches is read by rules alone: the networks take their time, and have tests of their own.
"""

from __future__ import annotations

import pytest

from graph.bootstrap import Overrides
from memory.facts.learning import Learner
from tests.integration.importing.counting import CountingEmbedder
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running, eventually
from tests.long_texts import LONG_TEXT

pytestmark = pytest.mark.anyio
CHAT = "4911@c.us"
OWN = Overrides(embedder=CountingEmbedder(), reader=Learner())
SAID = {"contact_id": "crm:7", "role": "user", "conversation_id": "ticket-1"}


async def _is_kept_and_found(app: Running, anchor: str) -> None:
    (row,) = await app.rows(
        "select uid, content from messages where author = 'contact' and anchor = %s", anchor
    )
    assert row["content"] == LONG_TEXT
    memory, tenant = app.service.agent.stores.memory, app.service.settings.tenant
    (hit,) = (await memory.lexical.search(tenant, [anchor], "heron", 5)).hits
    assert hit.item_id == str(row["uid"])
    assert await eventually(lambda: _has_vectors(app, anchor))


async def _has_vectors(app: Running, anchor: str) -> bool:
    memory, tenant = app.service.agent.stores.memory, app.service.settings.tenant
    (vector,) = await memory.embedder.embed(["heron"])
    return bool(await memory.vectors.search(tenant, "message", [anchor], vector, 1))


async def test_a_long_message_of_a_channel_is_kept_whole_answered_and_found(start: Start) -> None:
    async with start(OWN) as app:
        answer = await app.say(LONG_TEXT, CHAT)
        assert (answer.status_code, answer.json()) == (200, {"status": "new"})
        assert await eventually(lambda: len(app.answers(CHAT)) == 1)
        await _is_kept_and_found(app, f"contact:waha:{CHAT}")


async def test_a_long_ingested_message_is_kept_whole_and_found(start: Start) -> None:
    async with start(OWN) as app:
        answer = await app.http.post("/ingest", json=SAID | {"message": LONG_TEXT})
        assert (answer.status_code, answer.json()["status"]) == (202, "new")
        await _is_kept_and_found(app, "contact:crm:7")
