"""The outbox on Postgres: a reply is stored, then sent, then confirmed (W6).

Whoever takes a delivery holds the advisory lock named by `owner` (`ChatLocks.hold`). When its
process dies, Postgres drops the lock, and the delivery counts as interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import get_args

from typing_extensions import override

from memory.domain.breaker import OPENS_AFTER
from memory.domain.channels import traits_of
from memory.domain.chats import Message
from memory.domain.work import ONE, Delivery, DeliveryStatus, Room
from memory.ports.work import Outbox
from memory.postgres.erasures import echo_name
from memory.postgres.ledger import fingerprint
from memory.postgres.pool import Pool
from memory.postgres.rows import MOST_COUNTED, storable
from memory.postgres.taking import COLUMNS, INTERRUPTED, TAKE, delivery_of

# How long after an attempt an own-account message with the same text still counts as its echo.
ECHO_WINDOW = "15 minutes"
# An echo that comes later than this after its send is another message's with the same words.
ECHO_LAG = "10 seconds"
RETRY_BASE_S = 1.0
RETRY_CAP_S = 60.0
"""Waits are drawn between nothing and the doubled one ("full jitter").

Source: AWS Architecture Blog, "Exponential Backoff And Jitter" (2015).
"""
HASTE_S = 5.0
"""When a gateway is back, what waits for it goes out soon, but no sooner after its last attempt."""
# Two echoes that reach for one delivery at once: the loser looks again.
_ECHO_TRIES = 3

# By an id that is known already. Else by the text: a delivery that was not echoed yet, then one
# echoed under its own id only; of several the one that was sent at about the echo's time. While a
# send has not returned, its echo may also name the chat by the hidden id where we use the other.
# The union is of what an index finds; the condition after it is asked once more of a row that
# another echo has just changed.
_MATCH_ECHO = f"""
with match as (
  select delivery_id from outbox o join sessions s using (session_id)
  where o.delivery_id in (
      select delivery_id from outbox
      where tenant = %(tenant)s and sent_message_id = %(id)s and sent_message_id <> ''
      union all select delivery_id from outbox
      where tenant = %(tenant)s and echo_message_id = %(id)s and echo_message_id <> ''
      union all select delivery_id from outbox
      where tenant = %(tenant)s and fingerprint = %(print)s and session_id in (
        select session_id from sessions
        where tenant = %(tenant)s and channel = %(channel)s and chat_id = %(chat)s)
      union all select delivery_id from outbox
      where tenant = %(tenant)s and channel = %(channel)s and fingerprint = %(print)s
        and status = 'sending')
    and s.tenant = %(tenant)s and s.channel = %(channel)s and s.account = %(account)s
    and (s.chat_id = %(chat)s or %(ids_of_account)s)
    and (%(id)s in (o.sent_message_id, o.echo_message_id)
      or (s.chat_id = %(chat)s and o.fingerprint = %(print)s
        and o.attempted_at > now() - interval '{ECHO_WINDOW}'
        and o.echo_message_id in ('', o.sent_message_id))
      or (%(ids_of_account)s and o.status = 'sending' and o.sent_message_id = ''
        and o.fingerprint = %(print)s
        and (%(hidden)s <> '' and s.chat_id like '%%' || %(hidden)s) <> %(is_hidden)s))
  order by %(id)s in (o.sent_message_id, o.echo_message_id) desc,
    o.echo_message_id = '' desc, abs(extract(epoch from %(sent_at)s - o.tried_at)),
    o.delivery_id
  limit 1 for update of o
), confirmed as (
  update outbox o set status = 'sent', settled_at = coalesce(settled_at, now()),
    sent_message_id = coalesce(nullif(sent_message_id, ''), %(id)s),
    echo_message_id = case
      when echo_message_id in ('', sent_message_id) then %(id)s else echo_message_id end
  from match where o.delivery_id = match.delivery_id
  returning o.delivery_id
)
select delivery_id from confirmed
union all select null where is_erased(%(tenant)s, %(gone)s)
  and not exists (select from confirmed)
"""

# A reply in parts keeps them, and their texts, together: when one is deleted in the channel, the
# ledger is to say what is left.
_OTHER_PARTS = """
select from outbox p
where p.turn_id = o.turn_id and p.reply_uid = o.reply_uid and p.part <> o.part"""

_COUNTS = """
select kind.status, least(sum(found.n), %(most)s)::integer as n
from unnest(%(statuses)s::text[]) as kind (status), unnest(%(tenants)s::text[]) as whose (tenant),
  lateral (select count(*) as n from (
    select from outbox o where o.tenant = whose.tenant and o.status = kind.status limit %(most)s
  ) first) found
