"""The outbox under several senders: order, exclusiveness, and who counts as dead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from graph.bootstrap import open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.work import Delivery
from tests.messages import message

pytestmark = pytest.mark.anyio


@pytest.fixture
async def stores(settings: Callable[..., Settings]) -> AsyncIterator[Stores]:
    async with open_stores(settings()) as opened:
        yield opened


async def reply(stores: Stores, chat_id: str, number: int, text: str = "") -> None:
    """Put one reply into the outbox as a finished turn does."""
    chat = ChatRef(stores.settings.tenant, "waha", "default", chat_id)
    asked = Message(
        chat, f"q{number}", Actor.CONTACT, chat_id, f"waha:{chat_id}", "Hi", datetime.now(UTC)
    )
    await stores.memory.ledger.record([asked])
    turn_id = stores.ids()
    await stores.memory.ledger.claim(turn_id, asked)
    answer = Message(
        chat,
        f"a{number}",
        Actor.AGENT,
        "agent",
        f"waha:{chat_id}",
        text or f"answer {number}",
        datetime.now(UTC),
        from_me=True,
    )
    parts = {answer.uid: [answer.text]}
    await stores.memory.ledger.finish(chat.tenant, turn_id, [answer], None, parts)


async def take(stores: Stores, owner: str = "somebody") -> Delivery | None:
    taken = await stores.memory.outbox.take([stores.settings.tenant], ["waha"], owner)
    return taken[0] if taken else None


async def interrupted(stores: Stores) -> list[str]:
    found = await stores.memory.outbox.interrupted([stores.settings.tenant], ["waha"], 0)
    return [delivery.delivery_id for delivery in found]


async def test_concurrent_senders_never_take_the_same_delivery(stores: Stores) -> None:
    for number in range(24):
        await reply(stores, f"49{number}@c.us", number)
    taken: list[str] = []

    async def sender(name: str) -> None:
        while delivery := await take(stores, name):
            taken.append(delivery.delivery_id)
            await stores.memory.outbox.settle(delivery, "sent", f"id{delivery.delivery_id}")

    await asyncio.gather(*(sender(f"s{n}") for n in range(6)))
    assert len(taken) == 24
    assert len(set(taken)) == 24


async def test_a_chats_next_reply_waits_until_the_one_before_is_settled(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    await reply(stores, "4911@c.us", 2)
    await reply(stores, "4912@c.us", 3)
    first, other = await take(stores), await take(stores)
    assert first is not None
    assert other is not None
    assert [first.text, other.text] == ["answer 1", "answer 3"]
    assert await take(stores) is None
    await stores.memory.outbox.settle(first, "queued")
    assert await take(stores) is None  # it waits for its second attempt, and so does what follows
    await stores.memory.outbox.settle(first, "unknown")
    second = await take(stores)
    assert second is not None
    assert second.text == "answer 2"


async def test_only_a_dead_senders_delivery_counts_as_interrupted(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    async with stores.memory.locks.hold("sender:1"):
        delivery = await take(stores, "sender:1")
        assert delivery is not None
        assert await interrupted(stores) == []
    assert await interrupted(stores) == [delivery.delivery_id]


async def test_deliveries_are_counted_up_to_a_limit(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await reply(stores, "4911@c.us", number)
    outbox, tenants = stores.memory.outbox, [stores.settings.tenant, "another"]
    assert await outbox.counts(tenants) == {"queued": 3}
    assert await outbox.counts(["another"]) == {}
    monkeypatch.setattr("memory.postgres.outbox.MOST_COUNTED", 2)
    assert await outbox.counts(tenants) == {"queued": 2}


async def test_messages_turns_and_jobs_are_counted_up_to_a_limit(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, tenants = stores.memory, [stores.settings.tenant, "another"]
    for chat_id in ("1@c.us", "2@c.us", "3@c.us"):
        said = message("hi", tenant=stores.settings.tenant, chat=chat_id)
        await memory.ledger.record([said])
        await memory.jobs.schedule(said.chat, 60)
        turn_id = stores.ids()
        await memory.ledger.claim(turn_id, said)
        await memory.turns.fail(stores.settings.tenant, turn_id, "broken")
        await memory.ledger.record([replace(said, message_id=f"later {chat_id}")])

    async def counts(whose: list[str]) -> tuple[int, int, int]:
        jobs = await memory.jobs.counts(whose)
        turns = memory.turns
        return await turns.count_pending(whose), await turns.count_failed(whose), jobs.waiting

    assert await counts(tenants) == (3, 3, 3)
    assert await counts(["another"]) == (0, 0, 0)
    for module in ("turns", "jobs"):
        monkeypatch.setattr(f"memory.postgres.{module}.MOST_COUNTED", 2)
    assert await counts(tenants) == (2, 2, 2)


async def test_nobody_settles_another_tenants_delivery(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    delivery = await take(stores)
    assert delivery is not None
    forged = replace(delivery, chat=replace(delivery.chat, tenant="another"))
    await stores.memory.outbox.miss(forged)
    await stores.memory.outbox.settle(forged, "sent", "id1")
    (unsettled,) = await stores.memory.outbox.listing(stores.settings.tenant, "sending")
    assert unsettled.missed_at is None


async def test_an_outcome_of_an_earlier_attempt_changes_nothing(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    first = await take(stores)
    assert first is not None
    await stores.memory.outbox.settle(first, "queued")
    async with stores.pool.connection() as connection:
        await connection.execute("update outbox set due_at = now()")
    second = await take(stores)
    assert second is not None
    assert second.attempts == 2
    await stores.memory.outbox.settle(first, "queued")
    assert await stores.memory.outbox.counts([stores.settings.tenant]) == {"sending": 1}


async def test_an_echo_before_the_answer_confirms_the_attempt(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1, "So it is.")
    delivery = await take(stores)
    assert delivery is not None
    echo = Message(
        delivery.chat,
        "ECHO",
        Actor.AUTOMATION,
        "me",
        "waha:4911@c.us",
        " so it  is. ",
        datetime.now(UTC),
        from_me=True,
    )
    assert await stores.memory.outbox.match_echo(echo)
    await stores.memory.outbox.settle(delivery, "queued")
    assert await stores.memory.outbox.counts([stores.settings.tenant]) == {"sent": 1}
    await stores.memory.outbox.settle(delivery, "sent", "REAL")
    assert await stores.memory.outbox.known_ids(delivery, ["ECHO", "REAL"]) == set()
    await reply(stores, "4911@c.us", 2, "So it is.")
    following = await take(stores)
    assert following is not None
    assert await stores.memory.outbox.known_ids(following, ["ECHO", "REAL"]) == {"ECHO", "REAL"}


def own(chat: ChatRef, message_id: str, text: str) -> Message:
    """Return a message of our own account, as the channel shows it to us."""
    return Message(chat, message_id, Actor.OWNER, "me", "", text, datetime.now(UTC), from_me=True)


async def sent(stores: Stores, chat_id: str, number: int, text: str) -> Delivery:
    """Put a reply into the outbox and send it under the id `sent<number>`."""
    await reply(stores, chat_id, number, text)
    delivery = await take(stores)
    assert delivery is not None
    await stores.memory.outbox.settle(delivery, "sent", f"sent{number}")
    return delivery


async def test_a_delivery_is_echoed_under_its_own_id_and_one_other_at_most(
    stores: Stores,
) -> None:
    chat = (await sent(stores, "4911@c.us", 1, "OK")).chat
    match = stores.memory.outbox.match_echo
    assert await match(own(chat, "sent1", "OK"))
    assert await match(own(chat, "foreign", "OK"))
    assert await match(own(chat, "foreign", "OK"))
    assert await match(own(chat, "sent1", "OK"))
    assert not await match(own(chat, "typed by the owner", "OK"))


async def test_equal_parts_are_echoed_one_by_one_under_foreign_ids(stores: Stores) -> None:
    deliveries = [await sent(stores, "4911@c.us", number, "OK") for number in range(3)]
    chat = deliveries[0].chat
    for echo in ("a", "b", "c", "a", "b", "c"):
        assert await stores.memory.outbox.match_echo(own(chat, echo, "OK"))
    assert not await stores.memory.outbox.match_echo(own(chat, "d", "OK"))


async def test_echoes_that_come_at_once_each_find_a_delivery(stores: Stores) -> None:
    chats = [(await sent(stores, "4911@c.us", number, "OK")).chat for number in range(3)]
    found = await asyncio.gather(
        *(stores.memory.outbox.match_echo(own(chats[0], f"e{n}", "OK")) for n in (0, 1, 2, 0, 1, 2))
    )
    assert found == [True] * 6
    assert not await stores.memory.outbox.match_echo(own(chats[0], "another", "OK"))


async def test_an_early_echo_of_an_equal_part_is_not_taken_from_it(stores: Stores) -> None:
    first = await sent(stores, "4911@c.us", 1, "OK")
    assert await stores.memory.outbox.match_echo(own(first.chat, "sent1", "OK"))
    await reply(stores, "4911@c.us", 2, "OK")
    second = await take(stores)
    assert second is not None
    # The echo of the second comes before its send call returns.
    assert await stores.memory.outbox.match_echo(own(first.chat, "sent2", "OK"))
    assert await stores.memory.outbox.known_ids(second, ["sent1", "sent2"]) == {"sent1"}
    assert await stores.memory.outbox.counts([stores.settings.tenant]) == {"sent": 2}


async def test_an_echo_and_the_answer_of_its_send_do_not_race(stores: Stores) -> None:
    for number in range(10):
        await reply(stores, f"49{number}@c.us", number, "OK")
    taken = [delivery for _ in range(10) if (delivery := await take(stores))]
    await asyncio.gather(
        *(stores.memory.outbox.settle(d, "sent", f"id{d.delivery_id}") for d in taken),
        *(stores.memory.outbox.match_echo(own(d.chat, f"id{d.delivery_id}", "OK")) for d in taken),
    )
    assert await stores.memory.outbox.counts([stores.settings.tenant]) == {"sent": 10}
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(
            "select count(*) as n from outbox where sent_message_id = echo_message_id"
        )
        assert await cursor.fetchone() == {"n": 10}


async def test_a_chats_sends_keep_their_pace(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    await reply(stores, "4911@c.us", 2)
    await reply(stores, "4912@c.us", 3)
    tenants = [stores.settings.tenant]

    async def paced(pace_ms: int = 3_600_000) -> Delivery | None:
        taken = await stores.memory.outbox.take(tenants, ["waha"], "somebody", pace_ms=pace_ms)
        return taken[0] if taken else None

    first = await paced()
    assert first is not None
    await stores.memory.outbox.settle(first, "sent", "x")
    other = await paced()
    assert other is not None
    assert other.text == "answer 3"
    assert await paced() is None
    second = await paced(1)
    assert second is not None
    assert second.text == "answer 2"


async def test_a_channels_own_wait_outlasts_haste(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    await reply(stores, "4912@c.us", 2)
    for _ in range(2):
        delivery = await take(stores)
        assert delivery is not None
        wait_s = 60.0 if delivery.text == "answer 1" else 0.0
        await stores.memory.outbox.settle(delivery, "queued", wait_s=wait_s)
    async with stores.pool.connection() as connection:
        await connection.execute(
            "update outbox set due_at = now() + interval '1 hour',"
            " attempted_at = now() - interval '1 minute', tried_at = now() - interval '1 minute'"
        )
    assert await take(stores) is None
    assert await stores.memory.outbox.hasten(stores.settings.tenant, "waha", "another") == 0
    assert await stores.memory.outbox.hasten(stores.settings.tenant, "waha", "default") == 2
    hastened = await take(stores)
    assert hastened is not None
    assert hastened.text == "answer 2"
    assert await take(stores) is None


async def test_other_tenants_and_channels_are_left_alone(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    tenants = [stores.settings.tenant]
    assert await stores.memory.outbox.take(["another"], ["waha"], "x") == []
    assert await stores.memory.outbox.take(tenants, ["telegram"], "x") == []
    assert await stores.memory.outbox.take([*tenants, "another"], ["telegram", "waha"], "x")


async def test_an_echo_goes_to_the_delivery_that_was_sent_at_its_time(stores: Stores) -> None:
    old = await sent(stores, "4911@c.us", 1, "OK")  # its own echo never came
    async with stores.pool.connection() as connection:
        await connection.execute(
            "update outbox set attempted_at = now() - interval '5 minutes',"
            " tried_at = now() - interval '5 minutes'"
        )
    await reply(stores, "4911@c.us", 2, "OK")
    killed = await take(stores, "dead")
    assert killed is not None
    assert await stores.memory.outbox.match_echo(own(old.chat, "sent2", "OK"))
    assert await stores.memory.outbox.counts([stores.settings.tenant]) == {"sent": 2}
    assert await stores.memory.outbox.known_ids(old, ["sent2"]) == {"sent2"}


async def test_an_echo_that_was_guessed_wrong_does_not_hide_a_send(stores: Stores) -> None:
    old = await sent(stores, "4911@c.us", 1, "OK")
    # A gateway whose clock is far behind: the echo of the second looks like one of the first.
    async with stores.pool.connection() as connection:
        await connection.execute(
            "update outbox set attempted_at = now() - interval '5 minutes',"
            " tried_at = now() - interval '5 minutes',"
            " echo_message_id = 'sent2'"
        )
    await reply(stores, "4911@c.us", 2, "OK")
    killed = await take(stores, "dead")
    assert killed is not None
    assert await stores.memory.outbox.known_ids(killed, ["sent1", "sent2"]) == {"sent1"}
    assert old.chat == killed.chat


async def test_an_echo_under_the_hidden_id_of_the_chat_may_come_before_the_answer(
    stores: Stores,
) -> None:
    await reply(stores, "4911@c.us", 1, "OK")
    delivery = await take(stores)
    assert delivery is not None
    hidden = replace(delivery.chat, chat_id="77@lid")
    elsewhere = replace(delivery.chat, chat_id="4912@c.us")
    assert not await stores.memory.outbox.match_echo(own(elsewhere, "typed", "OK"))
    assert not await stores.memory.outbox.match_echo(own(hidden, "typed", "Something else"))
    assert await stores.memory.outbox.match_echo(own(hidden, "sent1", "OK"))
    await stores.memory.outbox.settle(delivery, "sent", "sent1")
    assert await stores.memory.outbox.match_echo(own(hidden, "sent1", "OK"))
    # What the owner types there later is the owner's.
    assert not await stores.memory.outbox.match_echo(own(hidden, "typed", "OK"))
