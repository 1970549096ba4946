"""The outbox by account: room, breakers, and open attempts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest

from graph.bootstrap import open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.breaker import OPENS_AFTER
from memory.domain.work import AccountRef, Delivery, Room
from memory.postgres.taking import INTERRUPTED_AT_ONCE
from tests.integration.server.sending import reply

pytestmark = pytest.mark.anyio


@pytest.fixture
async def stores(settings: Callable[..., Settings]) -> AsyncIterator[Stores]:
    async with open_stores(settings()) as opened:
        yield opened


async def take(stores: Stores, owner: str = "somebody") -> Delivery | None:
    taken = await stores.memory.outbox.take([stores.settings.tenant], ["waha"], owner)
    return taken[0] if taken else None


async def test_an_account_is_taken_from_as_far_as_it_has_room(stores: Stores) -> None:
    for number in range(6):
        await reply(stores, "default", f"49{number}@c.us")
        await reply(stores, "other", f"49{number}@c.us")
    tenants = [stores.settings.tenant]
    busy = {AccountRef(stores.settings.tenant, "waha", "other"): 2}
    taken = await stores.memory.outbox.take(tenants, ["waha"], "me", room=Room(20, 3, busy))
    assert Counter(each.chat.account for each in taken) == {"default": 3, "other": 1}
    portion = await stores.memory.outbox.take(tenants, ["waha"], "me", room=Room(2, 3))
    assert [each.text for each in portion] == ["to 491@c.us", "to 492@c.us"]


async def failed(stores: Stores, delivery: Delivery, times: int) -> None:
    """Let an attempt, and others like it, be the gateway's failure."""
    for count in range(times):
        await stores.memory.breakers.failed(replace(delivery, account_failures=count))


async def test_an_open_breaker_lets_one_trial_through_whoever_asks(stores: Stores) -> None:
    for number in range(6):
        await reply(stores, "default", f"49{number}@c.us")
    await reply(stores, "other", "4999@c.us")
    first = await take(stores)
    assert first is not None
    await failed(stores, first, OPENS_AFTER)
    tenants, room = [stores.settings.tenant], Room(20, 4)
    others = await stores.memory.outbox.take(tenants, ["waha"], "me", room=room)
    assert [each.chat.account for each in others] == ["other"]
    async with stores.pool.connection() as connection:
        await connection.execute("update breakers set trial_at = now()")
    found = await asyncio.gather(
        *(stores.memory.outbox.take(tenants, ["waha"], f"s{n}", room=room) for n in range(6))
    )
    (trial,) = [each for taken in found for each in taken]
    assert trial.account_failures == OPENS_AFTER
    await stores.memory.breakers.close(AccountRef.of(trial.chat))
    assert len(await stores.memory.outbox.take(tenants, ["waha"], "me", room=room)) == 4


async def test_failures_at_once_in_several_processes_are_counted_each(stores: Stores) -> None:
    await reply(stores, "default", "4911@c.us")
    delivery = await take(stores)
    assert delivery is not None
    await asyncio.gather(*(stores.memory.breakers.failed(delivery) for _ in range(6)))
    (failing,) = await stores.memory.breakers.listing([stores.settings.tenant])
    # What was under way when it opened adds nothing.
    assert failing.breaker.failures == OPENS_AFTER
    assert await stores.memory.breakers.listing(["another"]) == []


async def test_an_account_with_many_open_attempts_hides_no_other(stores: Stores) -> None:
    for number in range(20):
        await reply(stores, "default", f"49{number}@c.us")
    await reply(stores, "other", "4999@c.us")
    while delivery := await take(stores, "dead"):
        await stores.memory.outbox.settle(delivery, "sending")
    found = await stores.memory.outbox.interrupted([stores.settings.tenant], ["waha"], 0)
    assert Counter(each.chat.account for each in found) == {
        "default": INTERRUPTED_AT_ONCE,
        "other": 1,
    }


async def test_an_attempt_nobody_waits_for_is_interrupted_though_its_sender_lives(
    stores: Stores,
) -> None:
    await reply(stores, "default", "4911@c.us")
    async with stores.memory.locks.hold("sender:1"):
        delivery = await take(stores, "sender:1")
        assert delivery is not None
        await stores.memory.outbox.settle(delivery, "sending")
        found = await stores.memory.outbox.interrupted([stores.settings.tenant], ["waha"], 0)
        assert [each.delivery_id for each in found] == [delivery.delivery_id]
