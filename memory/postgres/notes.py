"""Notes on Postgres: rows beside the ledger's lines, which hold their texts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.notes import MemoryKind, Note, Place
from memory.ports.notes import Notes
from memory.postgres.pool import Pool
from memory.postgres.rows import chat_of

_KEEP: Final = """
insert into notes (uid, tenant, kind)
select m.uid, m.tenant, %(kind)s from messages m where m.uid = %(uid)s and m.tenant = %(tenant)s
on conflict do nothing
"""

_NOTES: Final = """
select n.uid, n.tenant, n.kind, m.contact_id, m.anchor, m.content, m.created_at
from notes n join messages m on m.uid = n.uid and m.tenant = n.tenant
where n.tenant = %(tenant)s and n.forgotten_at is null and m.content <> ''
"""

_NEAR: Final = f"""
{_NOTES} and (n.kind = 'reflective' or m.anchor = %(anchor)s)
order by m.created_at desc, m.seq desc limit %(limit)s
"""

_EVERY: Final = f"{_NOTES} order by m.created_at, m.seq"

_FORGET: Final = """
update notes set forgotten_at = %s
where tenant = %s and uid = any(%s::uuid[]) and forgotten_at is null
"""

_PLACE: Final = """
select tenant, channel, account, chat_id, topic, contact_id, is_group from sessions
where tenant = %s and channel = %s and account = %s and chat_id = %s
order by started_at desc limit 1
"""


class PostgresNotes(Notes):
    """`Notes` on the table of that name."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(self, tenant: str, uid: str, kind: MemoryKind) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(_KEEP, {"tenant": tenant, "uid": uid, "kind": kind})

    @override
    async def near(self, tenant: str, anchor: str, limit: int) -> list[Note]:
        asked = {"tenant": tenant, "anchor": anchor, "limit": limit}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_NEAR.encode(), asked)
            return [_note(row) for row in await cursor.fetchall()]

    @override
    async def every(self, tenant: str) -> list[Note]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_EVERY.encode(), {"tenant": tenant})
            return [_note(row) for row in await cursor.fetchall()]

    @override
    async def forget(self, tenant: str, uids: Sequence[str], at: datetime) -> int:
        async with self._pool.connection() as connection:
            return (await connection.execute(_FORGET, [at, tenant, list(uids)])).rowcount

    @override
    async def place(self, tenant: str, channel: str, account: str, chat_id: str) -> Place | None:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_PLACE, [tenant, channel, account, chat_id])
            row = await cursor.fetchone()
        return Place(chat_of(row), row["contact_id"], row["is_group"]) if row else None


def _note(row: DictRow) -> Note:
    return Note(
        uid=str(row["uid"]),
        tenant=row["tenant"],
        kind=row["kind"],
        contact_id=row["contact_id"],
        anchor=row["anchor"],
        text=row["content"],
        written_at=row["created_at"].astimezone(UTC),
    )
