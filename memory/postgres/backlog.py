"""What projections have still to take in, on Postgres. What the ledger owes, its triggers write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import get_args

from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.projections import (
    CHAT,
    Arrears,
    Generation,
    Owed,
    ProjectionName,
    SetAside,
)
from memory.ports.projections import Backlog
from memory.postgres.locks import HELD
from memory.postgres.pool import Pool
from memory.postgres.rows import MOST_COUNTED, storable

TAKEN_S = 60
"""How long taken items are their taker's; a batch takes a second."""

_REGISTER = """
update projections set fingerprint = %(fingerprint)s
where name = %(name)s and state = 'serving' and fingerprint = ''
"""

# Here and below, rows are found by their place or by one condition on the primary key, never by a
# join: planned while the table was empty, it would read all of it for each row of the other side.
_THERE = "projection = %(projection)s and generation = %(generation)s and tenant = %(tenant)s"
_TAKE_CHOSEN = f"""
update backlog
set owner = %(owner)s, due_at = now() + interval '{TAKEN_S} seconds'
where ctid = any(array(select ctid from chosen))
returning tenant, item, version, place
"""

# A time that lies far ahead was written by a clock that has been set back since.
_TAKE = f"""
with chosen as (
  select ctid from backlog
  where projection = %(projection)s and generation = %(generation)s and reason = ''
    and tenant = any(%(tenants)s)
    and (due_at <= now() or (%(early)s and owner = '')
      or due_at > now() + interval '{10 * TAKEN_S} seconds')
  order by due_at, place limit {{limit}} for update skip locked
)
{_TAKE_CHOSEN}
"""

_TAKE_THESE = f"""
with chosen as (
  select ctid from backlog
  where {_THERE} and item = any(%(items)s) and owner = '' and reason = ''
  order by item for update skip locked
)
{_TAKE_CHOSEN}
"""

# A chat is owed anew with each of its messages.
_POSTPONE = f"""
with chosen as (
  select ctid from backlog
  where projection = any(%(projections)s)
    and generation = any(array(select distinct generation from projections))
    and tenant = %(tenant)s and item = any(%(items)s)
    and owner = '' and reason = '' and (version = 1 or starts_with(item, '{CHAT}'))
  order by projection, generation, item for update skip locked
)
update backlog set due_at = now() + make_interval(secs => %(wait_s)s)
where ctid = any(array(select ctid from chosen))
"""

_HELD = f"""
with held as (
  select item, version = (%(versions)s::jsonb ->> item)::integer as is_as_taken from backlog
  where {_THERE} and item = any(%(items)s) order by item for update
)
"""

_DONE = f"""
{_HELD}, struck_out as (
  delete from backlog
  where {_THERE} and item = any(array(select item from held where is_as_taken))
), anew as (
  update backlog set owner = '', due_at = now()
  where {_THERE} and item = any(array(select item from held where not is_as_taken))
)
insert into backlog (projection, generation, tenant, item)
select p.name, p.generation, %(tenant)s, item from unnest(%(items)s::text[]) as item
join projections p on p.name = %(projection)s and p.generation = %(generation)s
where item <> all(array(select item from held))
order by item
on conflict do nothing
"""

_STRIKE_OUT_SAID = """
with said as (
  select uid::text as item, changes > 0 as is_changed from messages
  where tenant = %(tenant)s and uid = any(%(uids)s::uuid[])
), struck_out as (
  delete from backlog
  where projection = %(projection)s and tenant = %(tenant)s and version = 1 and owner = ''
    and generation = (
      select generation from projections where name = %(projection)s and state = 'serving')
    and item = any(array(select item from said where not is_changed))
)
select owe(%(tenant)s, array[%(projection)s], array_agg(item), interval '0')
from said where is_changed having count(*) > 0
"""

_GIVE_BACK = f"""
{_HELD}
update backlog set owner = '', due_at = now()
where {_THERE} and item = any(array(select item from held))
"""

_SET_ASIDE = f"""
update backlog set owner = '', reason = %(reason)s
where {_THERE} and item = %(item)s and version = %(version)s
"""

_TAKE_OVER = f"""
update backlog b set owner = '', due_at = now()
where b.owner <> '' and b.reason = '' and not {HELD.format(name="b.owner")}
"""

# The earliest of each, by the index that has them in this order; one far ahead as in `_TAKE`.
_DUE = f"""
select p.name, p.generation from projections p, lateral (
  select b.due_at from backlog b where b.projection = p.name and b.generation = p.generation
    and b.reason = '' and b.tenant = any(%s) order by b.due_at, b.place limit 1) earliest
where earliest.due_at <= now() or earliest.due_at > now() + interval '{10 * TAKEN_S} seconds'
order by 1, 2
"""

_ARREARS = f"""
select p.name,
  (select count(*) from (
    select from backlog b where b.projection = p.name and b.generation = p.generation
      and b.reason = '' and b.tenant = any(%(tenants)s) limit {MOST_COUNTED}) w) as waiting,
  (select count(*) from (
    select from backlog b where b.projection = p.name and b.generation = p.generation
      and b.reason <> '' and b.tenant = any(%(tenants)s) limit {MOST_COUNTED}) a) as set_aside
from projections p where p.state = 'serving' order by 1
"""


