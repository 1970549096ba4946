"""Servers for the fact contract."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from memory.embedded import EmbeddedStores

MIGRATION = Path(__file__).parents[3] / "memory" / "postgres" / "migrations" / "0002_facts.sql"


@pytest.fixture(scope="session")
def postgres_url(embedded: EmbeddedStores) -> str:
    """The embedded Postgres."""
    return embedded.database_url


@pytest.fixture
async def facts_pool(
    postgres_url: str,
) -> AsyncIterator[AsyncConnectionPool[AsyncConnection[DictRow]]]:
    """Open a pool on a fresh schema that has the facts table."""
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        postgres_url,
        open=False,
        min_size=1,
        max_size=6,
        kwargs={
            "autocommit": True,
            "row_factory": dict_row,
            "prepare_threshold": 0,
            "options": "-c search_path=facts_contract",
        },
    )
    async with pool:
        async with pool.connection() as connection:
            await connection.execute("drop schema if exists facts_contract cascade")
            await connection.execute("create schema facts_contract")
            await connection.execute(MIGRATION.read_bytes(), prepare=False)
        yield pool
