"""Rows come a page at a time; whoever stops half-way leaves nothing open."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import aclosing

import anyio
import psycopg
import pytest

from memory.embedded import EmbeddedStores
from memory.errors import StoreUnavailable
from memory.postgres.paging import PAGE, pages
from memory.postgres.pool import Pool
from tests.benchmarks.sql import one_connection
from tests.stores import fresh_database

# psycopg's own cursors warn where nobody could close them.
pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("error")]

QUERY = "select n, pg_backend_pid() as pid from generate_series(1, %s) as n"


@pytest.fixture
async def database_url(embedded: EmbeddedStores) -> str:
    """An empty database."""
    return fresh_database(embedded.database_url)


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    """Its only connection."""
    async with one_connection(database_url) as opened:
        yield opened


@pytest.mark.parametrize("count", [0, 1, PAGE, PAGE + 1])
async def test_every_row_comes_once_in_its_order(pool: Pool, count: int) -> None:
    found = [[row["n"] for row in rows] async for rows in pages(pool, QUERY, [count])]
    assert [n for page in found for n in page] == list(range(1, count + 1))
    assert all(0 < len(page) <= PAGE for page in found)


async def test_a_reader_that_stops_gives_its_connection_back(pool: Pool) -> None:
    with anyio.CancelScope() as scope:
        async with aclosing(pages(pool, QUERY, [3 * PAGE])) as found:
            async for _ in found:
                scope.cancel()
    assert [len(rows) async for rows in pages(pool, QUERY, [1])] == [1]
    gc.collect()


@pytest.mark.parametrize("cancels", [1, 2])
async def test_whenever_a_reader_is_cancelled_nothing_stays_open(pool: Pool, cancels: int) -> None:
    for ticks in range(60):
        reading = asyncio.create_task(_read(pool))
        await asyncio.sleep(ticks * 1e-4)
        for _ in range(cancels):
            reading.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([reading])
    assert await _read(pool) == 3
    gc.collect()


async def _read(pool: Pool) -> int:
    async with aclosing(pages(pool, QUERY, [2 * PAGE + 1])) as found:
        return len([rows async for rows in found])


async def test_a_lost_connection_is_said_in_our_words(pool: Pool, database_url: str) -> None:
    with pytest.raises(StoreUnavailable):
        await _read_until_lost(pool, database_url)
    assert [len(rows) async for rows in pages(pool, QUERY, [1])] == [1]
    gc.collect()


async def _read_until_lost(pool: Pool, database_url: str) -> None:
    async with aclosing(pages(pool, QUERY, [3 * PAGE])) as found:
        async for rows in found:
            with psycopg.connect(database_url, autocommit=True) as other:
                other.execute("select pg_terminate_backend(%s, 1000)", [rows[0]["pid"]])
