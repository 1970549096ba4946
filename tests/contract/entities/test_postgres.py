"""The entity contract on Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from memory.embedded import EmbeddedStores
from memory.postgres.entities import PostgresEntityStore
from memory.postgres.pool import open_pool
from tests.contract.entities.contract import Backend, EntityStoreContract
from tests.stores import migrated_database


class TestPostgres(EntityStoreContract):
    """Entities in a Postgres table."""

    @pytest.fixture
    async def backend(self, embedded: EmbeddedStores) -> AsyncIterator[Backend]:
        async with open_pool(migrated_database(embedded.database_url)) as pool:

            async def count(tenant: str, contact_id: str) -> int:
                async with pool.connection() as connection:
                    cursor = await connection.execute(
                        "select count(*) as n from entities where tenant = %s and contact_id = %s",
                        [tenant, contact_id],
                    )
                    row = await cursor.fetchone()
                    return int(row["n"]) if row else 0

            yield Backend(PostgresEntityStore(pool), f"t-{uuid4()}", count)
