"""What kinds of thing messages tell of, in the ledger's database: a row a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.readings import Kinds
from memory.ports.reading import ToldKinds
from memory.postgres.pool import Pool

_CLEAR: Final = "delete from kinds where tenant = %s and uid = any(%s::uuid[])"

_KEEP: Final = """
insert into kinds (uid, tenant, keys, chances)
select m.uid, m.tenant, told.keys, told.chances
from jsonb_each(%(told)s) given
cross join lateral (
  select array_agg(key order by key) as keys,
    array_agg(round(value::numeric * 100)::smallint order by key) as chances
  from jsonb_each_text(given.value)
) told
join messages m on m.uid = given.key::uuid and m.tenant = %(tenant)s
order by m.uid for key share of m
on conflict (uid) do update set keys = excluded.keys, chances = excluded.chances
"""

_OF: Final = """
select k.uid, k.keys, k.chances
from messages m join kinds k on k.uid = m.uid and k.tenant = m.tenant
where m.tenant = %s and m.contact_id = %s and m.author = 'contact'
"""


class PostgresKinds(ToldKinds):
    """`ToldKinds` on the table `kinds`, whose rows go with their messages."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(self, tenant: str, told: Mapping[str, Kinds]) -> None:
        some = {uid: dict(kinds) for uid, kinds in told.items() if kinds}
        none = sorted(told.keys() - some.keys())
        async with self._pool.connection() as connection, connection.transaction():
            if none:
                await connection.execute(_CLEAR, [tenant, none])
            if some:
                await connection.execute(_KEEP, {"tenant": tenant, "told": Jsonb(some)})

    @override
    async def of(self, tenant: str, contact_id: str) -> dict[str, Kinds]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF, [tenant, contact_id])
            rows = await cursor.fetchall()
        return {str(row["uid"]): kinds_from(row["keys"], row["chances"]) for row in rows}


def kinds_from(keys: Sequence[str], chances: Sequence[int]) -> Kinds:
    """Return the kinds of a row, each with its chance in 0..1."""
    return {key: chance / 100 for key, chance in zip(keys, chances, strict=True)}
