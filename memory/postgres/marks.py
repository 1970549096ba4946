"""Marks on facts, in the ledger's database: whatever the facts are stored in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.facts import APART, Mark
from memory.ports.marks import Marks
from memory.postgres.pool import Pool

_PUT: Final = """
insert into fact_marks (uid, tenant, act, kind, key, value, since)
select m.uid, m.tenant, %(act)s, %(kind)s, %(key)s, %(value)s, %(since)s
from messages m where m.uid = %(uid)s and m.tenant = %(tenant)s
on conflict do nothing
"""

_COUNTING: Final = """
from fact_marks k join messages m on m.uid = k.uid and m.tenant = k.tenant
where k.ended_at is null
"""

_OF: Final = f"""
select m.contact_id, k.act, k.kind, k.key, k.value, k.since {_COUNTING}
  and k.tenant = %s and m.contact_id = any(%s::text[])
order by k.since, m.seq
"""

MARKS: Final = f"""case when row_number() over () = 1 then (
  select jsonb_agg(
    json_build_object('act', k.act, 'kind', k.kind, 'key', k.key, 'value', k.value,
      'since', k.since) order by k.since, m.seq)
  {_COUNTING} and k.tenant = facts.tenant and m.contact_id = facts.contact_id
) end as marks"""
"""A column beside facts of one contact: its marks, in one of the rows; for `marks_of`."""

_END: Final = """
update fact_marks set ended_at = %s
where tenant = %s and act = any(%s::text[]) and ended_at is null
"""


class PostgresMarks(Marks):
    """`Marks` on the table `fact_marks`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def put(self, tenant: str, mark: Mark) -> None:
        row = {
            "uid": mark.act.partition(APART)[0],
            "tenant": tenant,
            "act": mark.act,
            "kind": mark.kind,
            "key": mark.key,
            "value": mark.value,
            "since": mark.since,
        }
        async with self._pool.connection() as connection:
            await connection.execute(_PUT, row)

    @override
    async def of(self, tenant: str, contact_ids: Collection[str]) -> dict[str, list[Mark]]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF, [tenant, list(contact_ids)])
            rows = await cursor.fetchall()
        found: defaultdict[str, list[Mark]] = defaultdict(list)
        for row in rows:
            found[row["contact_id"]].append(_mark(row, row["since"]))
        return dict(found)

    @override
    async def end(self, tenant: str, acts: Collection[str], at: datetime) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(_END, [at, tenant, list(acts)])


def marks_of(rows: Sequence[DictRow]) -> list[Mark]:
    """Return the marks that rows of facts have beside them, in the column `MARKS`."""
    told = next((row["marks"] for row in rows if row["marks"]), ())
    return [_mark(each, datetime.fromisoformat(each["since"])) for each in told]


def _mark(row: Mapping[str, Any], since: datetime) -> Mark:  # Any: a row of Postgres, or JSON
    return Mark(row["kind"], row["key"], row["value"], since.astimezone(UTC), row["act"])
