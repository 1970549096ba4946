"""Servers for the fact contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from memory.embedded import EmbeddedStores
from memory.postgres.pool import Pool, open_pool
from tests.stores import migrated_database


@pytest.fixture(scope="session")
def postgres_url(embedded: EmbeddedStores) -> str:
    """A database on the embedded Postgres, with every migration."""
    return migrated_database(embedded.database_url)


@pytest.fixture
async def facts_pool(postgres_url: str) -> AsyncIterator[Pool]:
    """Open a pool on it; a test has a tenant of its own."""
    async with open_pool(postgres_url) as pool:
        yield pool