class PostgresBacklog(Backlog):
    """`Backlog` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def register(self, projection: ProjectionName, fingerprint: str) -> Generation:
        async with self._pool.connection() as connection:
            await connection.execute(_REGISTER, {"name": projection, "fingerprint": fingerprint})
        return next(
            each
            for each in await self.generations()
            if each.projection == projection and each.is_serving
        )

    @override
    async def generations(self) -> list[Generation]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select name, generation, fingerprint, state from projections order by 1, 2"
            )
            return [
                Generation(
                    row["name"], row["generation"], row["fingerprint"], row["state"] == "serving"
                )
                for row in await cursor.fetchall()
            ]

    @override
    async def owe(
        self, tenant: str, projections: Sequence[ProjectionName], items: Sequence[str]
    ) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "select owe(%s, %s::text[], %s::text[], interval '0')",
                [tenant, list(projections), [storable(item) for item in items]],
            )

    @override
    async def due(self, tenants: Sequence[str]) -> list[tuple[ProjectionName, int]]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_DUE.encode(), [list(tenants)])
            return [(row["name"], row["generation"]) for row in await cursor.fetchall()]

    @override
    async def take(
        self,
        projection: ProjectionName,
        generation: int,
        tenants: Sequence[str],
        owner: str,
        limit: int,
        *,
        early: bool = False,
    ) -> list[Owed]:
        # The planner should know the limit: it takes an unknown one for a tenth of the table.
        statement = _TAKE.format(limit=limit)
        keys = {"tenants": list(tenants), "early": early}
        return await self._take(statement, projection, generation, owner, keys)

    @override
    async def take_these(
        self,
        projection: ProjectionName,
        generation: int,
        tenant: str,
        owner: str,
        items: Sequence[str],
    ) -> list[Owed]:
        keys = {"tenant": tenant, "items": [storable(item) for item in items]}
        return await self._take(_TAKE_THESE, projection, generation, owner, keys)

    async def _take(
        self,
        statement: str,
        projection: ProjectionName,
        generation: int,
        owner: str,
        keys: Mapping[str, object],
    ) -> list[Owed]:
        given = {**keys, "projection": projection, "generation": generation, "owner": owner}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(statement.encode(), given)).fetchall()
        rows.sort(key=lambda row: int(row["place"]))
        return [Owed(row["tenant"], row["item"], row["version"]) for row in rows]

    @override
    async def postpone(self, tenant: str, items: Sequence[str], wait_s: float) -> None:
        names = list(get_args(ProjectionName))
        keys = {"tenant": tenant, "items": list(items), "projections": names, "wait_s": wait_s}
        async with self._pool.connection() as connection:
            await connection.execute(_POSTPONE.encode(), keys)

    @override
    async def done(
        self, projection: ProjectionName, generation: int, taken: Sequence[Owed]
    ) -> None:
        await self._settle(_DONE, projection, generation, taken)

    @override
    async def strike_out_said(
        self, projection: ProjectionName, tenant: str, uids: Sequence[str]
    ) -> None:
        keys = {"projection": projection, "tenant": tenant, "uids": list(uids)}
        async with self._pool.connection() as connection:
            await connection.execute(_STRIKE_OUT_SAID, keys)

    @override
    async def give_back(
        self, projection: ProjectionName, generation: int, taken: Sequence[Owed]
    ) -> None:
        await self._settle(_GIVE_BACK, projection, generation, taken)

    async def _settle(
        self,
        statement: str,
        projection: ProjectionName,
        generation: int,
        taken: Sequence[Owed],
    ) -> None:
        by_tenant: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for each in taken:
            by_tenant[each.tenant][each.item] = each.version
        given = {"projection": projection, "generation": generation}
        async with self._pool.connection() as connection:
            for tenant, versions in by_tenant.items():
                items = {"items": list(versions), "versions": Jsonb(versions)}
                await connection.execute(statement.encode(), {**given, "tenant": tenant, **items})

    @override
    async def set_aside(
        self, projection: ProjectionName, generation: int, taken: Owed, reason: str
    ) -> None:
        keys = {
            "projection": projection,
            "generation": generation,
            "tenant": taken.tenant,
            "item": taken.item,
            "version": taken.version,
            "reason": storable(reason) or "it failed",
        }
        async with self._pool.connection() as connection:
            await connection.execute(_SET_ASIDE.encode(), keys)

    @override
    async def take_over(self) -> int:
        async with self._pool.connection() as connection:
            return (await connection.execute(_TAKE_OVER)).rowcount

    @override
    async def owed(
        self, projection: ProjectionName, generation: int, tenant: str, items: Sequence[str]
    ) -> set[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select item from backlog where projection = %s and generation = %s"
                " and tenant = %s and item = any(%s) and reason = ''",
                [projection, generation, tenant, [storable(item) for item in items]],
            )
            return {row["item"] for row in await cursor.fetchall()}

    @override
    async def arrears(self, tenants: Sequence[str]) -> Mapping[ProjectionName, Arrears]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_ARREARS.encode(), {"tenants": list(tenants)})
            return {
                row["name"]: Arrears(row["waiting"], row["set_aside"])
                for row in await cursor.fetchall()
            }

    @override
    async def aside(self, tenants: Sequence[str], limit: int) -> list[SetAside]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select projection, generation, tenant, item, reason from backlog"
                " where tenant = any(%s) and reason <> '' order by place limit %s",
                [list(tenants), limit],
            )
            return [SetAside(**row) for row in await cursor.fetchall()]
