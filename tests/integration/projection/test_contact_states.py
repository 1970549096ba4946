"""What contacts are like follows the ledger, in whatever order it comes, and goes with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from graph.stores import Stores
from memory.contacts.state import state_of
from memory.domain.changes import Change
from memory.domain.chats import Message, Pair
from memory.domain.contacts import ContactRow
from memory.domain.projections import ANEW, CONTACT
from memory.postgres.tenants import remove_transcript
from memory.transcript.joining import join_contact
from memory.trust.verify import verify
from tests.messages import START, message

pytestmark = pytest.mark.anyio

DAY = 24 * 60
ANA = "waha:ana"
Say = Callable[..., Message]


@pytest.fixture
def say(stores: Stores) -> Say:
    """Make messages of a contact of the tenant, `days` after the start."""

    def made(text: str, days: float = 0, sender: str = "ana", **more: object) -> Message:
        tenant = stores.settings.tenant
        chat = {"chat": sender, "sender": sender} | more
        return message(text, tenant=tenant, minutes=days * DAY, **chat)  # type: ignore[arg-type]

    return made


async def told(stores: Stores, *said: Message) -> None:
    await stores.memory.ledger.record(said, history=True)
    await stores.projector.caught_up()


async def row_of(stores: Stores, contact: str = ANA) -> ContactRow | None:
    """Return what is kept; it must be what the ledger says."""
    await stores.projector.caught_up()
    (projection,) = (p for p in stores.projector.projections if p.name == "contact_states")
    checked = verify(stores.memory, [projection], [stores.settings.tenant], 10)
    async for report in checked:
        assert (dict(report.counts), report.listed, report.set_aside) == ({}, {}, 0)
    found = await stores.memory.contact_states.of(stores.settings.tenant, [contact])
    row = found.get(contact)
    return replace(row, version=0) if row else None


async def changed(stores: Stores, said: Message, text: str = "") -> None:
    kind = "edit" if text else "revoke"
    change = Change(
        chat=said.chat,
        message_id=said.message_id,
        kind=kind,  # type: ignore[arg-type]
        action_id=f"{kind}-{text}",
        text=text,
        author_ids=(said.sender_id,),
        from_me=False,
        changed_at=START + timedelta(days=100),
    )
    assert await stores.memory.revisions.change(change, datetime(2026, 8, 1, tzinfo=UTC)) == (
        "applied"
    )


async def test_messages_become_what_a_contact_is_like(stores: Stores, say: Say) -> None:
    await told(stores, say("Good morning, how are you?"))
    await told(stores, say("This is so annoying, I am really angry!!!", 1))
    row = await row_of(stores)
    assert row is not None
    assert (row.name, row.channel, row.zone) == ("ana", "waha", "UTC")
    state = state_of(row.course, START + timedelta(days=1), UTC)
    assert (state.mood, state.stage, state.streak, state.energy) == (
        "frustrated",
        "building",
        2,
        "high",
    )
    assert (state.messages, state.active_days, state.language) == (2, 2, "en")


async def test_late_messages_come_to_what_they_would_have_in_order(
    stores: Stores, say: Say
) -> None:
    texts = ["I am so happy!!", "ok", "I am sad...", "Where is it?", "Ich bin müde.", "Hi there"]
    script = [(text, number * 1.7) for number, text in enumerate(texts * 3)]
    in_order: Sequence[Message] = [say(text, days, "ana") for text, days in script]
    shuffled = [say(text, days, "bo") for text, days in script]
    Random(7).shuffle(shuffled)
    for start in range(0, len(script), 4):
        await told(stores, *in_order[start : start + 4])
        await told(stores, *shuffled[start : start + 4])
    ana, bo = await row_of(stores), await row_of(stores, "waha:bo")
    assert ana is not None
    assert bo is not None
    # Arrival numbers differ; nothing else does.
    assert replace(bo.course, last_seq=0) == replace(ana.course, last_seq=0)


async def test_what_a_whole_contact_was_made_of_is_not_late(stores: Stores, say: Say) -> None:
    # An import marks the next messages while the contact is made, for all marks that there are.
    said = [say("ok", days) for days in range(4)]
    tenant, memory = stores.settings.tenant, stores.memory
    await memory.ledger.record(said, history=True)
    (projection,) = (p for p in stores.projector.projections if p.name == "contact_states")

    async def owed_after(messages: Sequence[Message]) -> int:
        await projection.project_said(tenant, messages, 1)
        backlog = await memory.backlog.arrears([tenant])
        return backlog["contact_states"].waiting

    before = await owed_after(said[:3])
    assert [await owed_after(said[:2]), await owed_after(said[2:])] == [before, before]
    row = await row_of(stores)
    assert row is not None
    assert row.course.messages == 4
    late = say("ok", 0.5)
    await memory.ledger.record([late], history=True)
    assert await owed_after([late]) == 2  # itself, and the contact


async def test_an_edit_and_a_revoke_are_followed(stores: Stores, say: Say) -> None:
    calm, angry = say("Good morning."), say("I am so angry about this, I hate it!!!", 1)
    await told(stores, calm, angry)
    now = START + timedelta(days=1)
    row = await row_of(stores)
    assert row is not None
    assert state_of(row.course, now, UTC).mood == "frustrated"
    await changed(stores, angry, "I am so happy about this, I love it!!!")
    row = await row_of(stores)
    assert row is not None
    assert state_of(row.course, now, UTC).mood == "excited"
    await changed(stores, angry)
    row = await row_of(stores)
    assert row is not None
    assert (row.course.messages, row.course.last_at) == (1, START)
    await changed(stores, calm)
    assert await row_of(stores) is None


async def test_days_are_counted_where_the_contact_lives_once_they_say_so(
    stores: Stores, say: Say
) -> None:
    # 9:00 UTC is 23:00 in Honolulu, on the day before.
    await told(stores, say("hello", 0), say("hello again", 0.1))
    row = await row_of(stores)
    assert row is not None
    assert row.course.active_days == 1
    await told(stores, say("My time zone is Pacific/Honolulu.", 0.2))
    await told(stores, say("My name is Ana Lima.", 0.3))
    row = await row_of(stores)
    assert row is not None
    assert (row.zone, row.course.active_days) == ("Pacific/Honolulu", 2)
    assert row.name == "Ana Lima"


async def test_two_ids_of_one_person_become_one_contact(stores: Stores, say: Say) -> None:
    hidden = say("hi", 0, "7@lid"), say("me again", 2, "7@lid")
    await told(stores, say("hello", 1, "7@c.us"), *hidden)
    pair = Pair(stores.settings.tenant, "waha", "phone", "7@lid", "7@c.us")

    async def drop(thread_id: str) -> None:
        return

    assert await join_contact(stores.memory, pair, drop)
    row = await row_of(stores, "waha:7@c.us")
    assert row is not None
    assert (row.course.active_days, row.course.streak) == (3, 3)
    assert await row_of(stores, "waha:7@lid") is None


async def test_what_was_lost_or_changed_is_found_and_made_again(stores: Stores, say: Say) -> None:
    said = [say("I am so happy!", 0), say("ok", 1), say("I am worried", 2)]
    await told(stores, *said)
    tenant, states = stores.settings.tenant, stores.memory.contact_states
    row = (await states.of(tenant, [ANA]))[ANA]
    good = await row_of(stores)
    await states.unmark(tenant, [said[0].uid])
    assert await states.keep(tenant, [replace(row, said_name="Eve")]) == {ANA}
    (projection,) = (p for p in stores.projector.projections if p.name == "contact_states")
    compared = await projection.compare(tenant, 1, ANA)
    assert {(each.kind, each.entry) for each in compared.differences} == {
        ("missing", said[0].uid),
        ("stale", ANA),
    }
    await projection.project(tenant, [CONTACT + ANA], 1)
    assert await row_of(stores) == good
    await states.drop(tenant, ANA)
    await projection.project(tenant, [ANEW + ANA], 1)
    assert await row_of(stores) == good


async def test_a_name_that_they_tell_is_taken_without_reading_all_they_said(
    stores: Stores, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    await told(stores, say("hello"))
    with monkeypatch.context() as without:
        without.delattr(type(stores.memory.contents), "said_by")
        await told(stores, say("My name is Ana Maria Ruiz.", 1))
    row = await row_of(stores)
    assert row is not None
    assert row.told_name == "Ana Maria Ruiz"


async def test_of_two_who_write_a_contact_one_looks_again(stores: Stores, say: Say) -> None:
    await told(stores, say("hello"))
    tenant, states = stores.settings.tenant, stores.memory.contact_states
    row = (await states.of(tenant, [ANA]))[ANA]
    assert await states.keep(tenant, [row]) == {ANA}
    assert await states.keep(tenant, [row]) == set()
    assert await states.keep(tenant, [replace(row, version=0)]) == set()
    assert (await states.of(tenant, [ANA]))[ANA].version == row.version + 1


async def test_what_the_agent_says_and_what_is_withheld_tells_nothing(
    stores: Stores, say: Say
) -> None:
    hidden = replace(say("I hate everything!!!", 1), withheld=True)
    await told(stores, say("hello"), hidden, say("  ", 2))
    row = await row_of(stores)
    assert row is not None
    assert row.course.messages == 1


async def test_contacts_are_listed_by_page_and_found_by_name(stores: Stores, say: Say) -> None:
    await told(stores, *(say("hello", sender=name) for name in ("ana", "bo", "cy", "Anabel")))
    tenant, states = stores.settings.tenant, stores.memory.contact_states
    first = await states.listing(tenant, "", "", 3)
    rest = await states.listing(tenant, "", first[-1].contact_id, 3)
    assert [row.name for row in (*first, *rest)] == ["Anabel", "ana", "bo", "cy"]
    assert [row.name for row in await states.listing(tenant, "ANA", "", 9)] == ["Anabel", "ana"]
    assert await states.listing("another", "", "", 9) == []


async def test_a_tenant_that_is_removed_leaves_nothing(stores: Stores, say: Say) -> None:
    await told(stores, say("hello"))
    await remove_transcript(stores.pool, stores.settings.tenant)
    await stores.projector.caught_up("contact_states")
    async with stores.pool.connection() as connection:
        for table in ("moods", "contact_states"):
            cursor = await connection.execute(
                f"select from {table} where tenant = %s".encode(), [stores.settings.tenant]
            )
            assert await cursor.fetchall() == []


async def test_an_id_takes_the_place_of_no_name(stores: Stores, say: Say) -> None:
    async def named(text: str, days: float, name: str) -> str:
        await told(stores, replace(say(text, days), sender_name=name))
        row = await row_of(stores)  # the same when made anew
        assert row is not None
        return row.name

    assert await named("hello", 0, "ana") == "ana"
    assert await named("hello", 1, "Ana Lima") == "Ana Lima"
    assert await named("hello again", 2, "ana") == "Ana Lima"
    assert await named("and again", 3, "Ana") == "Ana"
