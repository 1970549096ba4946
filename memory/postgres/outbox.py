"""The outbox on Postgres: a reply is stored, then sent, then confirmed (W6).

Whoever takes a delivery holds the advisory lock named by `owner` (`ChatLocks.hold`). When its
process dies, Postgres drops the lock, and the delivery counts as interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from psycopg.rows import DictRow

from memory.domain import Delivery, DeliveryStatus, Message
from memory.postgres.ledger import fingerprint
from memory.postgres.pool import Pool
from memory.postgres.rows import chat_of, storable

# How long after an attempt an own-account message with the same text still counts as its echo.
ECHO_WINDOW = "15 minutes"
RETRY_BASE_S = 1.0
RETRY_CAP_S = 300.0

_COLUMNS = """
  o.delivery_id, o.reply_uid, o.body, o.status, o.attempts, o.reply_to, o.sent_message_id,
  o.attempted_at, o.created_at, o.part, s.tenant, s.channel, s.account, s.chat_id, s.topic
"""


def _delivery(row: DictRow) -> Delivery:
    return Delivery(
        delivery_id=str(row["delivery_id"]),
        chat=chat_of(row),
        reply_uid=str(row["reply_uid"]),
        text=row["body"],
        status=row["status"],
        attempts=row["attempts"],
        reply_to=row["reply_to"],
        sent_message_id=row["sent_message_id"],
        attempted_at=row["attempted_at"],
        created_at=row["created_at"],
        part=row["part"],
    )


class PostgresOutbox:
    """`memory.ports.Outbox` on Postgres. Any number of processes may take from it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def take(self, tenant: str, channel: str, owner: str) -> Delivery | None:
        """Take the oldest due delivery; a chat's replies leave in order, one at a time."""
        query = f"""
            with due as (
              select delivery_id from outbox o
              where tenant = %s and channel = %s and status = 'queued' and due_at <= now()
                and not exists (
                  select from outbox earlier
                  where earlier.session_id = o.session_id and earlier.delivery_id < o.delivery_id
                    and earlier.status in ('queued', 'sending'))
              order by delivery_id limit 1 for update skip locked
            ), o as (
              update outbox set status = 'sending', attempts = attempts + 1, attempted_at = now(),
                owner = %s
              where delivery_id in (select delivery_id from due) and status = 'queued'
              returning *
            )
            select {_COLUMNS} from o join sessions s using (session_id)"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [tenant, channel, owner])
            row = await cursor.fetchone()
        return _delivery(row) if row else None

    async def settle(
        self, delivery: Delivery, status: DeliveryStatus, sent_message_id: str = ""
    ) -> None:
        """Record an attempt's outcome; `queued` waits longer after each attempt.

        Nothing changes when a later attempt has begun, or an echo has confirmed the delivery.
        """
        async with self._pool.connection() as connection:
            await connection.execute(
                """
                update outbox set status = %(status)s, settled_at = now(),
                  sent_message_id = coalesce(nullif(%(sent)s, ''), sent_message_id),
                  due_at = now() + least(%(base)s * 2 ^ (attempts - 1), %(cap)s)
                    * interval '1 second'
                where delivery_id = %(id)s and attempts = %(attempts)s
                  and (status <> 'sent' or %(status)s = 'sent')""",
                {
                    "status": status,
                    "sent": storable(sent_message_id),
                    "id": int(delivery.delivery_id),
                    "attempts": delivery.attempts,
                    "base": RETRY_BASE_S,
                    "cap": RETRY_CAP_S,
                },
            )

    async def interrupted(self, tenant: str, channel: str, before: datetime) -> list[Delivery]:
        """Return deliveries whose attempt began before a time and whose sender is gone."""
        query = f"""
            select {_COLUMNS} from outbox o join sessions s using (session_id)
            where o.tenant = %s and o.channel = %s and o.status = 'sending'
              and o.attempted_at < %s and not exists (
                select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 1
                  and l.database = (select oid from pg_database where datname = current_database())
                  and l.classid::bigint << 32 | l.objid::bigint = hashtextextended(o.owner, 0))
            order by o.delivery_id"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [tenant, channel, before])
            return [_delivery(row) for row in await cursor.fetchall()]

    async def match_echo(self, message: Message) -> bool:
        """Confirm the delivery that an own-account message echoes, if there is one.

        A confirmed delivery whose id differs is matched by its text as well: echoes come twice,
        and sometimes under another id than the send call returned.
        """
        query = f"""
            with match as (
              select delivery_id from outbox o join sessions s using (session_id)
              where s.tenant = %(tenant)s and s.channel = %(channel)s and s.account = %(account)s
                and (o.sent_message_id = %(id)s
                  or (s.chat_id = %(chat)s and o.fingerprint = %(print)s
                    and o.attempted_at > now() - interval '{ECHO_WINDOW}'))
              order by o.sent_message_id = %(id)s desc, o.status = 'sending' desc, o.delivery_id
              limit 1
            )
            update outbox o set status = 'sent', settled_at = coalesce(settled_at, now()),
              sent_message_id = coalesce(nullif(sent_message_id, ''), %(id)s)
            from match where o.delivery_id = match.delivery_id
            returning o.delivery_id"""
        keys = {
            "tenant": message.chat.tenant,
            "channel": message.chat.channel,
            "account": message.chat.account,
            "chat": message.chat.chat_id,
            "id": storable(message.message_id),
            "print": fingerprint(storable(message.text)),
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            return await cursor.fetchone() is not None

    async def listing(self, tenant: str, status: DeliveryStatus) -> list[Delivery]:
        """Return deliveries in a status, oldest first."""
        query = f"""
            select {_COLUMNS} from outbox o join sessions s using (session_id)
            where o.tenant = %s and o.status = %s order by o.delivery_id"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [tenant, status])
            return [_delivery(row) for row in await cursor.fetchall()]

    async def known_ids(self, delivery: Delivery, message_ids: Sequence[str]) -> set[str]:
        """Return those of the ids under which another delivery of the same chat was sent."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select o.sent_message_id from outbox o join sessions s using (session_id)"
                " where s.thread_id = %s and o.delivery_id <> %s and o.sent_message_id = any(%s)",
                [
                    delivery.chat.thread_id,
                    int(delivery.delivery_id),
                    [storable(message_id) for message_id in message_ids],
                ],
            )
            return {row["sent_message_id"] for row in await cursor.fetchall()}

    async def counts(self, tenant: str) -> dict[DeliveryStatus, int]:
        """Return how many deliveries are in each status; a status with none is left out."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select status, count(*) as n from outbox where tenant = %s group by status",
                [tenant],
            )
            return {row["status"]: row["n"] for row in await cursor.fetchall()}
