"""Which deliveries may be taken now, and which attempts nobody is making any more."""

from __future__ import annotations

from psycopg.rows import DictRow

from memory.domain.work import Delivery
from memory.postgres.locks import HELD
from memory.postgres.rows import chat_of

TRIAL_LASTS = "60 seconds"
"""A trial whose outcome nobody wrote down by then, for its process died, is made again."""
INTERRUPTED_AT_ONCE = 8
"""Of one account."""

COLUMNS = """
  o.delivery_id, o.reply_uid, o.body, o.status, o.attempts, o.reply_to, o.sent_message_id,
  o.tried_at, o.missed_at, o.created_at, o.part,
  s.tenant, s.channel, s.account, s.chat_id, s.topic
"""

# Account by account: what has no room is not read. Whoever moves `trial_at` on makes the trial, so
# that several processes make one; trials come first, so that none is moved in vain.
TAKE = f"""
with recursive accounts as (
  (select tenant, channel, account from outbox where status = 'queued'
   order by tenant, channel, account limit 1)
  union all
  select next.* from accounts a, lateral (
    select tenant, channel, account from outbox
    where status = 'queued' and (tenant, channel, account) > (a.tenant, a.channel, a.account)
    order by tenant, channel, account limit 1) next
), waiting as materialized (
  select head.delivery_id, a.*, coalesce(b.failures, 0) as failures
  from accounts a
    left join breakers b using (tenant, channel, account)
    left join unnest(%(busy_tenants)s::text[], %(busy_channels)s::text[], %(busy_accounts)s::text[],
      %(under_way)s::integer[]) as u (tenant, channel, account, under_way)
      using (tenant, channel, account),
    lateral (
      select delivery_id from outbox o
      where (o.tenant, o.channel, o.account) = (a.tenant, a.channel, a.account)
        and o.status = 'queued' and o.due_at <= now()
        and (o.held_until is null or o.held_until <= now())
        and (%(not_before)s::timestamptz is null or o.created_at >= %(not_before)s)
        and o.session_id <> all(array(
          select session_id from outbox where tenant = any(%(tenants)s) and status = 'sending'))
        and not exists (
          select from outbox earlier
          where earlier.session_id = o.session_id and earlier.delivery_id < o.delivery_id
            and earlier.status = 'queued')
        and not exists (
          select from outbox lately
          where lately.session_id = o.session_id
            and lately.attempted_at > now() - %(pace_ms)s * interval '1 millisecond')
      order by delivery_id
      limit greatest(0, case when coalesce(b.failures, 0) < %(opens_after)s then %(per_account)s
        when b.trial_at <= now() then 1 else 0 end - coalesce(u.under_way, 0))
      for update skip locked) head
  where a.tenant = any(%(tenants)s) and a.channel = any(%(channels)s)
), trials as (
  update breakers b set trial_at = now() + interval '{TRIAL_LASTS}'
  from (
    select tenant, channel, account from breakers
    where failures >= %(opens_after)s and trial_at <= now()
      and (tenant, channel, account) in (select tenant, channel, account from waiting)
    order by trial_at limit %(in_all)s for update skip locked) ready
  where (b.tenant, b.channel, b.account) = (ready.tenant, ready.channel, ready.account)
  returning b.tenant, b.channel, b.account
), taken as (
  update outbox set status = 'sending', attempts = attempts + 1, attempted_at = clock_timestamp(),
    tried_at = coalesce(%(at)s, clock_timestamp()), owner = %(owner)s, missed_at = null
  from (
    select delivery_id, failures as account_failures from waiting
    where failures < %(opens_after)s or (tenant, channel, account) in (select * from trials)
    order by failures < %(opens_after)s, delivery_id limit %(in_all)s) due
  where outbox.delivery_id = due.delivery_id
  returning outbox.*, due.account_failures
)
select {COLUMNS}, o.account_failures from taken o join sessions s using (session_id)
order by o.delivery_id
"""

# An attempt that nobody is making any more: the lock named by its owner is free.
INTERRUPTED = f"""
select * from (select {COLUMNS},
    row_number() over (partition by o.tenant, o.channel, o.account order by o.delivery_id) as place
  from outbox o join sessions s using (session_id)
  where o.tenant = any(%(tenants)s) and o.channel = any(%(channels)s) and o.status = 'sending'
    and greatest(o.attempted_at, o.missed_at) < now() - %(doubt_s)s * interval '1 second'
    and not {HELD.format(name="o.owner")}) found
where place <= {INTERRUPTED_AT_ONCE} order by delivery_id
"""


def delivery_of(row: DictRow) -> Delivery:
    """Return the delivery of a row with these columns."""
    return Delivery(
        delivery_id=str(row["delivery_id"]),
        chat=chat_of(row),
        reply_uid=str(row["reply_uid"]),
        text=row["body"],
        status=row["status"],
        attempts=row["attempts"],
        reply_to=row["reply_to"],
        sent_message_id=row["sent_message_id"],
        attempted_at=row["tried_at"],
        created_at=row["created_at"],
        part=row["part"],
        missed_at=row["missed_at"],
        account_failures=row.get("account_failures", 0),
    )
