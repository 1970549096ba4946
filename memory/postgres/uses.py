"""How often answers used what was said: a row a message, counted from receipts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC
from typing import Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.ports.uses import UseCount, Uses
from memory.postgres.paging import pages
from memory.postgres.pool import Pool

# An answer that was begun before an edit used what the message said before it.
_COUNTED: Final = """
select m.uid, count(*)::integer as times, max(r.created_at) as last_at
from messages m
join receipts r on r.tenant = m.tenant and used_messages(r.used) @> array[m.uid]
left join turns t on t.turn_id = r.turn_id
where m.tenant = %(tenant)s and m.uid = any(%(uids)s::uuid[]) and m.author = 'contact'
  and not m.withheld and m.content <> ''
  and not exists (
    select from revisions v where v.uid = m.uid and v.recorded_at > t.started_at)
group by m.uid
"""

_COUNT: Final = f"""
with counted as materialized ({_COUNTED}), gone as (
  delete from uses where tenant = %(tenant)s and uid = any(%(uids)s::uuid[])
    and uid not in (select uid from counted)
)
insert into uses (uid, tenant, times, last_at)
select c.uid, %(tenant)s, c.times, c.last_at from counted c join messages m on m.uid = c.uid
order by c.uid for key share of m
on conflict (uid) do update set times = excluded.times, last_at = excluded.last_at
returning uid
"""

_KEPT: Final = """
select uid, times, last_at from uses where tenant = %(tenant)s and uid = any(%(uids)s::uuid[])
"""

_NAMED: Final = """
select unnest(used_messages(used)) as uid from receipts where tenant = %(tenant)s
union select uid from uses where tenant = %(tenant)s
"""


class PostgresUses(Uses):
    """`Uses` on the table `uses`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def count(self, tenant: str, uids: Collection[str]) -> int:
        return len(await self._rows(_COUNT, tenant, uids))

    @override
    async def counted(self, tenant: str, uids: Collection[str]) -> Mapping[str, UseCount]:
        return _used(await self._rows(_COUNTED, tenant, uids))

    @override
    async def kept(self, tenant: str, uids: Collection[str]) -> Mapping[str, UseCount]:
        return _used(await self._rows(_KEPT, tenant, uids))

    @override
    async def named(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        async with aclosing(pages(self._pool, _NAMED, {"tenant": tenant})) as found:
            async for rows in found:
                yield [str(row["uid"]) for row in rows]

    async def _rows(self, query: str, tenant: str, uids: Collection[str]) -> list[DictRow]:
        keys = {"tenant": tenant, "uids": sorted(uids)}
        async with self._pool.connection() as connection:
            return await (await connection.execute(query.encode(), keys)).fetchall()


def _used(rows: Sequence[DictRow]) -> dict[str, UseCount]:
    return {str(row["uid"]): UseCount(row["times"], row["last_at"].astimezone(UTC)) for row in rows}
