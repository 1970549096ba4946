"""Stored functions: each a whole file, applied where the database has an earlier one.

`functions/NAME.sql` is one `create or replace function`, below a comment that says what it does.
`functions/checksums.txt` has a line `NAME CHECKSUM` for every definition that ever was, the newest
of each function last, and `schema_functions` what the database has. That orders them without a
number: what the lines know and the file is not is earlier, and replaced; what they do not know is
of a newer version, and refused. A definition that came back in the same words would be earlier and
newer at once: no line stands there twice.

To change a function, edit its file and append the line that `test_function_files.py` asks for.
Whatever the file cannot do is a numbered migration of the same version: dropping a function, or the
one before where arguments or what is returned change (`drop function if exists`), a table, and an
index made of what a function returns. A new trigger is `create or replace trigger` in the file of
its function. Migrations run before the files: a migration that needs a function finds that of the
version the database comes from, on a fresh one that of migration 47.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from memory.errors import SchemaTooNew

_BEGINNING = "create or replace function "
_RECORD = (
    "insert into schema_functions (name, checksum) values (%s, %s)"
    " on conflict (name) do update set checksum = excluded.checksum, applied_at = now()"
)


@dataclass(frozen=True, slots=True)
class StoredFunctions:
    """The functions of one version, by name, and the checksums of all that went before."""

    texts: Mapping[str, str]
    released: Mapping[str, tuple[str, ...]]

    @property
    def checksums(self) -> dict[str, str]:
        """What each function's file is now; the comment above it does not count."""
        return {
            name: sha256(text[text.index(_BEGINNING) :].encode()).hexdigest()
            for name, text in self.texts.items()
        }


def stored_functions(folder: Traversable | None = None) -> StoredFunctions:
    """Read the functions of this version, or those of another folder (for tests)."""
    folder = folder or files("memory.postgres").joinpath("functions")
    texts = {
        entry.name.removesuffix(".sql"): entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".sql")
    }
    released: dict[str, tuple[str, ...]] = {}
    for line in folder.joinpath("checksums.txt").read_text(encoding="utf-8").splitlines():
        name, checksum = line.split()
        released[name] = (*released.get(name, ()), checksum)
    return StoredFunctions(texts, released)


async def apply_functions(
    connection: AsyncConnection[DictRow], functions: StoredFunctions, *, all_of_them: bool
) -> None:
    """Bring the database's functions up to date, in the caller's transaction and under its lock.

    Where they are, that costs one statement. `all_of_them` applies those, too, that are as they
    should be: a migration may have dropped one with what it stood on.

    Raises:
        SchemaTooNew: the database has a function that this version does not know.
    """
    cursor = await connection.execute("select name, checksum from schema_functions")
    applied = {row["name"]: row["checksum"] for row in await cursor.fetchall()}
    wanted = functions.checksums
    newer = [
        name
        for name, checksum in sorted(applied.items())
        if checksum not in (wanted.get(name), *functions.released.get(name, ()))
    ]
    if newer:
        raise SchemaTooNew(
            f"The database has newer functions than this version knows ({', '.join(newer)}):"
            " install the newer version, or point RECOLLECT_DATABASE_URL elsewhere."
        )
    due = [name for name in sorted(wanted) if all_of_them or applied.get(name) != wanted[name]]
    if due:
        # One may call another that comes after it.
        await connection.execute("set local check_function_bodies = off")
    for name in due:
        await connection.execute(functions.texts[name].encode(), prepare=False)
        await connection.execute(_RECORD, [name, wanted[name]])
    if gone := sorted(applied.keys() - wanted.keys()):
        await connection.execute("delete from schema_functions where name = any(%s)", [gone])
