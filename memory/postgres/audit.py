"""The audit on Postgres: what was decided, without the texts it was decided about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from typing_extensions import override

from memory.domain.work import AuditLine
from memory.ports.policies import Audit
from memory.postgres.pool import Pool
from memory.postgres.rows import storable


class PostgresAudit(Audit):
    """`Audit` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def write(self, lines: Sequence[AuditLine]) -> None:
        if not lines:
            return
        rows = [
            [
                line.tenant,
                line.thread_id or None,
                line.turn_id,
                line.kind,
                line.outcome,
                storable(line.detail),
                line.at,
            ]
            for line in lines
        ]
        async with self._pool.connection() as connection, connection.cursor() as cursor:
            await cursor.executemany(
                "insert into audit (tenant, thread_id, turn_id, kind, outcome, detail, at)"
                " values (%s, %s, %s, %s, %s, %s, %s) on conflict do nothing",
                rows,
            )

    @override
    async def listing(self, tenant: str, limit: int) -> list[AuditLine]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select tenant, thread_id, turn_id, kind, outcome, detail, at from audit"
                " where tenant = %s order by audit_id desc limit %s",
                [tenant, limit],
            )
            return [
                AuditLine(
                    tenant=row["tenant"],
                    thread_id=str(row["thread_id"] or ""),
                    turn_id=row["turn_id"],
                    kind=row["kind"],
                    outcome=row["outcome"],
                    detail=row["detail"],
                    at=row["at"].astimezone(UTC),
                )
                for row in await cursor.fetchall()
            ]
