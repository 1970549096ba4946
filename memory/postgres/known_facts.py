"""Facts with the marks on them, on Postgres: both in one statement."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from typing_extensions import override

from memory.facts.asof import as_at
from memory.ports.marks import Known, KnownFacts
from memory.ports.runtime import Clock, utc_now
from memory.postgres.facts import ACTIVE_OR_TOLD, ARE_ACTIVE, COLUMNS, EVER_WERE, fact_of
from memory.postgres.marks import MARKS, marks_of
from memory.postgres.pool import Pool

_ACTIVE: Final = f"select {COLUMNS}, {MARKS} {ARE_ACTIVE}"
_ACTIVE_OR_TOLD: Final = f"select {COLUMNS}, {MARKS} {ACTIVE_OR_TOLD}"
_HISTORY: Final = f"select {COLUMNS}, {MARKS} {EVER_WERE}"


class PostgresKnownFacts(KnownFacts):
    """The tables `facts` and `fact_marks` of one schema. `clock`: by which facts expire."""

    def __init__(self, pool: Pool, clock: Clock = utc_now) -> None:
        self._pool = pool
        self._clock = clock

    @override
    async def active(self, tenant: str, contact_id: str, told_by: Collection[str] = ()) -> Known:
        now, query = self._clock(), _ACTIVE_OR_TOLD if told_by else _ACTIVE
        known = await self._read(query, tenant, contact_id, now=now, told_by=list(told_by))
        return known._replace(facts=[as_at(fact, now) for fact in known.facts])

    @override
    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> Known:
        asked = None if keys is None else sorted(keys)
        return await self._read(_HISTORY, tenant, contact_id, keys=asked)

    async def _read(self, query: str, tenant: str, contact_id: str, **more: object) -> Known:
        given = {"tenant": tenant, "contact": contact_id, **more}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(query.encode(), given)).fetchall()
        return Known([fact_of(row) for row in rows], marks_of(rows))
