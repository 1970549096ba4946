"""Gateways that hang or fail delay no other account's replies, and are asked less often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.bootstrap import open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.breaker import OPENS_AFTER
from memory.domain.chats import Actor, ChatRef, Message
from memory.errors import StoreUnavailable
from memory.postgres.outbox import PostgresOutbox
from server.sending.terms import Terms
from tests.fakes.waha_gateway import Sent, WahaGateway
from tests.integration.server.running import eventually
from tests.integration.server.sending import reply, sending, sends_asked, statuses, texts

pytestmark = pytest.mark.anyio

TERMS = Terms(poll_s=0.1, send_s=30, doubt_s=0.3, stop_s=0.5)
IMPATIENT = Terms(poll_s=0.05, send_s=0.3, look_up_s=0.3, doubt_s=0.1, silence_s=0.2, stop_s=0.5)
HEALTHY = [f"well{number}" for number in range(16)]
HUNG = [f"hung{number}" for number in range(64)]
SOON_S = 10.0
"""Far below what a send that hangs takes, and far above what sixteen take on a busy machine."""


@pytest.fixture
async def stores(settings: Callable[..., Settings]) -> AsyncIterator[Stores]:
    async with open_stores(settings()) as opened:
        yield opened


@pytest.fixture(autouse=True)
def sessions(gateway: WahaGateway) -> None:
    gateway.others = True


async def queue(stores: Stores, account: str, chats: int = 1) -> None:
    for number in range(chats):
        await reply(stores, account, f"{account}-{number}@c.us")


@pytest.mark.parametrize("processes", [1, 2])
async def test_accounts_that_hang_delay_no_other_accounts_replies(
    settings: Callable[..., Settings], stores: Stores, gateway: WahaGateway, processes: int
) -> None:
    gateway.hanging.update(HUNG)
    for account in HUNG:
        await queue(stores, account, 2)
    for account in HEALTHY:
        await queue(stores, account)
    async with AsyncExitStack() as stack:
        for _ in range(processes):
            opened = await stack.enter_async_context(open_stores(settings()))
            await stack.enter_async_context(sending(opened, TERMS))
        assert await eventually(lambda: len(gateway.sent) == len(HEALTHY), SOON_S)
    assert {sent.session for sent in gateway.sent} == set(HEALTHY)


async def test_many_chats_of_an_account_that_hangs_take_its_own_places_only(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.hanging.add("hung")
    await queue(stores, "hung", 64)
    await queue(stores, "well", 16)
    async with sending(stores, TERMS):
        assert await eventually(lambda: len(texts(gateway, "well")) == 16, SOON_S)
        assert sends_asked(gateway, "hung") == TERMS.senders


async def test_two_processes_send_each_part_once_and_in_order(
    settings: Callable[..., Settings], stores: Stores, gateway: WahaGateway
) -> None:
    parts = [f"part {number}" for number in range(4)]
    async with open_stores(settings()) as other:
        for account in HEALTHY:
            await reply(stores, account, "4911@c.us", *parts)
        async with sending(stores, TERMS), sending(other, TERMS):

            async def is_sent() -> bool:
                return await statuses(stores) == {"sent": 4 * len(HEALTHY)}

            assert await eventually(is_sent)
    assert [texts(gateway, account) for account in HEALTHY] == [parts] * len(HEALTHY)


async def test_a_gateway_that_keeps_failing_is_tried_now_and_then_and_is_quick_when_it_is_back(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.refusing.add("broken")
    await queue(stores, "broken", 20)
    async with sending(stores, TERMS):
        assert await eventually(lambda: sends_asked(gateway, "broken") >= OPENS_AFTER)
        await asyncio.sleep(2.5)
        # Those that were under way when it opened, and trials after one and two seconds.
        assert sends_asked(gateway, "broken") <= OPENS_AFTER + TERMS.senders + 2
        (failing,) = await stores.memory.breakers.listing([stores.settings.tenant])
        assert failing.account.account == "broken"
        assert failing.waiting >= 19
        await queue(stores, "well")
        assert await eventually(lambda: len(texts(gateway, "well")) == 1)
        gateway.refusing.clear()
        assert await eventually(lambda: len(texts(gateway, "broken")) == 20)
    assert await stores.memory.breakers.listing([stores.settings.tenant]) == []
    assert await statuses(stores) == {"sent": 21}


async def test_a_gateway_that_gives_no_answer_is_tried_now_and_then(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.hanging.add("hung")
    await queue(stores, "hung", 20)
    async with sending(stores, IMPATIENT):

        async def has_failed_a_trial() -> bool:
            found = await stores.memory.breakers.listing([stores.settings.tenant])
            return [each.breaker.failures > OPENS_AFTER for each in found] == [True]

        assert await eventually(has_failed_a_trial)
        asked = sends_asked(gateway, "hung")
        await asyncio.sleep(1)
        assert sends_asked(gateway, "hung") <= asked + 1
        gateway.hanging.clear()
        assert await eventually(lambda: len(texts(gateway, "hung")) == 20, 40)
    assert sorted(texts(gateway, "hung")) == sorted(f"to hung-{n}@c.us" for n in range(20))


async def test_a_gateway_that_sends_but_does_not_answer_keeps_its_breaker_closed(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.stall(100)
    await queue(stores, "mute", 8)
    async with sending(stores, IMPATIENT):

        async def is_sent() -> bool:
            return await statuses(stores) == {"sent": 8}

        assert await eventually(is_sent)
    assert len(gateway.sent) == 8
    assert await stores.memory.breakers.listing([stores.settings.tenant]) == []


async def test_a_chat_that_is_refused_alone_opens_no_breaker(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.fail(2, 500)
    await queue(stores, "well", 4)
    async with sending(stores, TERMS):
        assert await eventually(lambda: len(gateway.sent) == 4)
    assert await stores.memory.breakers.listing([stores.settings.tenant]) == []


async def test_look_ups_of_a_silent_gateway_delay_no_other_accounts(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.hanging.update(HUNG)
    for account in [*HUNG, "well"]:
        await queue(stores, account)
    while await stores.memory.outbox.take([stores.settings.tenant], ["waha"], "dead"):
        pass
    async with sending(stores, TERMS):
        began = time.monotonic()
        assert await eventually(lambda: texts(gateway, "well") == ["to well-0@c.us"])
        assert time.monotonic() - began < SOON_S


async def test_a_stop_leaves_what_hangs_to_the_next_process(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.hanging.add("hung")
    await queue(stores, "hung", 2)
    async with sending(stores, TERMS):
        assert await eventually(lambda: sends_asked(gateway, "hung") == 2)
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert await statuses(stores) == {"sending": 2}
    gateway.hanging.clear()
    async with sending(stores, TERMS):
        assert await eventually(lambda: len(texts(gateway, "hung")) == 2)
    assert await statuses(stores) == {"sent": 2}


async def test_a_deliverer_whose_lock_is_lost_sends_nothing_twice(
    stores: Stores, gateway: WahaGateway
) -> None:
    gateway.hanging.add("hung")
    await queue(stores, "hung")
    async with sending(stores, TERMS):
        assert await eventually(lambda: sends_asked(gateway, "hung") == 1)
        async with stores.pool.connection() as connection:
            await connection.execute(
                "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
                " and pid <> pg_backend_pid()"
            )
        gateway.hanging.clear()
        await queue(stores, "well")
        assert await eventually(lambda: len(gateway.sent) == 2)
    assert await statuses(stores) == {"sent": 2}


class FailingOutbox(PostgresOutbox):
    """Cannot write the first outcomes down."""

    failures = 2

    async def settle(self, *args: Any, **options: Any) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("RECOLLECT_DATABASE_URL", "here", "on demand")
        await super().settle(*args, **options)


async def test_an_outcome_is_written_down_as_soon_as_the_store_takes_it(
    stores: Stores, gateway: WahaGateway
) -> None:
    await reply(stores, "well", "4911@c.us", "one", "two")
    outbox = FailingOutbox(stores.pool)
    async with sending(replace(stores, memory=replace(stores.memory, outbox=outbox)), TERMS):
        assert await eventually(lambda: texts(gateway, "well") == ["one", "two"])
    assert await statuses(stores) == {"sent": 2}
    assert "messages" not in [name for name, _ in gateway.calls]


async def echo(stores: Stores, sent: Sent) -> None:
    """Take in what the gateway tells of a send, as a webhook does."""
    chat = ChatRef(stores.settings.tenant, "waha", sent.session, sent.chat_id)
    now = datetime.now(UTC)
    message = Message(
        chat, sent.message_id, Actor.AUTOMATION, "me", "", sent.text, now, from_me=True
    )
    assert await stores.memory.outbox.match_echo(message)


@pytest.mark.parametrize("is_other_process", [False, True])
async def test_an_echo_ends_the_wait_for_an_answer(
    settings: Callable[..., Settings],
    stores: Stores,
    gateway: WahaGateway,
    is_other_process: bool,
) -> None:
    terms = replace(TERMS, senders=1)
    gateway.stall(1)
    await queue(stores, "slow", 2)
    async with open_stores(settings()) as other, sending(stores, terms):
        assert await eventually(lambda: len(gateway.sent) == 1)
        await asyncio.sleep(0.3)
        assert len(gateway.sent) == 1
        await echo(other if is_other_process else stores, gateway.sent[0])
        assert await eventually(lambda: len(gateway.sent) == 2, SOON_S)

        async def is_sent() -> bool:
            return await statuses(stores) == {"sent": 2}

        assert await eventually(is_sent)
    assert [name for name, _ in gateway.calls] == ["sendText"] * 2
    (first, _) = await stores.memory.outbox.listing(stores.settings.tenant, "sent")
    assert (first.attempts, first.sent_message_id) == (1, gateway.sent[0].message_id)
    assert await stores.memory.breakers.listing([stores.settings.tenant]) == []
