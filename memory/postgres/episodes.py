"""Episodes in the ledger's database, a row each, with how far each chat was read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter
from typing_extensions import override

from memory.domain.chats import StoredMessage
from memory.domain.episodes import Episode, Summary
from memory.ports.episodes import Course, Episodes, Look, Place, Rewrite, Stretch
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, stored_message

_SETTLED: Final = """
m.tenant = %(tenant)s and m.author in ('contact', 'agent', 'owner')
  and not m.withheld and not m.pending and m.content <> ''
  and not exists (select from turns t where t.turn_id = m.turn_id and t.state = 'running')
"""
_SAID: Final = f"""
select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
where m.session_id = %(session)s and {_SETTLED} and {{where}}
order by m.created_at, m.seq limit %(limit)s
"""
_FROM: Final = "(m.created_at, m.seq) >= (%(at)s, %(seq)s)"
_AFTER: Final = "(m.created_at, m.seq) > (%(at)s, %(seq)s)"
_BEFORE: Final = "(m.created_at, m.seq) < (%(end_at)s, %(end_seq)s)"

# Held against the chat's removal, and before the course: whoever removes it locks in this order.
_CHAT: Final = (
    "select session_id from sessions where tenant = %(tenant)s and thread_id = %(thread)s"
    " for key share"
)
_BEGUN: Final = (
    "insert into episode_courses (session_id, tenant) values (%(session)s, %(tenant)s)"
    " on conflict do nothing"
)
_COURSE: Final = (
    "select * from episode_courses where session_id = %(session)s and tenant = %(tenant)s"
    " for update"
)
_NOTED: Final = """
update episode_courses set pending_from = null, pending_to = null,
  stale_from = %(stale_from)s, stale_to = %(stale_to)s
where session_id = %(session)s and tenant = %(tenant)s
"""
_HELD: Final = "select * from episodes where session_id = %(session)s and tenant = %(tenant)s"

_CLEAR: Final = """
delete from episodes where session_id = %(session)s and tenant = %(tenant)s
  and (%(since_at)s::timestamptz is null
    or (began_at, first_seq) >= (%(since_at)s, %(since_seq)s))
  and (%(until_at)s::timestamptz is null
    or (began_at, first_seq) < (%(until_at)s, %(until_seq)s))
"""
_INSERT: Final = """
insert into episodes (session_id, tenant, first_uid, began_at, first_seq, last_uid, ended_at,
  last_seq, turns, after_gap, is_open, digest, summarized, summary, chunks, vector_sum)
values (%(session)s, %(tenant)s, %(first_uid)s, %(began_at)s, %(first_seq)s, %(last_uid)s,
  %(ended_at)s, %(last_seq)s, %(turns)s, %(after_gap)s, %(is_open)s, %(digest)s, %(summarized)s,
  %(summary)s, %(chunks)s, %(vector_sum)s)
"""
_REACHED: Final = """
update episode_courses set version = version + 1, made_by = %(made_by)s,
  last_at = %(last_at)s, last_seq = %(last_seq)s, tracker = %(tracker)s,
  stale_from = case when %(clears)s then null else stale_from end,
  stale_to = case when %(clears)s then null else stale_to end
where session_id = %(session)s and tenant = %(tenant)s
"""

# An anchor is the one that the first message has now.
_LISTED: Final = """
with numbered as (
  select e.*, s.thread_id,
    row_number() over (partition by e.session_id order by e.began_at, e.first_seq) as number
  from episodes e join sessions s using (session_id)
  where e.tenant = %(tenant)s and e.session_id in ({chats})
)
select n.*, m.anchor from numbered n join messages m on m.uid = n.first_uid
where {where} order by n.began_at desc, n.first_seq desc limit %(limit)s
"""
_BEGAN: Final = "n.began_at >= %(since)s and n.began_at < %(until)s"
_OF_CHAT: Final = (
    "select session_id from sessions where tenant = %(tenant)s and thread_id = %(thread)s"
)
_OF_ANCHORS: Final = (
    "select session_id from messages where tenant = %(tenant)s and anchor = any(%(anchors)s)"
)
_EARLIER: Final = (
    "(n.began_at, n.first_seq) <"
    " (select created_at, seq from messages where tenant = %(tenant)s and uid = %(before)s)"
)
_OVER: Final = """
select e.*, s.thread_id, m.anchor, (select count(*) from episodes b
    where b.session_id = e.session_id
      and (b.began_at, b.first_seq) <= (e.began_at, e.first_seq)) as number
from messages m join episodes e
  on (e.session_id, e.began_at, e.first_seq) = (m.session_id, m.created_at, m.seq)
join sessions s on s.session_id = e.session_id
where m.tenant = %(tenant)s and m.uid = any(%(uids)s::uuid[]) and not e.is_open
  and e.summary is not null
