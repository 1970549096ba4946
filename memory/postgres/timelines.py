"""A contact's messages by time, in the ledger's database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from typing_extensions import override

from memory.domain.chats import StoredMessage
from memory.ports.timelines import Timelines, Week
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, stored_message

# Of each chat no more than a page is read, by its index in time: an import has a million lines.
_SAID: Final = f"""
with heard as materialized (
  select s.session_id from sessions s
  where s.tenant = %(tenant)s and not s.is_group and s.contact_id = %(contact)s
  union
  select s.session_id from audiences a join sessions s
    on s.tenant = a.tenant and s.is_group
    and a.anchor = 'group:' || s.channel || ':' || s.account || ':' || s.chat_id
  where a.tenant = %(tenant)s and a.contact_id = %(contact)s
), found as (
  select w.* from heard h cross join lateral (
    select m.seq, m.created_at from messages m
    where m.session_id = h.session_id and m.created_at < %(before)s
      and m.author <> 'system' and not m.withheld
    order by m.created_at desc, m.seq desc limit %(limit)s
  ) w
  union all (
    select m.seq, m.created_at from messages m
    where m.tenant = %(tenant)s and m.contact_id = %(contact)s and m.created_at < %(before)s
      and m.author = 'contact' and not m.withheld
      and m.session_id not in (select session_id from heard)
    order by m.created_at desc, m.seq desc limit %(limit)s
  )
  order by created_at desc, seq desc limit %(limit)s
)
select {MESSAGE_COLUMNS} from found f join messages m on m.seq = f.seq
join sessions s using (session_id) where m.tenant = %(tenant)s
order by m.created_at, m.seq
"""

_WEEKS: Final = """
with said as (
  select date_trunc('week', m.created_at at time zone %(zone)s)::date as monday, t.mood
  from messages m left join moods t on t.uid = m.uid and t.changes = m.changes
  where m.tenant = %(tenant)s and m.contact_id = %(contact)s and m.author = 'contact'
    and not m.withheld
), counted as (
  select monday, mood, count(*) as n from said group by monday, mood
)
select monday, sum(n)::integer as messages,
  coalesce(jsonb_object_agg(mood, n) filter (where mood is not null), '{}') as moods
from counted group by monday order by monday desc limit %(limit)s
"""


class PostgresTimelines(Timelines):
    """`Timelines` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def said(
        self, tenant: str, contact_id: str, before: datetime | None, limit: int
    ) -> Sequence[StoredMessage]:
        keys: dict[str, object] = {"tenant": tenant, "contact": contact_id, "limit": limit}
        keys["before"] = before or "infinity"
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_SAID.encode(), keys)
            return [stored_message(row) for row in await cursor.fetchall()]

    @override
    async def weeks(self, tenant: str, contact_id: str, zone: tzinfo, limit: int) -> Sequence[Week]:
        keys = {"tenant": tenant, "contact": contact_id, "zone": _named(zone), "limit": limit}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_WEEKS, keys)
            rows = await cursor.fetchall()
        return [Week(row["monday"], row["messages"], row["moods"]) for row in reversed(rows)]


def _named(zone: tzinfo) -> str:
    """Return a zone as the database reads it: of an offset the POSIX way, west counting up."""
    if isinstance(zone, ZoneInfo):
        return zone.key
    minutes = (zone.utcoffset(None) or timedelta()) // timedelta(minutes=1)
    return f"{'-' if minutes >= 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
