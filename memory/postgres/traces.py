"""Whether Postgres holds anything of somebody who was erased: every column is asked."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.erasures import Looked, Needles
from memory.ports.erasures import Traces
from memory.postgres.erasures import bounded
from memory.postgres.pool import SCHEMA, Pool

_COLUMNS = """
select c.table_name, c.column_name, c.udt_name,
  bool_or(c.column_name = 'tenant') over (partition by c.table_name) as has_tenant,
  bool_or(c.column_name = 'thread_id') over (partition by c.table_name) as has_thread
from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
where c.table_schema = %(schema)s and t.table_type = 'BASE TABLE'
order by c.table_name, c.ordinal_position
"""

SAID: Final = frozenset(
    {("messages", "content"), ("messages", "said"), ("revisions", "text_before")}
)
"""What people wrote: they may write what somebody is called."""

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_IS_ID = "COLUMN ~ %(pattern)s"
_HAS_UUID = (
    f"exists (select from regexp_matches(COLUMN, '{_UUID}', 'g') as found"
    " where found[1] = any(%(uuids)s))"
)
_HAS_TEXT = "exists (select from unnest(%(texts)s::text[]) as t where strpos(COLUMN, t) > 0)"
_HAS_BYTES = (
    "exists (select from unnest(%(texts)s::text[]) as t"
    " where position(convert_to(t, 'UTF8') in COLUMN) > 0)"
)
_TEXTS: Final = frozenset({"text", "varchar", "json", "jsonb", "_text", "tsvector", "name"})

# Checkpoints name no tenant: another one's contact may be called the same.
_OURS: Final = {
    "tenant": "tenant = %(tenant)s",
    "thread": "(thread_id::text = any(%(uuids)s) or thread_id::text in ("
    "select s.thread_id::text from sessions s where s.tenant = %(tenant)s))",
    "procrastinate_jobs": "args ->> 'tenant' = %(tenant)s",
}


class PostgresTraces(Traces):
    """`Traces` on the schema's own catalogue: a table that comes later is looked in, too."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @property
    @override
    def store(self) -> str:
        return "postgres"

    @override
    async def look(self, tenant: str, needles: Needles) -> Looked:
        keys = {
            "tenant": tenant,
            "pattern": bounded(sorted(needles.ids)),
            "uuids": sorted(needles.uuids),
            "texts": list(needles.texts),
        }
        places, left = 0, dict[str, int]()
        async with self._pool.connection() as connection:
            for table, tests in (await _tests(connection)).items():
                counted = ", ".join(
                    f'count(*) filter (where {test}) as "{column}"'
                    for column, test in tests.columns.items()
                )
                statement = f"select {counted} from {table} where {tests.where}"
                cursor = await connection.execute(statement.encode(), keys, prepare=False)
                found = await cursor.fetchone() or {}
                places += len(found)
                left |= {f"{table}.{column}": count for column, count in found.items() if count}
        return Looked(places, left)


class _Tests:
    """What to ask of the columns of a table, and of which rows."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.columns: dict[str, str] = {}


async def _tests(connection: AsyncConnection[DictRow]) -> dict[str, _Tests]:
    cursor = await connection.execute(_COLUMNS, {"schema": SCHEMA})
    tables: defaultdict[str, list[DictRow]] = defaultdict(list)
    for row in await cursor.fetchall():
        tables[row["table_name"]].append(row)
    asked: dict[str, _Tests] = {}
    for table, columns in tables.items():
        tests = _Tests(_where(table, columns[0]))
        for row in columns:
            if test := _test(table, row["column_name"], row["udt_name"]):
                tests.columns[row["column_name"]] = test
        if tests.columns:
            asked[table] = tests
    return asked


def _where(table: str, row: DictRow) -> str:
    if table in _OURS:
        return _OURS[table]
    if row["has_tenant"]:
        return _OURS["tenant"]
    return _OURS["thread"] if row["has_thread"] else "true"


def _test(table: str, column: str, kind: str) -> str:
    """Return the condition under which a column holds any of it; empty where it cannot."""
    if kind == "uuid":
        return f"{column}::text = any(%(uuids)s)"
    if kind == "_uuid":
        return f"{column}::text[] && %(uuids)s"
    if kind == "bytea":
        told = f"{_IS_ID} or {_HAS_UUID}".replace("COLUMN", f"encode({column}, 'escape')")
        return f"{told} or {_HAS_BYTES.replace('COLUMN', column)}"
    if kind not in _TEXTS:
        return ""
    parts = [_HAS_UUID, _HAS_TEXT]
    if (table, column) not in SAID:
        parts.append(_IS_ID)
    return " or ".join(parts).replace("COLUMN", f"{column}::text")