"""
_SUMS: Final = """
select e.first_uid, e.vector_sum from messages m
join episodes e on (e.session_id, e.began_at, e.first_seq) = (m.session_id, m.created_at, m.seq)
join episode_courses c on c.session_id = e.session_id
where m.tenant = %(tenant)s and m.uid = any(%(uids)s::uuid[])
  and right(c.made_by, length(%(embedder)s) + 1) = '+' || %(embedder)s
  and e.vector_sum is not null
"""
_SILENT: Final = """
select s.thread_id from episodes e join sessions s using (session_id)
where e.tenant = %s and e.is_open and e.ended_at < %s order by e.ended_at limit %s
"""
_DIGESTS: Final = f"""
select m.created_at, m.seq, m.uid, m.changes from messages m join sessions s using (session_id)
where s.thread_id = %(thread)s and {_SETTLED} order by m.created_at, m.seq
"""

_SUMMARY: Final = TypeAdapter(Summary)
_SUMMARIES: Final = TypeAdapter(tuple[Summary, ...])


class PostgresEpisodes(Episodes):
    """`Episodes` on the tables `episodes` and `episode_courses`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def look(self, tenant: str, thread_id: str, limit: int) -> Look | None:
        keys: dict[str, object] = {"tenant": tenant, "thread": thread_id, "limit": limit}
        async with self._pool.connection() as connection, connection.transaction():
            # Until it is read what was said, nobody notes that more was.
            row = await _locked(connection, keys)
            if row is None:
                return None
            stale = _stale(row)
            begins, ends = stale or (None, None)
            await connection.execute(_NOTED, {**keys, "stale_from": begins, "stale_to": ends})
            cursor = await connection.execute(f"{_HELD} and is_open".encode(), keys)
            opened = await cursor.fetchone()
            held = _stretch(opened) if opened else None
            course = _course(row, stale)
            since = held.first if held else course.reached
            where = "true" if since is None else _FROM if held else _AFTER
            said = await _said(connection, where, {**keys, **_at(since)})
        return Look(course, held, said)

    @override
    async def said(
        self, tenant: str, thread_id: str, since: Place | None, until: Place, limit: int
    ) -> list[StoredMessage]:
        keys: dict[str, object] = {"tenant": tenant, "thread": thread_id, "limit": limit}
        keys |= {**_at(since), "end_at": until.at, "end_seq": until.seq}
        async with self._pool.connection() as connection, connection.transaction():
            if await _locked(connection, keys) is None:
                return []
            where = f"{_FROM} and {_BEFORE}" if since else _BEFORE
            return await _said(connection, where, keys)

    @override
    async def stretches(
        self, tenant: str, thread_id: str, last: int | None = None
    ) -> list[Stretch]:
        query = (
            "select e.* from episodes e where e.tenant = %(tenant)s"
            f" and e.session_id in ({_OF_CHAT})"
            " order by e.began_at desc, e.first_seq desc limit %(last)s"
        )
        rows = await self._rows(query, tenant, thread=thread_id, last=last)
        return [_stretch(row) for row in reversed(rows)]

    @override
    async def keep(self, tenant: str, thread_id: str, version: int, rewrite: Rewrite) -> bool:
        keys: dict[str, object] = {"tenant": tenant, "thread": thread_id}
        reached = rewrite.reached
        async with self._pool.connection() as connection, connection.transaction():
            row = await _locked(connection, keys)
            if row is None or row["version"] != version:
                return False
            if reached and row["pending_from"] and row["pending_from"] < reached.at:
                return False
            await connection.execute(_CLEAR, {**keys, **_bounds(rewrite)})
            rows = [{**keys, **_row(each)} for each in rewrite.stretches]
            if rows:
                await connection.cursor().executemany(_INSERT, rows)
            course = {
                "made_by": rewrite.made_by,
                "last_at": reached.at if reached else None,
                "last_seq": reached.seq if reached else None,
                "tracker": rewrite.tracker,
                "clears": rewrite.clears_stale,
            }
            await connection.execute(_REACHED, {**keys, **course})
        return True

    @override
    async def of_chat(self, tenant: str, thread_id: str, limit: int) -> list[Episode]:
        query = _LISTED.format(chats=_OF_CHAT, where="true")
        rows = await self._rows(query, tenant, thread=thread_id, limit=limit)
        return [_episode(row) for row in rows]

    @override
    async def of_anchors(
        self,
        tenant: str,
        anchors: Sequence[str],
        limit: int,
        before: str | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Episode]:
        earlier = f" and {_EARLIER}" if before else ""
        where = f"m.anchor = any(%(anchors)s) and {_BEGAN}{earlier}"
        span = {"since": since or "-infinity", "until": until or "infinity", "before": before}
        query = _LISTED.format(chats=_OF_ANCHORS, where=where)
        rows = await self._rows(query, tenant, anchors=list(anchors), limit=limit, **span)
        return [_episode(row) for row in rows]

    @override
    async def over(self, tenant: str, uids: Collection[str]) -> list[Episode]:
        if not uids:
            return []
        order = {uid: number for number, uid in enumerate(uids)}
        rows = await self._rows(_OVER, tenant, uids=list(order))
        return sorted(map(_episode, rows), key=lambda each: order[each.first_uid])

    @override
    async def vector_sums(
        self, tenant: str, uids: Collection[str], embedder: str
    ) -> Mapping[str, bytes]:
        rows = await self._rows(_SUMS, tenant, uids=list(uids), embedder=embedder)
        return {str(row["first_uid"]): bytes(row["vector_sum"]) for row in rows}

    @override
    async def silent(self, tenant: str, since: datetime, limit: int) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_SILENT, [tenant, since, limit])
            return [str(row["thread_id"]) for row in await cursor.fetchall()]

    @override
    async def digests(self, tenant: str, thread_id: str) -> Mapping[Place, str]:
        rows = await self._rows(_DIGESTS, tenant, thread=thread_id)
        return {
            Place(row["created_at"], row["seq"]): f"{row['uid']}:{row['changes']}" for row in rows
        }

    async def _rows(self, query: str, tenant: str, **keys: object) -> list[DictRow]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), {"tenant": tenant, **keys})
            return await cursor.fetchall()


