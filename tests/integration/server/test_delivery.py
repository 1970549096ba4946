"""Sending through a carrier: refusals, moves, waits, and a gateway that is gone for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from channels.errors import ChatHasMoved, GatewayUnavailable, SendRefused
from graph.bootstrap import open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.work import Delivery, Sighting
from server.sending.delivery import Deliverer
from server.sending.terms import Terms
from server.work.followup import FollowUp
from tests.integration.server.running import eventually

pytestmark = pytest.mark.anyio
TERMS = Terms(poll_s=0.05, doubt_s=0.2, send_s=1, look_up_s=1, give_up_s=2)


class FakeCarrier:
    """Sends into a list; `trouble` says what to raise instead, if anything."""

    def __init__(self, history: list[str] | None = None) -> None:
        self.sent: list[Delivery] = []
        self.attempts = 0
        self.trouble: Callable[[Delivery], Exception | None] = lambda _: None
        self.history = history

    async def send(self, delivery: Delivery) -> str:
        self.attempts += 1
        if trouble := self.trouble(delivery):
            raise trouble
        self.sent.append(delivery)
        return f"id{len(self.sent)}"

    async def mark_seen(self, chat: ChatRef) -> None:
        return

    async def show_typing(self, chat: ChatRef) -> None:
        return

    async def stop_typing(self, chat: ChatRef) -> None:
        return

    async def look_up(self, delivery: Delivery) -> list[Sighting] | None:
        if self.history is None:
            return None
        if self.trouble(delivery):
            raise GatewayUnavailable
        return [Sighting(each, datetime.now(UTC)) for each in self.history]


@pytest.fixture
async def stores(settings: Callable[..., Settings]) -> AsyncIterator[Stores]:
    async with open_stores(settings(RECOLLECT_SEND_PACE_MS="20")) as opened:
        yield opened


@asynccontextmanager
async def delivering(stores: Stores, carrier: FakeCarrier) -> AsyncIterator[Deliverer]:
    deliverer = Deliverer(stores, {"fake": carrier}, TERMS)
    running = asyncio.create_task(deliverer.run())
    yield deliverer
    deliverer.stop()
    await running


async def reply(stores: Stores, chat_id: str, number: int, *parts: str) -> None:
    """Put one reply in parts into the outbox as a finished turn does."""
    chat = ChatRef(stores.settings.tenant, "fake", "a", chat_id)
    now = datetime.now(UTC)
    asked = Message(chat, f"q{number}", Actor.CONTACT, chat_id, f"fake:{chat_id}", "Hi", now)
    await stores.memory.ledger.record([asked])
    turn_id = stores.ids()
    await stores.memory.ledger.claim(turn_id, asked)
    answer = Message(
        chat, f"a{number}", Actor.AGENT, "agent", f"fake:{chat_id}", "".join(parts), now
    )
    await stores.memory.ledger.finish(chat.tenant, turn_id, [answer], None, {answer.uid: parts})


async def statuses(stores: Stores) -> dict[str, int]:
    counts = await stores.memory.outbox.counts([stores.settings.tenant])
    return {str(status): count for status, count in counts.items()}


async def test_parts_and_replies_of_a_chat_leave_in_order_each_once(stores: Stores) -> None:
    carrier = FakeCarrier()
    for number in range(3):
        await reply(stores, "x", number, f"{number}a", f"{number}b", f"{number}c")
    async with delivering(stores, carrier):
        assert await eventually(lambda: len(carrier.sent) == 9)
    texts = [delivery.text for delivery in carrier.sent]
    assert texts == [f"{number}{part}" for number in range(3) for part in "abc"]
    assert [delivery.part for delivery in carrier.sent] == [0, 1, 2] * 3


async def test_what_waited_for_a_gateway_leaves_in_order_when_it_is_back_none_twice(
    stores: Stores,
) -> None:
    carrier = FakeCarrier()
    carrier.trouble = lambda _: SendRefused("send: gateway not reached")
    for number in range(12):
        await reply(stores, f"chat{number % 4}", number, f"{number}")
    async with delivering(stores, carrier):
        assert await eventually(lambda: carrier.attempts > 5)
        async with stores.pool.connection() as connection:
            # As after an hour: every chat is far from its next try but one.
            await connection.execute(
                "update outbox set due_at = now() + interval '55 seconds',"
                " attempted_at = now() - interval '5 seconds' where attempts > 0"
                " and session_id <> (select min(session_id) from outbox)"
            )
            await connection.execute("update breakers set trial_at = now()")
        carrier.trouble = lambda _: None
        assert await eventually(lambda: len(carrier.sent) == 12)
        await asyncio.sleep(0.3)
    assert len(carrier.sent) == 12
    for chat in range(4):
        texts = [int(d.text) for d in carrier.sent if d.chat.chat_id == f"chat{chat}"]
        assert texts == sorted(texts)
    assert await statuses(stores) == {"sent": 12}


async def test_a_final_refusal_is_a_failure_at_once_and_frees_the_chat(stores: Stores) -> None:
    carrier = FakeCarrier()
    carrier.trouble = lambda d: SendRefused("blocked", is_final=True) if d.text == "1" else None
    await reply(stores, "x", 1, "1")
    await reply(stores, "x", 2, "2")
    async with delivering(stores, carrier):
        assert await eventually(lambda: [d.text for d in carrier.sent] == ["2"])
    assert await statuses(stores) == {"failed": 1, "sent": 1}
    (line,) = await stores.memory.audit.listing(stores.settings.tenant, 5)
    assert (line.kind, line.outcome) == ("delivery", "failed")


async def test_a_channels_wait_is_kept(stores: Stores) -> None:
    carrier, tried = FakeCarrier(), list[float]()

    def trouble(delivery: Delivery) -> SendRefused | None:
        del delivery
        tried.append(time.monotonic())
        return SendRefused("flood", retry_after_s=1.5) if len(tried) == 1 else None

    carrier.trouble = trouble
    await reply(stores, "x", 1, "1")
    async with delivering(stores, carrier):
        assert await eventually(lambda: len(carrier.sent) == 1)
    assert len(tried) == 2
    assert tried[1] - tried[0] >= 1.5


async def test_a_reply_to_a_moved_chat_goes_to_its_new_id(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.sending.delivery.MOVE_WAIT_S", 0.2)
    carrier = FakeCarrier()
    carrier.trouble = lambda d: ChatHasMoved("new") if d.chat.chat_id == "x" else None
    await reply(stores, "x", 1, "1")
    follow_up = FollowUp(stores, poll_s=0.05)
    following = asyncio.create_task(follow_up.run())
    async with delivering(stores, carrier):
        assert await eventually(lambda: [d.chat.chat_id for d in carrier.sent] == ["new"])
    follow_up.stop()
    await following
    assert await statuses(stores) == {"sent": 1}


async def test_an_old_reply_is_dropped_with_a_word_and_the_next_one_leaves(stores: Stores) -> None:
    carrier = FakeCarrier()
    await reply(stores, "x", 1, "old")
    async with stores.pool.connection() as connection:
        await connection.execute("update outbox set created_at = now() - interval '25 hours'")
    await reply(stores, "x", 2, "new")
    async with delivering(stores, carrier):
        assert await eventually(lambda: [d.text for d in carrier.sent] == ["new"])
    (line,) = await stores.memory.audit.listing(stores.settings.tenant, 5)
    assert (line.kind, line.outcome) == ("delivery", "expired")
    assert await statuses(stores) == {"expired": 1, "sent": 1}


@pytest.mark.parametrize(
    ("history", "expected"), [(None, "unknown"), ([], "sent"), (["id0"], "sent")]
)
async def test_an_open_attempt_is_looked_up_where_the_channel_can_be_asked(
    stores: Stores, history: list[str] | None, expected: str
) -> None:
    carrier = FakeCarrier(history)
    await reply(stores, "x", 1, "1")
    # A process that died between taking the delivery and the answer.
    assert await stores.memory.outbox.take([stores.settings.tenant], ["fake"], "dead")
    async with delivering(stores, carrier):

        async def is_settled() -> bool:
            return await statuses(stores) == {expected: 1}

        assert await eventually(is_settled)
    assert len(carrier.sent) == (1 if history == [] else 0)


async def test_one_look_up_in_vain_decides_nothing(stores: Stores) -> None:
    carrier = FakeCarrier([])
    await reply(stores, "x", 1, "1")
    assert await stores.memory.outbox.take([stores.settings.tenant], ["fake"], "dead")
    async with delivering(stores, carrier):

        async def is_missed() -> bool:
            (row,) = await stores.memory.outbox.listing(stores.settings.tenant, "sending")
            return row.missed_at is not None

        assert await eventually(is_missed)
        carrier.history = ["late"]

        async def is_found() -> bool:
            return await statuses(stores) == {"sent": 1}

        assert await eventually(is_found)
    assert carrier.sent == []
