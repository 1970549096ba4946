"""Pauses on Postgres: one row for each message that paused a chat."""

from __future__ import annotations

from datetime import UTC, datetime

from psycopg.rows import DictRow
from typing_extensions import override

from memory.policy.rules import Pause, PauseKind
from memory.ports.policies import Pauses
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

# A pause is ended by one message; the same message again finds those that it ended.
_END = """
update pauses p set ended_by = %(source)s,
  ends_at = case when p.ended_by = %(source)s then p.ends_at else greatest(p.began_at, %(at)s) end
where p.tenant = %(tenant)s and p.scope = %(scope)s
  and (p.ended_by = %(source)s or ((p.ends_at is null or p.ends_at > %(at)s)
    and not exists (select from pauses o
      where o.tenant = %(tenant)s and o.scope = %(scope)s and o.ended_by = %(source)s)))
"""


class PostgresPauses(Pauses):
    """`Pauses` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def begin(
        self,
        tenant: str,
        scope: str,
        source: str,
        kind: PauseKind,
        began_at: datetime,
        ends_at: datetime | None,
    ) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "insert into pauses (tenant, source, scope, kind, began_at, ends_at)"
                " select %(tenant)s, %(source)s, %(scope)s, %(kind)s, %(began)s::timestamptz,"
                " %(ends)s::timestamptz where not is_erased(%(tenant)s, %(source)s)"
                " on conflict do nothing",
                {
                    "tenant": tenant,
                    "source": source,
                    "scope": storable(scope),
                    "kind": kind,
                    "began": began_at,
                    "ends": ends_at,
                },
            )

    @override
    async def end(self, tenant: str, scope: str, at: datetime, source: str) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                _END, {"tenant": tenant, "scope": storable(scope), "at": at, "source": source}
            )
            return cursor.rowcount

    @override
    async def lasting(self, tenant: str, scope: str, after: datetime) -> list[Pause]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select kind, began_at, ends_at from pauses"
                " where tenant = %s and scope = %s and (ends_at is null or ends_at > %s)"
                " order by began_at",
                [tenant, storable(scope), after],
            )
            return [pause_of(row) for row in await cursor.fetchall()]


def pause_of(row: DictRow) -> Pause:
    """Return a row as a pause."""
    ends_at = row["ends_at"]
    return Pause(
        row["kind"], row["began_at"].astimezone(UTC), ends_at.astimezone(UTC) if ends_at else None
    )
