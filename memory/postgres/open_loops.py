"""Open loops in the ledger's database, a row each, with how far each chat was read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

import numpy as np
from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.open_loops import Loop, LoopKind, OpenLoop
from memory.open_loops.tracking import lapses_on
from memory.ports.open_loops import Kept, OpenLoops, Reach, Reading
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, stored_message
from memory.postgres.zones import named, read_zone

_SETTLED: Final = """
m.tenant = %(tenant)s and m.author in ('contact', 'agent', 'owner')
  and not m.withheld and not m.pending and m.content <> ''
  and not exists (select from turns t where t.turn_id = m.turn_id and t.state = 'running')
"""
_SAID: Final = f"""
select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
where m.session_id = %(session)s and {_SETTLED} and m.created_at >= %(since)s
  and (%(at)s::timestamptz is null or (m.created_at, m.seq) > (%(at)s, %(seq)s))
order by m.created_at desc, m.seq desc limit %(limit)s
"""
# Held against the chat's removal, and before the course: whoever removes it locks in this order.
_CHAT: Final = (
    "select session_id from sessions where tenant = %(tenant)s and thread_id = %(thread)s"
    " for key share"
)
_BEGUN: Final = (
    "insert into open_loop_courses (session_id, tenant) values (%(session)s, %(tenant)s)"
    " on conflict do nothing"
)
_COURSE: Final = (
    "select * from open_loop_courses where session_id = %(session)s and tenant = %(tenant)s"
    " for update"
)
_HELD: Final = (
    "select * from open_loops where session_id = %(session)s and tenant = %(tenant)s"
    " order by number, kind"
)
_CLEAR: Final = "delete from open_loops where session_id = %(session)s and tenant = %(tenant)s"
_INSERT: Final = """
insert into open_loops (uid, kind, session_id, tenant, changes, speaker, by_whom, content, said_at,
  zone, due, lapses_on, confidence, number, replies, vector)
values (%(uid)s, %(kind)s, %(session)s, %(tenant)s, %(changes)s, %(speaker)s, %(by)s, %(text)s,
  %(at)s, %(zone)s, %(due)s, %(lapses_on)s, %(confidence)s, %(number)s, %(replies)s, %(vector)s)
"""
_REACHED: Final = """
update open_loop_courses set version = version + 1, stale = false, made_by = %(made_by)s,
  last_at = %(last_at)s, last_seq = %(last_seq)s, tracker = %(tracker)s
where session_id = %(session)s and tenant = %(tenant)s
"""
# A day is over when it is over where it was said.
IS_OPEN: Final = "not m.withheld and l.lapses_on >= (now() at time zone l.zone)::date"
_LISTED: Final = f"""
select l.*, s.thread_id, m.anchor, m.contact_id from open_loops l
join messages m on m.uid = l.uid join sessions s on s.session_id = l.session_id
where l.tenant = %(tenant)s and {IS_OPEN}
  and (%(thread)s = '' or s.thread_id::text = %(thread)s)
  and (%(contact)s = '' or m.contact_id = %(contact)s)
order by l.due nulls last, l.said_at, l.uid, l.kind limit %(limit)s
"""
# No zone's day is further from UTC's than one, so that the index leads past what has lapsed.
_DUE: Final = """
select m.contact_id, count(*)::integer as due
from open_loops l join messages m on m.uid = l.uid
where l.tenant = %(tenant)s and l.due <= (%(now)s at time zone l.zone)::date and not m.withheld
  and l.lapses_on >= (%(now)s at time zone 'utc')::date - 1
  and l.lapses_on >= (now() at time zone l.zone)::date
group by m.contact_id
"""
_STATE: Final = f"""
select (select array_agg(l.uid::text) from open_loops l where l.session_id = s.session_id) as kept,
  (select array_agg(l.uid::text) from open_loops l join messages m on m.uid = l.uid
    where l.session_id = s.session_id and l.changes = m.changes and {_SETTLED}) as sound,
  coalesce(c.stale, false) as stale,
  exists (select from messages m where m.session_id = s.session_id and {_SETTLED}
    and m.created_at >= %(since)s
    and (c.last_at is null or (m.created_at, m.seq) > (c.last_at, c.last_seq))) as waits
