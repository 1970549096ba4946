"""What could not be read, kept on Postgres with its reason: bounded in number, bytes and age.

Upkeep drops what is old; whatever comes keeps its account to a number and to bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from typing_extensions import override

from memory.domain.changes import RawEvent
from memory.ports.changes import Events
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

MAX_EVENTS = 1_000
"""Kept for each account, newest first."""
MAX_BYTES = 32 * 1024 * 1024
"""Bodies kept for each account, in bytes, newest first."""

_KEEP = """
insert into events (tenant, channel, account, reason, digest, size, body)
values (%(tenant)s, %(channel)s, %(account)s, %(reason)s, %(digest)s, %(size)s, %(body)s)
on conflict (tenant, channel, account, digest) do update set times = events.times + 1
returning times, event_id::text
"""

_BOUND = f"""
delete from events where event_id in (
  select event_id from (
    select event_id, received_at, row_number() over newest as place, sum(size) over newest as bytes
    from events where tenant = %(tenant)s and channel = %(channel)s and account = %(account)s
    window newest as (order by event_id desc)
  ) kept
  where place > {MAX_EVENTS} or (bytes > {MAX_BYTES} and place > 1))
"""


class PostgresEvents(Events):
    """`Events` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(self, tenant: str, channel: str, account: str, reason: str, body: bytes) -> str:
        keys = {
            "tenant": storable(tenant),
            "channel": channel,
            "account": storable(account),
            "reason": storable(reason),
            "digest": sha256(body).digest(),
            "size": len(body),
            "body": body,
        }
        async with self._pool.connection() as connection, connection.transaction():
            cursor = await connection.execute(_KEEP, keys)
            row = await cursor.fetchone()
            if row and row["times"] == 1:
                await connection.execute(_BOUND.encode(), keys)
            return str(row["event_id"]) if row else ""

    @override
    async def kept(self, tenants: Sequence[str], limit: int) -> list[RawEvent]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select event_id::text, tenant, channel, account, received_at, reason, size, times"
                " from events where tenant = any(%s) order by events.event_id desc limit %s",
                [list(tenants), limit],
            )
            return [RawEvent(**row) for row in await cursor.fetchall()]

    @override
    async def body(self, tenants: Sequence[str], event_id: str) -> bytes | None:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select body from events where tenant = any(%s) and event_id::text = %s",
                [list(tenants), storable(event_id)],
            )
            row = await cursor.fetchone()
            return bytes(row["body"]) if row else None

    @override
    async def prune(self, tenant: str, before: datetime) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "delete from events where tenant = %s and received_at < %s", [tenant, before]
            )
            return cursor.rowcount