group by kind.status
"""


class PostgresOutbox(Outbox):
    """`Outbox` on Postgres. Any number of processes may take from it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._told: list[Callable[[str], None]] = []

    @override
    async def take(
        self,
        tenants: Sequence[str],
        channels: Sequence[str],
        owner: str,
        *,
        room: Room = ONE,
        pace_ms: int = 0,
        not_before: datetime | None = None,
        at: datetime | None = None,
    ) -> list[Delivery]:
        keys = {
            "tenants": list(tenants),
            "channels": list(channels),
            "owner": owner,
            "in_all": room.in_all,
            "per_account": room.per_account,
            "busy_tenants": [busy.tenant for busy in room.under_way],
            "busy_channels": [busy.channel for busy in room.under_way],
            "busy_accounts": [busy.account for busy in room.under_way],
            "under_way": list(room.under_way.values()),
            "opens_after": OPENS_AFTER,
            "pace_ms": pace_ms,
            "not_before": not_before,
            "at": at,
        }
        return await self._deliveries(TAKE, keys)

    @override
    async def settle(
        self,
        delivery: Delivery,
        status: DeliveryStatus,
        sent_message_id: str = "",
        *,
        wait_s: float = 0.0,
    ) -> None:
        """Record an attempt's outcome; `queued` waits longer after each attempt.

        Nothing changes when a later attempt has begun, or an echo has confirmed the delivery.
        """
        async with self._pool.connection() as connection:
            await connection.execute(
                """
                update outbox set status = %(status)s, settled_at = now(),
                  sent_message_id = coalesce(nullif(%(sent)s, ''), sent_message_id),
                  due_at = now() + random() * least(%(base)s * 2 ^ least(attempts - 1, 30), %(cap)s)
                    * interval '1 second',
                  held_until = now() + nullif(%(wait_s)s::float8, 0) * interval '1 second',
                  owner = case %(status)s when 'sending' then '' else owner end
                where tenant = %(tenant)s and delivery_id = %(id)s and attempts = %(attempts)s
                  and (status <> 'sent' or %(status)s = 'sent')""",
                {
                    "tenant": delivery.chat.tenant,
                    "status": status,
                    "sent": storable(sent_message_id),
                    "id": int(delivery.delivery_id),
                    "attempts": delivery.attempts,
                    "base": RETRY_BASE_S,
                    "cap": RETRY_CAP_S,
                    "wait_s": wait_s,
                },
            )

    @override
    async def interrupted(
        self, tenants: Sequence[str], channels: Sequence[str], doubt_s: float
    ) -> list[Delivery]:
        keys = {"tenants": list(tenants), "channels": list(channels), "doubt_s": doubt_s}
        return await self._deliveries(INTERRUPTED, keys)

    @override
    async def miss(self, delivery: Delivery) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "update outbox set missed_at = now() where tenant = %s and delivery_id = %s"
                " and attempts = %s and status = 'sending' and missed_at is null",
                [delivery.chat.tenant, int(delivery.delivery_id), delivery.attempts],
            )

    @override
    async def hasten(self, tenant: str, channel: str, account: str) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                """
                update outbox
                set due_at = greatest(now(), attempted_at + %s * interval '1 second')
                where tenant = %s and channel = %s and account = %s and status = 'queued'
                  and due_at > greatest(now(), attempted_at + %s * interval '1 second')""",
                [HASTE_S, tenant, channel, account, HASTE_S],
            )
            return cursor.rowcount

    @override
    async def expire(self, tenants: Sequence[str], before: datetime, limit: int) -> list[Delivery]:
        query = f"""
            with o as (
              update outbox set status = 'expired', settled_at = now()
              where status = 'queued' and delivery_id in (
                select delivery_id from outbox
                where tenant = any(%(tenants)s) and status = 'queued' and created_at < %(before)s
                order by delivery_id limit %(limit)s for update skip locked)
              returning *
            )
            select {COLUMNS} from o join sessions s using (session_id) order by delivery_id"""
        keys = {"tenants": list(tenants), "before": before, "limit": limit}
        return await self._deliveries(query, keys)

    @override
    async def match_echo(self, message: Message) -> bool:
        """Confirm the delivery that an own-account message echoes, if there is one.

        An echo may come before the send call returns, and under another id than it returned: such
        an id is remembered, and no further one is taken for an echo of that delivery. That of a
        delivery that was erased since is one, too.
        """
        traits, printed = traits_of(message.chat.channel), fingerprint(storable(message.text))
        keys = {
            "tenant": message.chat.tenant,
            "hidden": traits.hidden_suffix,
            "channel": message.chat.channel,
            "account": message.chat.account,
            "chat": message.chat.chat_id,
            "ids_of_account": traits.has_account_ids,
            "is_hidden": traits.is_hidden(message.chat.chat_id),
            "id": storable(message.message_id),
            "sent_at": message.sent_at,
            "print": printed,
            "gone": echo_name(
                message.chat.channel, message.chat.account, message.chat.chat_id, printed
            ),
        }
        for _ in range(_ECHO_TRIES):
            async with self._pool.connection() as connection:
                cursor = await connection.execute(_MATCH_ECHO.encode(), keys)
                if (row := await cursor.fetchone()) is not None:
                    for tell in self._told if row["delivery_id"] else ():
                        tell(str(row["delivery_id"]))
                    return True
        return False

    @override
    def on_echo(self, tell: Callable[[str], None]) -> None:
        self._told.append(tell)

    @override
    async def confirmed(self, tenants: Sequence[str], delivery_ids: Sequence[str]) -> set[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select delivery_id from outbox where tenant = any(%s)"
                " and delivery_id = any(%s::bigint[]) and status = 'sent'",
                [list(tenants), list(delivery_ids)],
            )
            return {str(row["delivery_id"]) for row in await cursor.fetchall()}

    @override
    async def listing(
        self, tenant: str, *statuses: DeliveryStatus, after: int = 0, limit: int = 1000
    ) -> list[Delivery]:
        query = f"""
            select found.* from unnest(%(statuses)s::text[]) as wanted, lateral (
              select {COLUMNS} from outbox o join sessions s using (session_id)
              where o.tenant = %(tenant)s and o.status = wanted and o.delivery_id > %(after)s
              order by o.delivery_id limit %(limit)s) found
            order by found.delivery_id limit %(limit)s"""
        keys = {"tenant": tenant, "statuses": list(statuses), "after": after, "limit": limit}
        return await self._deliveries(query, keys)

    @override
    async def known_ids(self, delivery: Delivery, message_ids: Sequence[str]) -> set[str]:
        """Return those of the ids that belong to another delivery of the same chat.

        An echo is matched by its words, so that it may have been taken for one of an earlier
        delivery with the same words: it counts as that one's only when both were sent together.
        """
        ids = [storable(message_id) for message_id in message_ids]
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                f"""
                select taken.id from outbox o join sessions s using (session_id),
                  lateral (values (o.sent_message_id, true), (o.echo_message_id,
                    o.tried_at > %s - interval '{ECHO_LAG}')) as taken (id, is_sure)
                where s.tenant = %s and s.thread_id = %s and o.delivery_id <> %s
                  and taken.id = any(%s) and taken.is_sure""".encode(),
                [
                    delivery.attempted_at,
                    delivery.chat.tenant,
                    delivery.chat.thread_id,
                    int(delivery.delivery_id),
                    ids,
                ],
            )
            return {row["id"] for row in await cursor.fetchall()}

    @override
    async def sent_elsewhere(
        self, delivery: Delivery, message_ids: Sequence[str]
    ) -> list[datetime]:
        ids = [storable(message_id) for message_id in message_ids]
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                """
                select o.tried_at from outbox o join sessions s using (session_id)
                where s.tenant = %(tenant)s and s.thread_id = %(thread)s
                  and o.delivery_id <> %(id)s and o.status = 'sent'
                  and o.fingerprint = (select fingerprint from outbox
                    where tenant = %(tenant)s and delivery_id = %(id)s)
                  and o.tried_at is not null
                  and not (array[o.sent_message_id, o.echo_message_id] && %(ids)s::text[])
                order by o.tried_at desc limit 50""",
                {
                    "tenant": delivery.chat.tenant,
                    "thread": delivery.chat.thread_id,
                    "id": int(delivery.delivery_id),
                    "ids": ids,
                },
            )
            return [row["tried_at"] for row in await cursor.fetchall()]

    @override
    async def counts(self, tenants: Sequence[str]) -> dict[DeliveryStatus, int]:
        keys = {
            "tenants": list(tenants),
            "statuses": list(get_args(DeliveryStatus)),
            "most": MOST_COUNTED,
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_COUNTS, keys)
            return {row["status"]: row["n"] for row in await cursor.fetchall() if row["n"]}

    @override
    async def dismiss(
        self, tenants: Sequence[str], delivery_ids: Sequence[str] | None = None
    ) -> int:
        ids = None if delivery_ids is None else list(delivery_ids)
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "update outbox set status = 'dismissed' where tenant = any(%s)"
                " and status in ('unknown', 'failed')"
                " and (%s::bigint[] is null or delivery_id = any(%s::bigint[]))",
                [list(tenants), ids, ids],
            )
            return cursor.rowcount

    @override
    async def blank_settled(self, tenants: Sequence[str], before: datetime) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "update outbox o set body = '' where tenant = any(%s)"
                " and status in ('sent', 'expired', 'dismissed', 'unknown', 'failed')"
                " and settled_at < %s and body <> ''"
                f" and not exists ({_OTHER_PARTS})".encode(),
                [list(tenants), before],
            )
            return cursor.rowcount

    @override
    async def delete_settled(self, tenants: Sequence[str], before: datetime) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "delete from outbox o where tenant = any(%s)"
                " and status in ('sent', 'expired', 'dismissed')"
                f" and settled_at < %s and not exists ({_OTHER_PARTS}"
                " and (p.status in ('queued', 'sending') or p.settled_at >= %s))".encode(),
                [list(tenants), before, before],
            )
            return cursor.rowcount

    async def _deliveries(self, query: str, keys: dict[str, object]) -> list[Delivery]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            return [delivery_of(row) for row in await cursor.fetchall()]
