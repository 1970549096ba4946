"""Numbered SQL files, applied in order under a lock; a newer schema is refused."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from memory.errors import SchemaTooNew
from memory.postgres.pool import Pool

_LOCK = "recollect.migrations"


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


async def migrate(pool: Pool, upto: int | None = None) -> int:
    """Bring the schema up to date; return the version it has now.

    Processes that start together wait for each other. `upto` stops early (for tests).

    Raises:
        SchemaTooNew: the database has a migration that this version does not know.
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
        for migration in known:
            if migration.number > version and (upto is None or migration.number <= upto):
                await connection.execute(migration.sql.encode(), prepare=False)
                await connection.execute(
                    "insert into schema_version (number, name) values (%s, %s)",
                    [migration.number, migration.name],
                )
                version = migration.number
    return version
