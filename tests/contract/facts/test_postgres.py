"""The fact contract on Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from memory.postgres.facts import PostgresFactStore
from memory.postgres.pool import Pool, open_pool
from tests.contract.facts.contract import Backend, FactStoreContract, StoppedClock


class TestPostgres(FactStoreContract):
    """Facts in Postgres tables."""

    @pytest.fixture
    async def backend(self, facts_pool: Pool, postgres_url: str) -> AsyncIterator[Backend]:
        async def count(tenant: str, contact_id: str) -> int:
            async with facts_pool.connection() as connection:
                cursor = await connection.execute(
                    "select count(*) as n from facts where tenant = %s and contact_id = %s",
                    [tenant, contact_id],
                )
                row = await cursor.fetchone()
                return int(row["n"]) if row else 0

        async with open_pool(postgres_url) as beside:
            clock = StoppedClock()
            stores = PostgresFactStore(facts_pool, clock), PostgresFactStore(beside, clock)
            yield Backend(*stores, f"t-{uuid4()}", count, clock)
