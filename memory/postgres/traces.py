"""Whether Postgres holds anything of somebody who was erased: every column is asked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.erasures import Looked, Needles
from memory.ports.erasures import Traces
from memory.postgres.checkpoints import THREADS_OF
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
"""What people wrote: they may write what somebody is called, and never an id of a message."""

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# What is quick to tell comes first: most values are short, and few hold any id.
_IS_ID = "COLUMN like any(%(likes)s) and COLUMN ~ %(pattern)s"
_WHOSE: Final = {
    "contact_id": "COLUMN = any(%(contacts)s)",
    "thread_id": "COLUMN = any(%(threads)s)",
}
_HAS_UUID = (
    "length(COLUMN) >= 36 and exists ("
    f"select from regexp_matches(COLUMN, '{_UUID}', 'g') as found where found[1] = any(%(uuids)s))"
)
_HAS_TEXT = "length(COLUMN) >= 20 and exists (select from unnest(%(texts)s::text[]) as t where"
_HAS_TEXT += " strpos(COLUMN, t) > 0)"
# A column of words to search by is made of the one beside it.
_TEXTS: Final = frozenset({"text", "varchar", "json", "jsonb", "_text", "name"})

# Checkpoints name no tenant: another one's contact may be called the same.
_OURS: Final = {
    "tenant": "tenant = %(tenant)s",
    "thread": "(thread_id::text = any(%(threads)s) or thread_id::text in ("
    f"select {THREADS_OF} from sessions s where s.tenant = %(tenant)s))",
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
            "likes": ["%" + re.sub(r"([\\%_])", r"\\\1", each) + "%" for each in needles.ids],
            "pattern": bounded(sorted(needles.ids)),
            "contacts": sorted(needles.contacts),
            "uuids": sorted(needles.uuids),
            "threads": sorted(needles.threads),
            "texts": [*needles.texts, *map(_escaped, needles.texts)],
        }
        places, left = 0, dict[str, int]()
        async with self._pool.connection() as connection:
            for table, columns in (await _columns(connection)).items():
                tests = {row["column_name"]: _test(table, row) for row in columns}
                tests = {column: test for column, test in tests.items() if test}
                if not tests:
                    continue
                statement = _statement(table, columns, tests)
                cursor = await connection.execute(statement.encode(), keys, prepare=False)
                found = await cursor.fetchone() or {}
                places += len(found)
                left |= {f"{table}.{column}": count for column, count in found.items() if count}
        return Looked(places, left)


async def _columns(connection: AsyncConnection[DictRow]) -> dict[str, list[DictRow]]:
    cursor = await connection.execute(_COLUMNS, {"schema": SCHEMA})
    tables: defaultdict[str, list[DictRow]] = defaultdict(list)
    for row in await cursor.fetchall():
        tables[row["table_name"]].append(row)
    return tables


def _statement(table: str, columns: Sequence[DictRow], tests: Mapping[str, str]) -> str:
    """Return a statement that counts the rows of a table that pass each column's test."""
    # Without the offset every test would turn the value into text anew.
    shown = ", ".join(
        f"{_as_text(row)} as {row['column_name']}" for row in columns if row["column_name"] in tests
    )
    counted = ", ".join(
        f'count(*) filter (where {test}) as "{column}"' for column, test in tests.items()
    )
    rows = f"select {shown} from {table} where {_where(table, columns[0])} offset 0"
    return f"select {counted} from ({rows}) shown"


def _where(table: str, row: DictRow) -> str:
    if table in _OURS:
        return _OURS[table]
    if row["has_tenant"]:
        return _OURS["tenant"]
    return _OURS["thread"] if row["has_thread"] else "true"


def _as_text(row: DictRow) -> str:
    column = row["column_name"]
    if row["udt_name"] == "bytea":
        return f"encode({column}, 'escape')"
    return f"{column}::text[]" if row["udt_name"] == "_uuid" else f"{column}::text"


def _test(table: str, row: DictRow) -> str:
    """Return the condition under which a column holds any of it; empty where it cannot."""
    column, kind = row["column_name"], row["udt_name"]
    if kind == "uuid":
        return f"{column} = any(%(uuids)s)"
    if kind == "_uuid":
        return f"{column} && %(uuids)s"
    if kind != "bytea" and kind not in _TEXTS:
        return ""
    parts = [_HAS_TEXT] if (table, column) in SAID else [_IS_ID, _HAS_UUID, _HAS_TEXT]
    parts.extend([_WHOSE[column]] if column in _WHOSE else [])
    return " or ".join(parts).replace("COLUMN", column)


def _escaped(text: str) -> str:
    """Return a text as Postgres shows its bytes: `encode(..., 'escape')`."""
    return "".join(
        chr(byte) if byte < 128 else f"\\{byte:03o}" for byte in text.encode("utf-8", "replace")
    )