async def _locked(connection: AsyncConnection[DictRow], keys: dict[str, object]) -> DictRow | None:
    """Lock a chat's course, begun where there is none; `keys` learn its session."""
    chat = await (await connection.execute(_CHAT, keys)).fetchone()
    if chat is None:
        return None
    keys["session"] = chat["session_id"]
    await connection.execute(_BEGUN, keys)
    return await (await connection.execute(_COURSE, keys)).fetchone()


async def _said(
    connection: AsyncConnection[DictRow], where: str, keys: Mapping[str, object]
) -> list[StoredMessage]:
    cursor = await connection.execute(_SAID.format(where=where).encode(), keys)
    return [stored_message(row) for row in await cursor.fetchall()]


def _stale(row: DictRow) -> tuple[datetime, datetime] | None:
    """Return from when to when what was taken in is not so, with what came since the last look."""
    reached = row["last_at"]
    stale, said = ((row[f"{kind}_from"], row[f"{kind}_to"]) for kind in ("stale", "pending"))
    late = [stale] if reached and stale[0] and stale[0] <= reached else []
    # Of the same moment it arrived later, and is in its place; many clocks tell minutes.
    late += [said] if reached and said[0] and said[0] < reached else []
    if not late:
        return None
    return min(begin for begin, _ in late), min(reached, max(end for _, end in late))


def _course(row: DictRow, stale: tuple[datetime, datetime] | None) -> Course:
    reached = Place(row["last_at"], row["last_seq"]) if row["last_at"] else None
    return Course(row["version"], row["made_by"], reached, stale, row["tracker"] or b"")


def _at(place: Place | None) -> dict[str, object]:
    return {"at": place.at, "seq": place.seq} if place else {}


def _bounds(rewrite: Rewrite) -> dict[str, object]:
    since, until = rewrite.since, rewrite.until
    return {
        "since_at": since.at if since else None,
        "since_seq": since.seq if since else None,
        "until_at": until.at if until else None,
        "until_seq": until.seq if until else None,
    }


def _row(stretch: Stretch) -> dict[str, Any]:  # Any: parameters of a statement
    summary = stretch.summary
    return {
        "first_uid": stretch.first_uid,
        "began_at": stretch.first.at,
        "first_seq": stretch.first.seq,
        "last_uid": stretch.last_uid,
        "ended_at": stretch.last.at,
        "last_seq": stretch.last.seq,
        "turns": stretch.turns,
        "after_gap": stretch.after_gap,
        "is_open": stretch.is_open,
        "digest": stretch.digest,
        "summarized": stretch.summarized,
        "summary": Jsonb(_SUMMARY.dump_python(summary, mode="json")) if summary else None,
        "chunks": Jsonb(_SUMMARIES.dump_python(stretch.chunks, mode="json")),
        "vector_sum": stretch.vector_sum or None,
    }


def _stretch(row: DictRow) -> Stretch:
    return Stretch(
        first_uid=str(row["first_uid"]),
        first=Place(row["began_at"], row["first_seq"]),
        last_uid=str(row["last_uid"]),
        last=Place(row["ended_at"], row["last_seq"]),
        turns=row["turns"],
        after_gap=row["after_gap"],
        is_open=row["is_open"],
        digest=row["digest"],
        summarized=row["summarized"],
        summary=_SUMMARY.validate_python(row["summary"]) if row["summary"] else None,
        chunks=_SUMMARIES.validate_python(row["chunks"]),
        vector_sum=bytes(row["vector_sum"] or b""),
    )


def _episode(row: DictRow) -> Episode:
    kept = _stretch(row)
    return Episode(
        episode_id=kept.first_uid,
        tenant=row["tenant"],
        thread_id=str(row["thread_id"]),
        anchor=row["anchor"],
        number=row["number"],
        first_uid=kept.first_uid,
        last_uid=kept.last_uid,
        began_at=kept.first.at,
        ended_at=kept.last.at,
        turns=kept.turns,
        is_open=kept.is_open,
        summary=kept.summary,
        chunks=kept.chunks,
    )
