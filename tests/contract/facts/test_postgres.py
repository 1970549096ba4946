"""The fact contract on Postgres."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memory.postgres.facts import PostgresFactStore
from memory.postgres.pool import Pool
from tests.contract.facts.contract import Backend, FactStoreContract


class TestPostgres(FactStoreContract):
    """Facts in Postgres tables."""

    @pytest.fixture
    def backend(self, facts_pool: Pool) -> Backend:
        async def count(tenant: str, contact_id: str) -> int:
            async with facts_pool.connection() as connection:
                cursor = await connection.execute(
                    "select count(*) as n from facts where tenant = %s and contact_id = %s",
                    [tenant, contact_id],
                )
                row = await cursor.fetchone()
                return int(row["n"]) if row else 0

        return Backend(PostgresFactStore(facts_pool), f"t-{uuid4()}", count)
