"""The queue library's tables: made and brought up to date as the library's own files say.

Procrastinate ships its schema as one file for a fresh database and as numbered migration files for
an older one, and keeps no record of what was applied. `queue_version` is that record.
"""

from __future__ import annotations

from importlib.resources import files

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from memory.errors import SchemaTooNew
from memory.postgres.pool import Pool

_LOCK = "recollect.migrations"
# A chat has one waiting job at most; without this a fetch compares each job with every other one.
_INDEX = (
    "create index if not exists recollect_jobs_of_chat on procrastinate_jobs (lock)"
    " where status in ('todo', 'doing')"
)


def queue_migrations() -> list[str]:
    """Return the names of the library's migration files, in order."""
    found = files("procrastinate.sql").joinpath("migrations").iterdir()
    return sorted(entry.name for entry in found if entry.name.endswith(".sql"))


async def migrate_queue(pool: Pool, fresh_from: str | None = None) -> str:
    """Bring the queue's tables up to date; return the last migration that is applied now.

    Processes that start together wait for each other. Needs `migrate` to have run. `fresh_from`
    makes a fresh queue from the migration files up to that one (for tests) instead of the schema.

    Raises:
        SchemaTooNew: the database has a migration that the installed library does not know.
    """
    known = queue_migrations()
    async with pool.connection() as connection:
        await connection.execute("select pg_advisory_lock(hashtextextended(%s, 0))", [_LOCK])
        try:
            applied = await _applied(connection)
            if applied is None and fresh_from is None:
                schema = files("procrastinate.sql").joinpath("schema.sql")
                await _apply(connection, schema.read_text(encoding="utf-8"), known[-1])
            elif applied is not None and applied > known[-1]:
                raise SchemaTooNew(
                    f"The database's queue has schema {applied}, the installed procrastinate knows"
                    f" {known[-1]}: install the newer version, or point RECOLLECT_DATABASE_URL"
                    " elsewhere."
                )
            else:
                await _upgrade(connection, known, applied or "", fresh_from or known[-1])
            await connection.execute(_INDEX.encode())
        finally:
            await connection.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", [_LOCK])
    return fresh_from or known[-1]


async def _applied(connection: AsyncConnection[DictRow]) -> str | None:
    cursor = await connection.execute("select max(migration) as last from queue_version")
    row = await cursor.fetchone()
    return row["last"] if row else None


async def _upgrade(
    connection: AsyncConnection[DictRow], known: list[str], applied: str, last: str
) -> None:
    folder = files("procrastinate.sql").joinpath("migrations")
    for name in known:
        if applied < name <= last:
            text = folder.joinpath(name).read_text(encoding="utf-8")
            await _apply(connection, text, name)


async def _apply(connection: AsyncConnection[DictRow], sql: str, name: str) -> None:
    # Each file by itself: a value that one adds to an enum cannot be used in the same transaction.
    async with connection.transaction():
        await connection.execute(sql.encode(), prepare=False)
        await connection.execute("insert into queue_version (migration) values (%s)", [name])
