"""Open loops on real stores: they follow the ledger, whatever order it learns of things in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change, ChangeKind
from memory.domain.chats import Actor, Message
from memory.domain.projections import ANEW
from memory.projection.open_loops import ChatLoops
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.reader import ScriptedReader
from tests.messages import message
from tests.projecting import known

pytestmark = pytest.mark.anyio

NOW = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0)
PROMISE = "I'll send you the signed lease tomorrow"
CHATTER = "The match was a disgrace again"
DONE = "The signed lease is sent, check your inbox"
DATE = "my dentist appointment is on 3 June at 3"


@pytest.fixture
async def stores(settings: Settings, model: ScriptedChatModel) -> AsyncIterator[Stores]:
    """Every store, open; facts are scripted."""
    given = Overrides(model=model, reader=ScriptedReader({}))
    async with open_stores(settings, given) as opened:
        yield opened


def say(stores: Stores, text: str, minutes: float = 0, **other: object) -> Message:
    """Make a message of a chat with Ana, `minutes` after nine today."""
    made = message(text, tenant=stores.settings.tenant, **other)  # type: ignore[arg-type]
    return replace(made, sent_at=NOW + timedelta(minutes=minutes))


async def listed(stores: Stores, contact: str = "") -> set[tuple[str, str]]:
    """Return text and kind of what is open; the projection must agree with the ledger."""
    await stores.projector.caught_up()
    found = await stores.memory.open_loops.listed(stores.settings.tenant, contact_id=contact)
    return {(loop.text, loop.kind) for loop in found}


def changed(said: Message, kind: ChangeKind, text: str = "") -> Change:
    """Make a change of a message by who wrote it."""
    return Change(
        chat=said.chat,
        message_id=said.message_id,
        kind=kind,
        action_id="a1",
        text=text,
        author_ids=(said.sender_id,),
        from_me=said.from_me,
        changed_at=said.sent_at + timedelta(minutes=1),
    )


async def differences(stores: Stores) -> int:
    loops = next(one for one in stores.projector.projections if isinstance(one, ChatLoops))
    compared = await loops.compare(stores.settings.tenant, 1, "")
    return len(compared.differences)


async def test_a_promise_is_open_until_it_is_said_to_be_done(stores: Stores) -> None:
    await known(stores, say(stores, PROMISE), say(stores, CHATTER, 5))
    assert (PROMISE, "promise") in await listed(stores)
    assert (PROMISE, "promise") in await listed(stores, "waha:ana")
    assert await listed(stores, "waha:bob") == set()

    await known(stores, say(stores, DONE, 90))

    assert await listed(stores) == set()
    assert await differences(stores) == 0


async def test_the_owner_promises_too_and_has_to_act(stores: Stores) -> None:
    await known(
        stores, say(stores, CHATTER), say(stores, PROMISE, 3, actor=Actor.OWNER, sender="me")
    )

    await stores.projector.caught_up()
    (loop,) = await stores.memory.open_loops.listed(stores.settings.tenant)
    assert (loop.by, loop.due) == ("owner", (NOW + timedelta(days=1)).date())
    days = [NOW + timedelta(days=days) for days in (0, 1, 2)]
    assert [loop.mark(day) for day in days] == ["", "due", "overdue"]
    tenant, counted = stores.settings.tenant, stores.memory.open_loops.due
    assert [await counted(tenant, day) for day in days] == [{}, *[{loop.contact_id: 1}] * 2]
    assert await counted("another", days[1]) == {}


async def test_what_the_agent_quotes_is_nothing_that_it_says(stores: Stores) -> None:
    told = "On 14 May 2026 Ana wrote: “Don't forget the conference starts on Thursday at 8:30”"
    asked = say(stores, "What did I say about Thursday?")
    reply = replace(
        say(stores, told, 1), actor=Actor.AGENT, sender_id="agent", from_me=True, text=told
    )
    await known(stores, asked, reply)
    assert "date" not in {kind for _, kind in await listed(stores)}
    said = say(stores, told.partition("“")[2].removesuffix("”"), 2)
    await known(stores, said)
    assert "date" in {kind for _, kind in await listed(stores)}


async def test_one_by_one_late_and_all_at_once_give_the_same(stores: Stores) -> None:
    texts = [CHATTER, PROMISE, "what time does the pool open?", DATE, CHATTER, "See you", DONE]
    said = [say(stores, text, 7 * n, chat="a") for n, text in enumerate(texts)]
    await known(stores, *said)
    mixed = [say(stores, text, 7 * n, chat="b") for n, text in enumerate(texts)]
    await known(stores, *(mixed[n] for n in (6, 0, 3, 1, 5, 2, 4)))
    at_once = [say(stores, text, 7 * n, chat="c") for n, text in enumerate(texts)]
    await stores.memory.ledger.record(at_once, history=True)
    await stores.projector.caught_up()

    found = await stores.memory.open_loops.listed(stores.settings.tenant)

    chats = {
        chat: [
            (loop.text, loop.kind, loop.due, round(loop.confidence, 4))
            for loop in found
            if loop.thread_id == of[0].chat.thread_id
        ]
        for chat, of in (("a", said), ("b", mixed), ("c", at_once))
    }
    assert chats["a"]
    assert chats["a"] == chats["b"] == chats["c"]


async def test_an_edit_takes_its_words_away_at_once_and_is_read_anew(stores: Stores) -> None:
    said = say(stores, PROMISE)
    await known(stores, say(stores, CHATTER, -5), said, say(stores, CHATTER, 5))

    await stores.memory.revisions.change(changed(said, "edit", DATE), NOW)
    found = await stores.memory.open_loops.listed(stores.settings.tenant)
    assert PROMISE not in {loop.text for loop in found}

    assert await listed(stores) == {(DATE, "date")}
    assert await differences(stores) == 0


async def test_a_revoke_reopens_what_it_had_closed(stores: Stores) -> None:
    done = say(stores, DONE, 90)
    await known(stores, say(stores, PROMISE), say(stores, CHATTER, 5), done)
    assert await listed(stores) == set()

    await stores.memory.revisions.change(changed(done, "revoke"), NOW)

    assert (PROMISE, "promise") in await listed(stores)


async def test_a_withheld_message_leaves_nothing_open(stores: Stores) -> None:
    await known(stores, replace(say(stores, PROMISE), withheld=True), say(stores, CHATTER, 5))

    assert await listed(stores) == set()


async def test_another_tenants_loops_are_never_listed(stores: Stores) -> None:
    await known(stores, say(stores, PROMISE))
    await stores.projector.caught_up()

    assert await stores.memory.open_loops.listed("another") == []


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "UTC+12"])
async def test_the_day_is_that_of_the_contacts_zone(
    settings: Settings, model: ScriptedChatModel, zone: str
) -> None:
    given = Overrides(model=model, reader=ScriptedReader({"zone": [f"timezone={zone}"]}))
    async with open_stores(settings, given) as stores:
        await known(stores, say(stores, "zone", -600))
        # Nine in the evening in London is the next morning in Auckland.
        late = replace(say(stores, PROMISE), sent_at=NOW.replace(hour=21))
        await known(stores, late)
        await stores.projector.caught_up()
        (loop,) = await stores.memory.open_loops.listed(stores.settings.tenant)

        shown = (await stores.memory.chat_states.of(late.chat, NOW, 0, 5)).loops
        # It is due there while it is the day before in London.
        evening = NOW.replace(hour=21) + timedelta(days=1)
        due = [
            await stores.memory.open_loops.due(stores.settings.tenant, moment)
            for moment in (NOW + timedelta(days=1), evening)
        ]
        await stores.memory.open_loops.read(
            stores.settings.tenant, loop.thread_id, NOW - timedelta(days=9), 10
        )

    assert [loop.mark(NOW + timedelta(days=1)), loop.mark(evening)] == ["", "due"]
    assert due == [{}, {loop.contact_id: 1}]
    assert [(each.due, each.said_at) for each in shown] == [(loop.due, loop.said_at)]
    assert loop.due == NOW.date() + timedelta(days=2)


async def test_made_anew_they_are_what_they_were(stores: Stores) -> None:
    texts = [CHATTER, PROMISE, DATE, "See you"]
    await known(stores, *(say(stores, text, n) for n, text in enumerate(texts)))
    before = await stores.memory.open_loops.listed(stores.settings.tenant)
    loops = next(one for one in stores.projector.projections if isinstance(one, ChatLoops))

    thread = say(stores, "").chat.thread_id
    await loops.project(stores.settings.tenant, [ANEW + thread], 1)

    assert before
    assert await stores.memory.open_loops.listed(stores.settings.tenant) == before
    assert await differences(stores) == 0


async def test_a_chats_short_list_has_short_texts_and_is_bounded(stores: Stores) -> None:
    long = "could you please book the table at the little place by the river for twelve by Friday?"
    await known(stores, say(stores, DATE), say(stores, long, 3), say(stores, CHATTER, 4))
    await stores.projector.caught_up()
    chat, states = say(stores, "").chat, stores.memory.chat_states

    short = (await states.of(chat, stores.clock(), 0, 5)).loops

    assert [(loop.uid, loop.kind, loop.due, loop.said_at) for loop in short] == [
        (loop.uid, loop.kind, loop.due, loop.said_at)
        for loop in await stores.memory.open_loops.listed(stores.settings.tenant)
    ]
    assert len(short) == 2
    assert all(len(loop.text) <= 80 for loop in short)
    assert len((await states.of(chat, stores.clock(), 0, 1)).loops) == 1


async def test_loops_go_with_their_messages(stores: Stores) -> None:
    said = say(stores, PROMISE)
    await known(stores, said)
    await stores.projector.caught_up()

    async with stores.pool.connection() as connection:
        await connection.execute("delete from messages where uid = %s", [said.uid])
        cursor = await connection.execute(
            "select count(*) as n from open_loops where tenant = %s", [stores.settings.tenant]
        )
        row = await cursor.fetchone()

    assert row is not None
    assert row["n"] == 0
    assert await listed(stores) == set()
