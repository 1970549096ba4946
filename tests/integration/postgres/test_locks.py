"""A lock is nobody's when its waiter is cancelled, and its holder learns when it is lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import psycopg
import pytest

from memory.embedded import EmbeddedStores
from memory.errors import StoreUnavailable
from memory.postgres.locks import LOST_S, ChatLocks
from tests.stores import migrated_database

pytestmark = pytest.mark.anyio
CANCELLATIONS = 400


@pytest.fixture
def url(embedded: EmbeddedStores) -> str:
    return migrated_database(embedded.database_url)


@pytest.fixture
async def locks(url: str) -> AsyncIterator[ChatLocks]:
    opened = ChatLocks(url)
    async with opened.hold("warm"):
        pass
    yield opened
    await opened.close()


def held(url: str) -> int:
    """Return how many advisory locks there are in a database."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "select count(*) from pg_locks where locktype = 'advisory' and database ="
            " (select oid from pg_database where datname = current_database())"
        ).fetchone()
    assert row is not None
    return int(row[0])


async def test_no_cancelled_waiter_leaves_a_lock_behind(url: str, locks: ChatLocks) -> None:
    draw = random.Random(11)

    async def hold(name: str) -> None:
        async with locks.hold(name):
            await asyncio.sleep(draw.random() * 0.001)

    for number in range(CANCELLATIONS):
        tasks = [asyncio.create_task(hold(f"chat {number} {each % 2}")) for each in range(3)]
        for task in tasks:
            await asyncio.sleep(draw.random() * 0.001)
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    async with locks.hold("behind everything that was begun"):
        pass
    assert await asyncio.to_thread(held, url) == 0


async def test_a_holder_whose_lock_is_lost_is_interrupted_before_another_enters(
    url: str, locks: ChatLocks
) -> None:
    other = ChatLocks(url)
    order: list[str] = []

    async def work() -> None:
        async with locks.hold("chat"):
            order.append("first in")
            try:
                await asyncio.sleep(30)
            finally:
                order.append("first out")

    async def follow() -> None:
        async with other.hold("chat"):
            order.append("second in")

    async with other.hold("another, so that it is connected"):
        pass
    working = asyncio.create_task(work())
    await asyncio.sleep(0.05)
    assert order == ["first in"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
        )
    await asyncio.gather(follow(), _interrupted(working))
    assert order == ["first in", "first out", "second in"]
    await other.close()
    await asyncio.wait_for(_again(locks), 10)


async def test_whoever_waits_for_a_lock_enters_when_it_is_given_back(
    url: str, locks: ChatLocks
) -> None:
    other = ChatLocks(url)
    async with locks.hold("chat"):
        following = asyncio.create_task(_again(other))
        await asyncio.sleep(0.3)
        assert not following.done()
    await asyncio.wait_for(following, LOST_S / 2)
    await other.close()


async def test_a_holder_that_is_cancelled_from_elsewhere_stays_cancelled(locks: ChatLocks) -> None:
    entered = asyncio.Event()

    async def work() -> None:
        async with locks.hold("chat"):
            entered.set()
            await asyncio.sleep(30)

    working = asyncio.create_task(work())
    await entered.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    await asyncio.wait_for(_again(locks), 5)


async def _interrupted(working: asyncio.Task[None]) -> None:
    with pytest.raises(StoreUnavailable, match="RECOLLECT_DATABASE_URL"):
        await working


async def _again(locks: ChatLocks) -> None:
    async with locks.hold("chat"):
        pass
