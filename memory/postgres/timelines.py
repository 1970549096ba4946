"""A contact's messages by time, in the ledger's database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, tzinfo
from typing import Final

from typing_extensions import override

from memory.domain.chats import StoredMessage
from memory.ports.timelines import Activity, Timelines, Week, WeekOfAuthors
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, stored_message
from memory.postgres.zones import named

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


# Replies to the contact in groups say when it was answered, and are nothing that was said with it.
_ACTIVITY: Final = """
with said as materialized (
  select m.author, m.turn_id, m.created_at, m.created_at at time zone %(zone)s as local,
    m.pending, m.is_command, m.withheld, m.revoked_at, coalesce(m.said, m.content) = '' as is_empty,
    not s.is_group as is_direct
  from messages m join sessions s using (session_id)
  where m.tenant = %(tenant)s and m.contact_id = %(contact)s and m.author <> 'system'
    and not (m.author = 'owner' and m.is_command)
), replies as (
  select turn_id, min(created_at) as at from said
  where author = 'agent' and turn_id is not null group by turn_id
), asked as (
  select s.*, extract(epoch from r.at - s.created_at) as reply_s
  from said s left join replies r on r.turn_id = s.turn_id where s.author = 'contact'
), judged as (
  select local, reply_s, case
    when is_command then 'command' when reply_s is not null then 'answered'
    when pending then 'waiting' when revoked_at is not null then 'deleted'
    when is_empty then 'no words'
    when turn_id is null then case when withheld then 'kept out' else 'imported' end
    else coalesce(
      (select a.outcome from audit a
        where a.turn_id <> '' and a.turn_id = asked.turn_id::text and a.kind = 'gate'
          and a.tenant = %(tenant)s
        limit 1),
      (select case t.state when 'done' then 'not called for' else t.state end
        from turns t where t.turn_id = asked.turn_id))
    end as why
  from asked
)
select
  (select coalesce(jsonb_agg(jsonb_build_array(monday, n) order by monday), '[]') from (
    select monday, jsonb_object_agg(author, many) as n from (
      select date_trunc('week', local)::date as monday, author, count(*) as many from said
      where is_direct or author = 'contact' group by 1, 2) w group by monday) weeks) as weeks,
  (select coalesce(jsonb_object_agg(hour, many), '{}') from (
    select extract(hour from local)::integer as hour, count(*) as many from judged
    group by 1) h) as hours,
  (select coalesce(jsonb_object_agg(why, many), '{}') from (
    select why, count(*) as many from judged group by 1) r) as reasons,
  (select percentile_cont(0.5) within group (order by greatest(reply_s, 0)) from judged
    where why = 'answered') as reply_s
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
        keys = {"tenant": tenant, "contact": contact_id, "zone": named(zone), "limit": limit}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_WEEKS, keys)
            rows = await cursor.fetchall()
        return [Week(row["monday"], row["messages"], row["moods"]) for row in reversed(rows)]

    @override
    async def activity(self, tenant: str, contact_id: str, zone: tzinfo) -> Activity:
        keys = {"tenant": tenant, "contact": contact_id, "zone": named(zone)}
        async with self._pool.connection() as connection:
            row = await (await connection.execute(_ACTIVITY.encode(), keys)).fetchone()
        if row is None:
            return Activity()
        reasons = dict(row["reasons"])
        return Activity(
            [WeekOfAuthors(date.fromisoformat(monday), many) for monday, many in row["weeks"]],
            [row["hours"].get(str(hour), 0) for hour in range(24)],
            reasons.pop("answered", 0),
            None if row["reply_s"] is None else float(row["reply_s"]),
            dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0]))),
        )
