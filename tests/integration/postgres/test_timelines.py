"""What was said with a contact, in the order of time, from every chat and from no one else's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, timedelta
from uuid import uuid4

import pytest

from graph.stores import Stores
from memory.contacts.activity import activity_text
from memory.domain.chats import Actor, Message
from memory.domain.work import AuditLine
from memory.ports.timelines import Activity
from memory.text.zones import zone_of
from memory.trust.exporting import UnknownContact
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import take
from tests.messages import START, message
from ui.cli.contacts import read_activity

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


async def test_activity_counts_by_week_hour_and_reason(stores: Stores) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    asked = message("hello?", tenant=tenant)
    paused = message("are you there?", tenant=tenant, minutes=1)
    await memory.ledger.record([*_said(stores), message("old", tenant=tenant)], history=True)
    for said in (asked, paused):
        turn = str(uuid4())
        await memory.ledger.record([said])
        await memory.ledger.claim(turn, said)
        answer = replace(said, message_id=turn, actor=Actor.AGENT, text="here I am")
        answer = replace(answer, sent_at=said.sent_at + timedelta(seconds=7), from_me=True)
        await memory.ledger.finish(tenant, turn, [answer] if said is asked else [])
        if said is paused:
            line = AuditLine(tenant, said.chat.thread_id, turn, "gate", "paused", "", START)
            await memory.audit.write([line])
    await memory.ledger.record([message("and now?", tenant=tenant, minutes=20 * 60)])
    # Sunday, 1 March, 9:00 in UTC is 10:00 in Berlin; 20 hours later it is Monday.
    berlin = zone_of("Europe/Berlin") or UTC
    found = await memory.timelines.activity(tenant, "waha:ana", berlin)
    assert [(week.monday, dict(week.messages)) for week in found.weeks] == [
        (date(2026, 2, 23), {"contact": 6, "agent": 2}),
        (date(2026, 3, 2), {"contact": 1}),
    ]
    assert {hour: many for hour, many in enumerate(found.hours) if many} == {6: 1, 10: 5, 11: 1}
    assert (found.answered, found.reply_s) == (1, 7.0)
    assert found.unanswered == {"imported": 3, "kept out": 1, "paused": 1, "waiting": 1}
    nobody = await memory.timelines.activity(tenant, "waha:nobody", UTC)
    assert nobody == Activity(weeks=[], hours=[0] * 24)
    told = await read_activity(stores.settings, "waha:ana")
    assert activity_text(told)[:2] == [
        "Answered: 1, after 7 s in the median",
        "Not answered: imported 3, kept out 1, paused 1, waiting 1",
    ]
    with pytest.raises(UnknownContact):
        await read_activity(stores.settings, "waha:nobody")
