"""Numbered SQL files, applied in order under a lock; a newer schema is refused.

Tables, columns, indexes and rows change by `migrations/NUMBER_NAME.sql`, which are appended to and
never edited: databases have run them. Stored functions change in their files, `functions/NAME.sql`
(`stored_functions.py` says how), which are applied after the numbered ones in the same transaction.
Migrations up to 47 still create functions and patch them; of a database that has run these, and of
a fresh one, the files make the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files

from memory.errors import SchemaTooNew
from memory.postgres.pool import Pool
from memory.postgres.stored_functions import StoredFunctions, apply_functions, stored_functions

_LOCK = "recollect.migrations"
_TURN = "select pg_try_advisory_lock(hashtextextended('recollect.checkpoints', 0)) as is_ours"
_NEXT = "select pg_advisory_unlock(hashtextextended('recollect.checkpoints', 0))"
POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    number: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """Return every migration that this version knows, in order."""
    found = [
        Migration(int(entry.name[:4]), entry.name, entry.read_text(encoding="utf-8"))
        for entry in files("memory.postgres").joinpath("migrations").iterdir()
        if entry.name.endswith(".sql")
    ]
    return sorted(found, key=lambda migration: migration.number)


async def migrate(
    pool: Pool, upto: int | None = None, functions: StoredFunctions | None = None
) -> int:
    """Bring the schema up to date; return the version it has now.

    Processes that start together wait for each other. `upto` stops early, before the functions of
    today, and `functions` are those of another version (for tests).

    Raises:
        SchemaTooNew: the database has a migration, or a function, that this version does not know.
    """
    known = migrations()
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [_LOCK])
        await connection.execute(
            "create table if not exists schema_version"
            " (number integer primary key, name text not null, applied_at timestamptz"
            " not null default now())"
        )
        cursor = await connection.execute(
            "select coalesce(max(number), 0) as version from schema_version"
        )
        row = await cursor.fetchone()
        version = int(row["version"]) if row else 0
        if version > known[-1].number:
            raise SchemaTooNew(
                f"The database has schema {version}, this version knows {known[-1].number}:"
                " install the newer version, or point RECOLLECT_DATABASE_URL elsewhere."
            )
        before = version
        for migration in known:
            if migration.number > version and (upto is None or migration.number <= upto):
                await connection.execute(migration.sql.encode(), prepare=False)
                await connection.execute(
                    "insert into schema_version (number, name) values (%s, %s)",
                    [migration.number, migration.name],
                )
                version = migration.number
        if upto is None:
            await apply_functions(
                connection, functions or stored_functions(), all_of_them=version > before
            )
    return version


@asynccontextmanager
async def one_at_a_time(pool: Pool) -> AsyncIterator[None]:
    """Let one process at a time make tables that others' code makes: it may collide with itself.

    Whoever waits asks again and again. `create index concurrently` waits for every statement that
    was begun before, and so for one that waits for its lock.
    """
    async with pool.connection() as connection:
        while True:
            row = await (await connection.execute(_TURN)).fetchone()
            if row and row["is_ours"]:
                break
            await asyncio.sleep(POLL_S)
        try:
            yield
        finally:
            await connection.execute(_NEXT)
