"""Entities on Postgres: a row each, what is known of it as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter
from typing_extensions import override

from memory.domain.entities import Entity
from memory.ports.entities import EntityStore
from memory.postgres.pool import Pool

_OF: Final = "select details from entities where tenant = %s and contact_id = %s order by place"

_CONTACTS: Final = "select distinct contact_id from entities where tenant = %s"

_LOCK: Final = """
select pg_advisory_xact_lock(hashtextextended('entities' || chr(31) || %s || chr(31) || %s, 0))
"""
_CLEAR: Final = "delete from entities where tenant = %s and contact_id = %s"

_INSERT: Final = """
insert into entities (tenant, contact_id, place, entity_id, type, name, details)
values (%s, %s, %s, %s, %s, %s, %s)
"""

_ENTITY: Final = TypeAdapter(Entity)


class PostgresEntityStore(EntityStore):
    """The `EntityStore` port on the table `entities` of the connection's own schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def of(self, tenant: str, contact_id: str) -> list[Entity]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF, [tenant, contact_id])
            return [_entity(row) for row in await cursor.fetchall()]

    @override
    async def replace(self, tenant: str, contact_id: str, entities: Sequence[Entity]) -> None:
        rows = [
            (
                tenant,
                contact_id,
                place,
                each.entity_id,
                each.type,
                each.name,
                Jsonb(_ENTITY.dump_python(each, mode="json")),
            )
            for place, each in enumerate(entities)
        ]
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, [tenant, contact_id])
            await connection.execute(_CLEAR, [tenant, contact_id])
            if rows:
                await connection.cursor().executemany(_INSERT, rows)

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CONTACTS, [tenant])
            return sorted(row["contact_id"] for row in await cursor.fetchall())


def _entity(row: DictRow) -> Entity:
    return _ENTITY.validate_python(row["details"])
