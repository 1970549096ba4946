"""What was said with a contact, in the order of time, from every chat and from no one else's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, timedelta

import pytest

from graph.stores import Stores
from memory.contacts.zones import zone_of
from memory.domain.chats import Actor, Message
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import take
from tests.messages import START, message

pytestmark = pytest.mark.anyio


async def _texts(stores: Stores, contact: str, limit: int = 50, hours: float = 1e5) -> list[str]:
    before = START + timedelta(hours=hours)
    timelines = stores.memory.timelines
    found = await timelines.said(stores.settings.tenant, contact, before, limit)
    return [each.message.text for each in found]


def _said(stores: Stores) -> list[Message]:
    tenant = stores.settings.tenant
    answer = message("the answer", tenant=tenant, minutes=2, actor=Actor.AGENT)
    secret = message("a command", tenant=tenant, minutes=3)
    return [
        message("in a group", tenant=tenant, chat="club", is_group=True, minutes=60),
        message(
            "others' words", tenant=tenant, chat="club", sender="bo", is_group=True, minutes=61
        ),
        # It came last, and was said first.
        message("hello", tenant=tenant, minutes=1),
        replace(answer, contact_id="waha:ana"),
        replace(secret, withheld=True),
        message("somebody else", tenant=tenant, chat="bo", sender="bo"),
    ]


async def test_both_sides_of_direct_chats_and_ones_own_lines_in_groups(stores: Stores) -> None:
    await stores.memory.ledger.record(_said(stores), history=True)
    assert await _texts(stores, "waha:ana") == ["hello", "the answer", "in a group"]
    assert await _texts(stores, "waha:ana", limit=1) == ["in a group"]
    assert await _texts(stores, "waha:ana", hours=1) == ["hello", "the answer"]
    other = await stores.memory.timelines.said("another", "waha:ana", None, 50)
    assert list(other) == []


async def test_an_imported_chat_is_whole_for_whom_it_was_imported(stores: Stores) -> None:
    lines = [entry("Landed!", "Anna"), entry("Welcome home.", "Max", 1)]
    await take(stores, MadeExport([*lines, entry("Max left", number=2, is_system=True)]))
    assert await _texts(stores, "web:me") == ["Landed!", "Welcome home."]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC+1"])
async def test_weeks_are_counted_in_the_zone_of_the_contact(stores: Stores, zone: str) -> None:
    tenant = stores.settings.tenant
    # Sunday, 1 March, 23:30 in UTC, is Monday in Berlin.
    minutes = [(23.5 - 9) * 60, 14.5 * 60 + 1, 8 * 24 * 60]
    said = [message("I am so angry!!!", tenant=tenant, minutes=n) for n in minutes]
    await stores.memory.ledger.record(said, history=True)
    await stores.projector.caught_up()
    weeks = await stores.memory.timelines.weeks(tenant, "waha:ana", zone_of(zone) or UTC, 10)
    assert [(week.monday, week.messages) for week in weeks] == [
        (date(2026, 3, 2), 2),
        (date(2026, 3, 9), 1),
    ]
    assert weeks[0].moods == {"frustrated": 2}
    (latest,) = await stores.memory.timelines.weeks(tenant, "waha:ana", UTC, 1)
    assert latest.monday == date(2026, 3, 9)
