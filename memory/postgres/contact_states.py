"""What contacts are like, in the ledger's database: a row a message, and a row a contact."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter
from typing_extensions import override

from memory.domain.contacts import ContactRow, Course, Mark, Marked
from memory.ports.contact_states import ContactStates, KeptMark
from memory.postgres.paging import PAGE
from memory.postgres.pool import Pool

_COLUMNS: Final = "contact_id, told_name, said_name, channel, zone, made_by, version, course"

_OF: Final = f"""
select {_COLUMNS} from contact_states where tenant = %s and contact_id = any(%s)
"""

_LISTING: Final = f"""
select {_COLUMNS} from contact_states
where tenant = %(tenant)s and contact_id > %(after)s and (%(words)s = ''
  or strpos(lower(told_name || chr(31) || said_name || chr(31) || contact_id),
            lower(%(words)s)) > 0)
order by contact_id limit %(limit)s
"""

_KEEP: Final = f"""
insert into contact_states as c (tenant, {_COLUMNS})
select %(tenant)s, r.contact_id, r.told_name, r.said_name, r.channel, r.zone, r.made_by,
  r.version + 1, r.course
from jsonb_to_recordset(%(rows)s) as r(contact_id text, told_name text, said_name text,
  channel text, zone text, made_by text, version bigint, course jsonb)
order by r.contact_id
on conflict (tenant, contact_id) do update set told_name = excluded.told_name,
  said_name = excluded.said_name, channel = excluded.channel, zone = excluded.zone,
  made_by = excluded.made_by, version = excluded.version, course = excluded.course
where c.version = excluded.version - 1
returning c.contact_id
"""

# The later state of a message stays, whoever writes last.
_MARK: Final = """
insert into moods as t (uid, tenant, made_by, changes, mood, confidence, energy, language)
select m.uid, m.tenant, %(made_by)s, g.changes, g.mood, g.confidence, g.energy, g.language
from unnest(%(uids)s::uuid[], %(changes)s::integer[], %(moods)s::text[], %(confidences)s::float8[],
  %(energies)s::float8[], %(languages)s::text[])
  as g (uid, changes, mood, confidence, energy, language)
join messages m on m.uid = g.uid and m.tenant = %(tenant)s
order by m.uid for key share of m
on conflict (uid) do update set made_by = excluded.made_by, changes = excluded.changes,
  mood = excluded.mood, confidence = excluded.confidence, energy = excluded.energy,
  language = excluded.language
where t.changes <= excluded.changes
"""

_THAT_HOLD: Final = """
from messages m join moods t on t.uid = m.uid and t.changes = m.changes
join sessions s using (session_id)
where m.tenant = %s and m.contact_id = %s and m.author = 'contact' and not m.withheld
  and m.content <> ''
"""

_MARKS: Final = f"""
select t.uid, t.changes, t.made_by, t.mood, t.confidence, t.energy, t.language,
  m.created_at, m.seq, m.actor_name, s.channel
{_THAT_HOLD} order by m.created_at, m.seq
"""

_UNTIL: Final = f"""
select count(*) as marks {_THAT_HOLD} and (m.created_at, m.seq) <= (%s, %s)
"""

_COURSE: Final = TypeAdapter(Course)


class PostgresContactStates(ContactStates):
    """`ContactStates` on the tables `moods` and `contact_states`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def of(self, tenant: str, contact_ids: Collection[str]) -> Mapping[str, ContactRow]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF.encode(), [tenant, list(contact_ids)])
            return {row["contact_id"]: contact_row(row) for row in await cursor.fetchall()}

    @override
    async def listing(
        self, tenant: str, words: str, after: str, limit: int
    ) -> Sequence[ContactRow]:
        keys = {"tenant": tenant, "words": words, "after": after, "limit": limit}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_LISTING.encode(), keys)
            return [contact_row(row) for row in await cursor.fetchall()]

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select contact_id from contact_states where tenant = %s", [tenant]
            )
            return sorted(row["contact_id"] for row in await cursor.fetchall())

    @override
    async def keep(self, tenant: str, rows: Sequence[ContactRow]) -> set[str]:
        given = [
            {
                "contact_id": row.contact_id,
                "told_name": row.told_name,
                "said_name": row.said_name,
                "channel": row.channel,
                "zone": row.zone,
                "made_by": row.made_by,
                "version": row.version,
                "course": _COURSE.dump_python(row.course, mode="json"),
            }
            for row in rows
        ]
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                _KEEP.encode(), {"tenant": tenant, "rows": Jsonb(given)}
            )
            return {row["contact_id"] for row in await cursor.fetchall()}

    @override
    async def drop(self, tenant: str, contact_id: str) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "delete from contact_states where tenant = %s and contact_id = %s",
                [tenant, contact_id],
            )

    @override
    async def mark(
        self, tenant: str, made_by: str, entries: Sequence[tuple[str, int, Mark]]
    ) -> None:
        keys = {
            "tenant": tenant,
            "made_by": made_by,
            "uids": [uid for uid, _, _ in entries],
            "changes": [changes for _, changes, _ in entries],
            "moods": [mark.mood for _, _, mark in entries],
            "confidences": [mark.confidence for _, _, mark in entries],
            "energies": [mark.energy for _, _, mark in entries],
            "languages": [mark.language for _, _, mark in entries],
        }
        async with self._pool.connection() as connection:
            await connection.execute(_MARK, keys)

    @override
    async def unmark(self, tenant: str, uids: Collection[str]) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "delete from moods where tenant = %s and uid = any(%s::uuid[])",
                [tenant, sorted(uids)],
            )

    @override
    async def marks_until(self, tenant: str, contact_id: str, at: datetime, seq: int) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_UNTIL.encode(), [tenant, contact_id, at, seq])
            row = await cursor.fetchone()
        return int(row["marks"]) if row else 0

    @override
    async def marks_of(self, tenant: str, contact_id: str) -> AsyncGenerator[Sequence[KeptMark]]:
        # No cursor of the server's: a reading that is cut off would leave it open.
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_MARKS.encode(), [tenant, contact_id])
            while rows := await cursor.fetchmany(PAGE):
                yield [_kept(row) for row in rows]


def contact_row(row: Mapping[str, Any]) -> ContactRow:  # Any: values of a row, or JSON
    """Return what is kept of a contact, of a row of `contact_states` without its tenant."""
    return ContactRow(**{**row, "course": _COURSE.validate_python(row["course"])})


def _kept(row: DictRow) -> KeptMark:
    mark = Mark(row["mood"], row["confidence"], row["energy"], row["language"])
    marked = Marked(row["created_at"].astimezone(UTC), row["seq"], mark)
    uid, changes, made_by = str(row["uid"]), row["changes"], row["made_by"]
    return KeptMark(uid, changes, made_by, marked, row["actor_name"], row["channel"])
