"""What a contact's chats were about, over the API: pages of it, and of no chat of others (X2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.server.conftest import Start
from tests.messages import message

pytestmark = pytest.mark.anyio

DAY = 24 * 60
SAID = (
    "My boiler broke, the kitchen is cold.",
    "We looked at a flat in Graz.",
    "The bakery has a new oven.",
)


async def test_a_contacts_episodes_come_page_by_page_and_those_of_groups_do_not(
    start: Start,
) -> None:
    async with start(with_worker=False) as app:
        stores = app.service.agent.stores
        tenant = stores.settings.tenant
        told = [message(text, tenant=tenant, minutes=n * DAY) for n, text in enumerate(SAID)]
        in_group = message("I hate my boss.", tenant=tenant, chat="g@g.us", is_group=True)
        by_another = message("I sing.", tenant=tenant, chat="bo", sender="bo")
        await stores.memory.ledger.record([*told, in_group, by_another], history=True)
        await stores.projector.caught_up()
        pages: list[dict[str, Any]] = []
        where = "/contacts/waha:ana/episodes?limit=2"
        while not pages or pages[-1]["next_before"]:
            answer = await app.http.get(where)
            assert answer.status_code == 200, answer.text
            pages.append(answer.json())
            where = f"/contacts/waha:ana/episodes?limit=2&before={pages[-1]['next_before']}"

    assert [len(page["episodes"]) for page in pages] == [2, 1]
    found = [each for page in pages for each in page["episodes"]]
    assert [each["episode_id"] for each in found] == [each.uid for each in reversed(told)]
    assert [(each["number"], each["turns"], each["is_open"]) for each in found] == [
        (3, 1, False),
        (2, 1, False),
        (1, 1, False),
    ]
    assert "boiler" in found[-1]["summary"]["text"]


async def test_an_unknown_contact_has_no_episodes(start: Start) -> None:
    async with start(with_worker=False) as app:
        answer = await app.http.get("/contacts/nobody/episodes")
    assert answer.json() == {"contact_id": "nobody", "episodes": [], "next_before": None}
