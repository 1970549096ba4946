"""The outbox under several senders: order, exclusiveness, and who counts as dead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

import pytest

from graph.bootstrap import Stores, open_stores
from graph.settings import Settings
from memory.domain import Actor, ChatRef, Delivery, Message

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
    await stores.ledger.record([asked])
    turn_id = stores.ids()
    await stores.ledger.claim(turn_id, asked)
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
    await stores.ledger.finish(turn_id, answer, None, [answer.text])


async def take(stores: Stores, owner: str = "somebody") -> Delivery | None:
    return await stores.outbox.take([stores.settings.tenant], ["waha"], owner)


async def interrupted(stores: Stores) -> list[str]:
    found = await stores.outbox.interrupted([stores.settings.tenant], ["waha"], 0)
    return [delivery.delivery_id for delivery in found]


async def test_concurrent_senders_never_take_the_same_delivery(stores: Stores) -> None:
    for number in range(24):
        await reply(stores, f"49{number}@c.us", number)
    taken: list[str] = []

    async def sender(name: str) -> None:
        while delivery := await take(stores, name):
            taken.append(delivery.delivery_id)
            await stores.outbox.settle(delivery, "sent", f"id{delivery.delivery_id}")

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
    await stores.outbox.settle(first, "queued")
    assert await take(stores) is None  # it waits for its second attempt, and so does what follows
    await stores.outbox.settle(first, "unknown")
    second = await take(stores)
    assert second is not None
    assert second.text == "answer 2"


async def test_only_a_dead_senders_delivery_counts_as_interrupted(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    async with stores.locks.hold("sender:1"):
        delivery = await take(stores, "sender:1")
        assert delivery is not None
        assert await interrupted(stores) == []
    assert await interrupted(stores) == [delivery.delivery_id]


async def test_an_outcome_of_an_earlier_attempt_changes_nothing(stores: Stores) -> None:
    await reply(stores, "4911@c.us", 1)
    first = await take(stores)
    assert first is not None
    await stores.outbox.settle(first, "queued")
    async with stores.pool.connection() as connection:
        await connection.execute("update outbox set due_at = now()")
    second = await take(stores)
    assert second is not None
    assert second.attempts == 2
    await stores.outbox.settle(first, "queued")
    assert await stores.outbox.counts([stores.settings.tenant]) == {"sending": 1}


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
    assert await stores.outbox.match_echo(echo)
    await stores.outbox.settle(delivery, "queued")
    assert await stores.outbox.counts([stores.settings.tenant]) == {"sent": 1}
    await stores.outbox.settle(delivery, "sent", "REAL")
    assert await stores.outbox.known_ids(delivery, ["ECHO", "REAL"]) == set()
    await reply(stores, "4911@c.us", 2, "So it is.")
    following = await take(stores)
    assert following is not None
    assert await stores.outbox.known_ids(following, ["ECHO", "REAL"]) == {"ECHO", "REAL"}
