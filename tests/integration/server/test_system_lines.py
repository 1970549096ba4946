"""What nobody said to us is stored, once, and neither answered nor embedded."""

from __future__ import annotations

import pytest

from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.conftest import Start
from tests.integration.server.running import eventually

pytestmark = pytest.mark.anyio
CHANNEL = "120363@newsletter"


async def test_channel_posts_and_session_states_are_lines_of_the_system(
    start: Start, gateway: WahaGateway
) -> None:
    post = gateway.event("My name is Ann. What is new?", CHANNEL)
    state = gateway.event("", CHANNEL, name="session.status") | {"payload": {"status": "WORKING"}}
    async with start() as app:
        for event, status in ((post, "new"), (post, "known"), (state, "new"), (state, "known")):
            answer = await app.post(*gateway.signed(event))
            assert (answer.status_code, answer.json()) == (200, {"status": status})
        assert (await app.say("Hello there", "4911@c.us")).status_code == 200
        assert await eventually(lambda: len(gateway.sent) == 1)
        lines = await app.rows(
            "select chat_id, content, pending from messages join sessions using (session_id)"
            " where author = 'system' order by seq"
        )
        assert [tuple(line.values()) for line in lines] == [
            (CHANNEL, "My name is Ann. What is new?", False),
            ("default", "[session WORKING]", False),
        ]
        memory, tenant = app.service.agent.stores.memory, app.service.settings.tenant
        await app.service.agent.stores.projector.caught_up()
        assert await memory.vectors.count(tenant, "message") == 1
        assert await app.count("facts") == 0
