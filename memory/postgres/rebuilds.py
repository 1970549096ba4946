"""Generations that are built, on Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final

from typing_extensions import override

from memory.domain.projections import ProjectionName
from memory.errors import RebuildReplaced
from memory.ports.rebuilds import Building, Rebuilds
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

# Whoever owes an item reads the generations. Nobody has read them and not committed when this is
# held: what is committed later is owed to every generation that is there then.
_LOCK: Final = (
    "set local lock_timeout = '10s'",
    "lock table projections in access exclusive mode",
)

_BEGIN: Final = """
insert into projections (name, generation, fingerprint, state, is_enrolled)
select name, max(generation) + 1, %(fingerprint)s, 'building', false
from projections where name = %(name)s
group by name having not bool_or(state = 'building' and fingerprint = %(fingerprint)s)
"""

_GIVE_UP: Final = """
with given_up as (
  delete from projections
  where name = %(name)s and state = 'building' and fingerprint <> %(fingerprint)s
  returning name, generation
)
delete from backlog b using given_up g
where b.projection = g.name and b.generation = g.generation
"""

_BUILDING: Final = """
select name, generation, is_enrolled from projections where name = %(name)s and state = 'building'
"""

_ENROL: Final = """
insert into backlog (projection, generation, tenant, item)
select name, generation, %(tenant)s, item
from projections, unnest(%(items)s::text[]) as item
where name = %(name)s and generation = %(generation)s
on conflict do nothing
"""

_ENROLLED: Final = """
update projections set is_enrolled = true where name = %(name)s and generation = %(generation)s
"""

_WAITING: Final = """
select count(*) as n from backlog
where projection = %(name)s and generation = %(generation)s and reason = ''
"""

_STANDING: Final = """
select is_enrolled and not exists (
    select from backlog b where b.projection = p.name and b.generation = p.generation
      and b.reason = '') as is_complete
from projections p where p.name = %(name)s and p.generation = %(generation)s
"""

_SERVE: Final = (
    "delete from projections where name = %(name)s and generation < %(generation)s",
    "update projections set state = 'serving'"
    " where name = %(name)s and generation = %(generation)s",
    "delete from backlog where projection = %(name)s and generation < %(generation)s",
)


class PostgresRebuilds(Rebuilds):
    """`Rebuilds` on the tables of generations and of what is owed."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def begin(self, wanted: Mapping[ProjectionName, str]) -> list[Building]:
        building = []
        async with self._pool.connection() as connection, connection.transaction():
            for statement in _LOCK:
                await connection.execute(statement)
            for name, fingerprint in wanted.items():
                keys = {"name": name, "fingerprint": fingerprint}
                # In this order: the number of what is given up is not used again.
                await connection.execute(_BEGIN, keys)
                await connection.execute(_GIVE_UP, keys)
                row = await (await connection.execute(_BUILDING, keys)).fetchone()
                if row is not None:
                    building.append(Building(row["name"], row["generation"], row["is_enrolled"]))
        return building

    @override
    async def enrol(
        self, building: Building, items: AsyncIterator[tuple[str, Sequence[str]]]
    ) -> None:
        keys = _keys(building)
        async with self._pool.connection() as connection:
            # Page by page: whoever changes one of these messages would wait for the last.
            async for tenant, page in items:
                given = {**keys, "tenant": tenant, "items": [storable(item) for item in page]}
                await connection.execute(_ENROL, given)
            await connection.execute(_ENROLLED, keys)

    @override
    async def waiting(self, building: Sequence[Building]) -> int:
        count = 0
        async with self._pool.connection() as connection:
            for each in building:
                row = await (await connection.execute(_WAITING, _keys(each))).fetchone()
                count += int(row["n"]) if row else 0
        return count

    @override
    async def serve(self, building: Sequence[Building]) -> bool:
        async with self._pool.connection() as connection, connection.transaction():
            for statement in _LOCK:
                await connection.execute(statement)
            for each in building:
                cursor = await connection.execute(_STANDING, _keys(each))
                standing = await cursor.fetchone()
                if standing is None:
                    raise RebuildReplaced
                if not standing["is_complete"]:
                    return False
            for each in building:
                for statement in _SERVE:
                    await connection.execute(statement, _keys(each))
        return True


def _keys(building: Building) -> dict[str, object]:
    return {"name": building.projection, "generation": building.number}
