"""Circuit breakers on Postgres: one for all processes, by the database's clock."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.breaker import OPENS_AFTER, Breaker
from memory.domain.work import AccountRef, Delivery, FailingAccount
from memory.ports.work import Breakers
from memory.postgres.pool import Pool

MAX_WAITING = 10_000
"""Waiting deliveries counted of an account."""


class PostgresBreakers(Breakers):
    """`Breakers` on Postgres. `Outbox.take` reads the same table."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def failed(self, delivery: Delivery) -> Breaker:
        account = AccountRef.of(delivery.chat)
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(
                "insert into breakers values (%s, %s, %s, 0, now(), now()) on conflict do nothing",
                account,
            )
            cursor = await connection.execute(
                "select failures, since, trial_at, clock_timestamp() as now from breakers"
                " where tenant = %s and channel = %s and account = %s for update",
                account,
            )
            (row,) = await cursor.fetchall()
            breaker = _breaker(row).after_failure(
                row["now"], failures_before=delivery.account_failures
            )
            await connection.execute(
                "update breakers set failures = %s, trial_at = %s"
                " where tenant = %s and channel = %s and account = %s",
                [breaker.failures, breaker.trial_at, *account],
            )
            return breaker

    @override
    async def close(self, account: AccountRef) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "delete from breakers where tenant = %s and channel = %s and account = %s", account
            )

    @override
    async def listing(self, tenants: Sequence[str]) -> list[FailingAccount]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                """
                select b.*, (select count(*) from (
                    select from outbox o
                    where (o.tenant, o.channel, o.account) = (b.tenant, b.channel, b.account)
                      and o.status = 'queued' limit %s) first) as waiting
                from breakers b where tenant = any(%s) and failures >= %s order by since""",
                [MAX_WAITING, list(tenants), OPENS_AFTER],
            )
            return [
                FailingAccount(
                    AccountRef(row["tenant"], row["channel"], row["account"]),
                    _breaker(row),
                    row["waiting"],
                )
                for row in await cursor.fetchall()
            ]


def _breaker(row: DictRow) -> Breaker:
    return Breaker(row["failures"], row["since"], row["trial_at"])
