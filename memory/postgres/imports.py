"""Imports and who may hear them, on Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.imports import Extent, ImportPlan, ImportState, KnownChat, Line
from memory.errors import ImportErased
from memory.ports.imports import Imports
from memory.postgres.pool import Pool
from memory.postgres.rows import storable
from memory.recall.passages import MAX_PASSAGE_CHARS

_MESSAGES_OF = """
select count(*) as messages,
  count(distinct m.contact_id) filter (where m.author = 'contact') as people,
  min(m.created_at) as first, max(m.created_at) as last,
  count(*) filter (where length(m.content) > %(shown)s) as long
from messages m join sessions s using (session_id)
where s.tenant = %(tenant)s and s.thread_id = any(%(threads)s::uuid[])
"""

_BEGIN = """
insert into imports
  (tenant, digest, kind, file_name, reading, contact_id, speaker, anchors, threads, total, known)
select %(tenant)s, %(digest)s, %(kind)s, %(file_name)s, %(reading)s, %(contact_id)s, %(speaker)s,
  %(anchors)s, %(threads)s::uuid[], %(total)s,
  (select count(*) from messages m join sessions s using (session_id)
   where s.tenant = %(tenant)s and s.thread_id = any(%(threads)s::uuid[]))
where not is_erased(%(tenant)s, 'import:' || %(digest)s)
on conflict (tenant, digest) do nothing
"""

_AUDIENCE = """
insert into audiences (tenant, contact_id, anchor)
select tenant, contact_id, anchor from imports, unnest(anchors) as anchor
where tenant = %(tenant)s and digest = %(digest)s
on conflict do nothing
"""

# What is new is counted in the transcript: a count kept on the way would miss what a killed
# process had recorded.
_STATE = """
select i.*, (select count(*) from messages m join sessions s using (session_id)
  where s.tenant = i.tenant and s.thread_id = any(i.threads)) - known as new
from imports i where tenant = %s
"""

_KNOWN_CHATS = """
select c.anchor, h.message_id, h.actor_name, h.created_at,
  (select max(created_at) from messages where session_id = s.session_id) as last
from (
  select distinct anchor, thread
  from imports, unnest(anchors, threads) as chat(anchor, thread)
  where tenant = %(tenant)s and kind = %(kind)s
) c
join sessions s on s.thread_id = c.thread
cross join lateral (
  select message_id, actor_name, created_at, seq from messages
  where session_id = s.session_id and author = 'contact' and content <> ''
  order by created_at, seq limit %(lines)s
) h
order by c.anchor, h.created_at, h.seq
"""


class PostgresImports(Imports):
    """`memory.ports.imports.Imports` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def find(self, tenant: str, digest: str) -> ImportState | None:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                (_STATE + " and digest = %s").encode(), [tenant, digest]
            )
            row = await cursor.fetchone()
        return _state(row) if row else None

    @override
    async def begin(self, plan: ImportPlan) -> ImportState:
        keys = {
            "tenant": plan.tenant,
            "digest": plan.digest,
            "kind": plan.kind,
            "file_name": storable(plan.file_name),
            "reading": plan.reading,
            "contact_id": storable(plan.contact_id),
            "speaker": storable(plan.speaker),
            "anchors": [storable(anchor) for _, anchor in plan.chats],
            "threads": [chat.thread_id for chat, _ in plan.chats],
            "total": plan.total,
        }
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_BEGIN, keys)
            await connection.execute(_AUDIENCE, keys)
        state = await self.find(plan.tenant, plan.digest)
        if state is None:
            raise ImportErased
        return state

    @override
    async def advance(self, tenant: str, import_id: int, position: int, facts: int) -> None:
        is_there = await self._run(
            "update imports set position = greatest(position, %s), facts = facts + %s"
            " where tenant = %s and import_id = %s",
            [position, facts, tenant, import_id],
        )
        if not is_there:
            raise ImportErased

    @override
    async def finish(self, tenant: str, import_id: int) -> None:
        await self._run(
            "update imports set finished_at = coalesce(finished_at, now())"
            " where tenant = %s and import_id = %s",
            [tenant, import_id],
        )

    @override
    async def listing(self, tenant: str) -> list[ImportState]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                (_STATE + " order by import_id desc").encode(), [tenant]
            )
            return [_state(row) for row in await cursor.fetchall()]

    @override
    async def extent(self, tenant: str, import_id: int) -> Extent:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select threads from imports where tenant = %s and import_id = %s",
                [tenant, import_id],
            )
            row = await cursor.fetchone()
            threads = row["threads"] if row else []
            keys = {"tenant": tenant, "threads": threads, "shown": MAX_PASSAGE_CHARS}
            cursor = await connection.execute(_MESSAGES_OF, keys)
            found = await cursor.fetchone()
        if found is None:
            return Extent(0, 0, None, None)
        return Extent(
            found["messages"],
            found["people"],
            _utc(found["first"]),
            _utc(found["last"]),
            found["long"],
        )

    @override
    async def known_chats(self, tenant: str, kind: str, lines: int) -> list[KnownChat]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                _KNOWN_CHATS.encode(), {"tenant": tenant, "kind": kind, "lines": lines}
            )
            found = groupby(await cursor.fetchall(), key=itemgetter("anchor"))
        return [_known(anchor, list(rows)) for anchor, rows in found]

    async def _run(self, statement: str, parameters: Sequence[object]) -> bool:
        """Run a statement; return whether it changed anything."""
        async with self._pool.connection() as connection:
            return (await connection.execute(statement.encode(), parameters)).rowcount > 0


def _state(row: DictRow) -> ImportState:
    return ImportState(
        import_id=row["import_id"],
        kind=row["kind"],
        file_name=row["file_name"],
        reading=row["reading"],
        contact_id=row["contact_id"],
        speaker=row["speaker"],
        anchors=tuple(row["anchors"]),
        total=row["total"],
        position=row["position"],
        new=max(row["new"], 0),
        facts=row["facts"],
        began_at=row["began_at"].astimezone(UTC),
        finished_at=_utc(row["finished_at"]),
    )


def _known(anchor: str, rows: Sequence[DictRow]) -> KnownChat:
    head = tuple(
        Line(row["message_id"], row["actor_name"], row["created_at"].astimezone(UTC))
        for row in rows
    )
    return KnownChat(anchor, head, rows[0]["last"].astimezone(UTC))


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