from sessions s left join open_loop_courses c using (session_id)
where s.tenant = %(tenant)s and s.thread_id = %(thread)s
"""


class PostgresOpenLoops(OpenLoops):
    """`OpenLoops` on the tables `open_loops` and `open_loop_courses`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def read(
        self, tenant: str, thread_id: str, since: datetime, limit: int, *, anew: bool = False
    ) -> Reading | None:
        keys: dict[str, Any] = {"tenant": tenant, "thread": thread_id, "since": since}
        keys["limit"] = limit
        async with self._pool.connection() as connection, connection.transaction():
            row = await _locked(connection, keys)
            if row is None:
                return None
            keys |= {"at": None, "seq": None}
            reached = Reach(row["last_at"], row["last_seq"]) if row["last_at"] else None
            if reached and not anew and not row["stale"]:
                keys |= {"at": reached.at, "seq": reached.seq}
            held = await (await connection.execute(_HELD, keys)).fetchall()
            said = await (await connection.execute(_SAID.encode(), keys)).fetchall()
        return Reading(
            version=row["version"],
            made_by=row["made_by"],
            is_stale=row["stale"],
            reached=reached,
            tracker=row["tracker"],
            loops=[_open_loop(each) for each in held],
            said=[stored_message(each) for each in reversed(said)],
        )

    @override
    async def keep(self, tenant: str, thread_id: str, version: int, kept: Kept) -> bool:
        keys: dict[str, Any] = {"tenant": tenant, "thread": thread_id}
        async with self._pool.connection() as connection, connection.transaction():
            row = await _locked(connection, keys)
            if row is None or row["version"] != version:
                return False
            await connection.execute(_CLEAR, keys)
            rows = [{**keys, **_row(each)} for each in kept.loops]
            if rows:
                await connection.cursor().executemany(_INSERT, rows)
            course = {
                "made_by": kept.made_by,
                "last_at": kept.reached.at if kept.reached else None,
                "last_seq": kept.reached.seq if kept.reached else None,
                "tracker": Jsonb(kept.tracker) if kept.tracker is not None else None,
            }
            await connection.execute(_REACHED, {**keys, **course})
        return True

    @override
    async def listed(
        self,
        tenant: str,
        *,
        contact_id: str = "",
        thread_id: str = "",
        limit: int = 200,
    ) -> list[Loop]:
        keys = {"tenant": tenant, "contact": contact_id, "thread": thread_id, "limit": limit}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(_LISTED.encode(), keys)).fetchall()
        return [loop_of(row) for row in rows]

    @override
    async def due(self, tenant: str, now: datetime) -> dict[str, int]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_DUE, {"tenant": tenant, "now": now})
            return {row["contact_id"]: row["due"] for row in await cursor.fetchall()}

    @override
    async def unsettled(
        self, tenant: str, thread_id: str, since: datetime
    ) -> tuple[int, set[str], bool]:
        async with self._pool.connection() as connection:
            keys = {"tenant": tenant, "thread": thread_id, "since": since}
            row = await (await connection.execute(_STATE.encode(), keys)).fetchone()
        if row is None:
            return 0, set(), True
        kept = row["kept"] or []
        return len(kept), {*kept} - {*(row["sound"] or [])}, not (row["stale"] or row["waits"])


async def _locked(connection: AsyncConnection[DictRow], keys: dict[str, Any]) -> DictRow | None:
    """Lock a chat's course, begun where there is none; `keys` learn its session."""
    chat = await (await connection.execute(_CHAT, keys)).fetchone()
    if chat is None:
        return None
    keys["session"] = chat["session_id"]
    await connection.execute(_BEGUN, keys)
    return await (await connection.execute(_COURSE, keys)).fetchone()


def _row(loop: OpenLoop) -> Mapping[str, Any]:
    return {
        "uid": loop.uid,
        "kind": loop.kind,
        "changes": loop.changes,
        "speaker": loop.speaker,
        "by": loop.by,
        "text": loop.text,
        "at": loop.at,
        "zone": named(loop.at.tzinfo or UTC),
        "due": loop.due,
        "lapses_on": lapses_on(loop),
        "confidence": min(1.0, max(0.0, loop.confidence)),
        "number": loop.number,
        "replies": loop.replies,
        "vector": loop.vector.astype(np.float32).tobytes(),
    }


def _open_loop(row: DictRow) -> OpenLoop:
    return OpenLoop(
        uid=str(row["uid"]),
        kind=cast("LoopKind", row["kind"]),
        speaker=row["speaker"],
        by=row["by_whom"],
        text=row["content"],
        at=row["said_at"].astimezone(read_zone(row["zone"])),
        due=row["due"],
        confidence=row["confidence"],
        number=row["number"],
        vector=np.frombuffer(row["vector"], np.float32),
        replies=row["replies"],
        changes=row["changes"],
    )


def loop_of(row: DictRow, most: int | None = None) -> Loop:
    """Return a row as a loop, its text cut to so many characters."""
    text = " ".join(row["content"].split())
    if most and len(text) > most:
        text = text[: most - 1].rstrip() + "…"
    return Loop(
        uid=str(row["uid"]),
        kind=cast("LoopKind", row["kind"]),
        thread_id=str(row["thread_id"]),
        anchor=row["anchor"],
        contact_id=row["contact_id"],
        speaker=row["speaker"],
        by=row["by_whom"],
        text=text,
        said_at=row["said_at"].astimezone(read_zone(row["zone"])),
        due=row["due"],
        confidence=row["confidence"],
    )
