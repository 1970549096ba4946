"""Facts on Postgres: the embedded default, with the same semantics as on Neo4j."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeVar

from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow, class_row
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool
from typing_extensions import override

from memory.domain.facts import Applied, ContactObservations, Fact, Observation, Stated
from memory.facts.asof import as_at
from memory.facts.supersession import Plan, by_contact, correct, keys_of, plan
from memory.ports.facts import FactStore
from memory.ports.runtime import Clock, utc_now

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]
_Result = TypeVar("_Result")

ATTEMPTS: Final = 5
"""How often a transaction is begun before its deadlock is told."""

_FORGET: Final = "delete from facts where tenant = %(tenant)s and contact_id = %(contact_id)s"

COLUMNS: Final = """fact_id, tenant, contact_id, category, key, value, confidence, importance,
  source_uid, anchor, status, valid_from, valid_to, recorded_from, recorded_to, closed_by,
  stated_confidence, read_by, span_start, span_end, expires_at"""

# A contact is written by one transaction at a time. Sorted, so that two batches cannot deadlock.
_LOCK: Final = """
select pg_advisory_xact_lock(hashtextextended('facts' || chr(31) || %s || chr(31) || contact, 0))
from unnest(%s::text[]) as contact
"""

_LOCKED: Final = f"""
select {COLUMNS} from locked_facts(%(tenant)s, %(contacts)s, %(keys)s)
"""

_SEEN: Final = f"""
select {COLUMNS}, fact_id || ' ' || xmin as seen from facts
where tenant = %(tenant)s and contact_id = any(%(contacts)s) and key = any(%(keys)s)
order by place
"""

_WRITE: Final = "select write_facts(%(tenant)s, %(inserted)s, %(changed)s)"

_WRITE_SEEN: Final = """
select write_seen_facts(
  %(tenant)s, %(contacts)s, %(keys)s, %(seen)s, %(inserted)s, %(changed)s) as is_written
"""

ARE_ACTIVE: Final = """
from facts where tenant = %(tenant)s and contact_id = %(contact)s and status = 'active'
  and (valid_to is null or valid_to > %(now)s)
order by importance desc, valid_from, place
"""

ACTIVE_OR_TOLD: Final = """
from facts where tenant = %(tenant)s and contact_id = %(contact)s
  and (status = 'active' and (valid_to is null or valid_to > %(now)s)
    or source_uid = any(%(told_by)s) and status in ('active', 'closed', 'repeated'))
order by importance desc, valid_from, place
"""

EVER_WERE: Final = """
from facts where tenant = %(tenant)s and contact_id = %(contact)s and status <> 'retraction'
  and (%(keys)s::text[] is null or key = any(%(keys)s::text[]))
order by place
"""

_ACTIVE: Final = f"select {COLUMNS} {ARE_ACTIVE}"
_ACTIVE_OR_TOLD: Final = f"select {COLUMNS} {ACTIVE_OR_TOLD}"
_HISTORY: Final = f"select {COLUMNS} {EVER_WERE}"

_ROWS: Final = f"""
select {COLUMNS} from facts where tenant = %(tenant)s and contact_id = %(contact)s order by place
"""

_STATED: Final = """
select distinct key, value, anchor from facts
where tenant = %s and contact_id = %s and status <> 'retraction' and key = any(%s::text[])
"""

_HOLDERS: Final = """
select fact_id::text, contact_id from facts where tenant = %s and fact_id = any(%s::uuid[])
"""

_CONTACTS: Final = "select distinct contact_id from facts where tenant = %s order by contact_id"


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def fact_of(row: DictRow) -> Fact:
    """Read a fact from a row with `COLUMNS`."""
    return Fact(
        fact_id=str(row["fact_id"]),
        tenant=row["tenant"],
        contact_id=row["contact_id"],
        category=row["category"],
        key=row["key"],
        value=row["value"],
        confidence=row["confidence"],
        importance=row["importance"],
        source_uid=row["source_uid"],
        anchor=row["anchor"],
        status=row["status"],
        valid_from=row["valid_from"].astimezone(UTC),
        valid_to=_utc(row["valid_to"]),
        recorded_from=row["recorded_from"].astimezone(UTC),
        recorded_to=_utc(row["recorded_to"]),
        closed_by=row["closed_by"],
        stated_confidence=row["stated_confidence"],
        read_by=row["read_by"],
        span=None if row["span_start"] is None else (row["span_start"], row["span_end"]),
        expires_at=_utc(row["expires_at"]),
    )


def _written(outcome: Plan) -> dict[str, object]:
    """Return what is written as the functions of the database take it."""
    return {"inserted": _json(outcome.inserted), "changed": _json(outcome.changed)}


def _json(facts: Sequence[Fact]) -> Jsonb:
    rows = []
    for fact in facts:
        start, end = fact.span or (None, None)
        told = {name: getattr(fact, name) for name in Fact.__slots__}
        rows.append({**told, "span_start": start, "span_end": end})
    return Jsonb(rows, dumps=partial(json.dumps, default=datetime.isoformat))


class PostgresFactStore(FactStore):
    """The `FactStore` port on the table `facts` of the connection's own schema.

    `pool`: connections in autocommit mode with dict rows, opened and closed by the caller.
    `clock`: by which facts expire.
    """

    def __init__(self, pool: Pool, clock: Clock = utc_now) -> None:
        self._pool = pool
        self._clock = clock

    @override
    async def active(
        self, tenant: str, contact_id: str, told_by: Collection[str] = ()
    ) -> list[Fact]:
        now, query = self._clock(), _ACTIVE_OR_TOLD if told_by else _ACTIVE
        async with self._pool.connection() as connection:
            read = await _read(
                connection, query, tenant, contact_id, now=now, told_by=list(told_by)
            )
        return [as_at(fact, now) for fact in read]

    @override
    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> list[Fact]:
        asked = None if keys is None else sorted(keys)
        async with self._pool.connection() as connection:
            return await _read(connection, _HISTORY, tenant, contact_id, keys=asked)

    @override
    async def stated(self, tenant: str, contact_id: str, keys: Collection[str]) -> list[Stated]:
        async with (
            self._pool.connection() as connection,
            connection.cursor(row_factory=class_row(Stated)) as cursor,
        ):
            await cursor.execute(_STATED, [tenant, contact_id, sorted(keys)])
            return sorted(await cursor.fetchall())

    @override
    async def rows(self, tenant: str, contact_id: str) -> list[Fact]:
        async with self._pool.connection() as connection:
            return await _read(connection, _ROWS, tenant, contact_id)

    @override
    async def holders(self, tenant: str, ids: Collection[str]) -> dict[str, str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_HOLDERS, [tenant, list(ids)])
            return {row["fact_id"]: row["contact_id"] for row in await cursor.fetchall()}

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CONTACTS, [tenant])
            return [row["contact_id"] for row in await cursor.fetchall()]

    @override
    async def replace(
        self, tenant: str, contact_id: str, before: Sequence[Fact], after: Sequence[Fact]
    ) -> bool:
        async def work(connection: Connection) -> bool:
            await connection.execute(_LOCK, [tenant, [contact_id]])
            if await _read(connection, _ROWS, tenant, contact_id) != list(before):
                return False
            await connection.execute(_FORGET, {"tenant": tenant, "contact_id": contact_id})
            await _write(connection, tenant, Plan(inserted=tuple(after)))
            return True

        return await self._transacted(work)

    @override
    async def apply(
        self, tenant: str, contact_id: str, observations: Sequence[Observation], now: datetime
    ) -> Applied:
        batch = ContactObservations(contact_id, tuple(observations))
        return await self.apply_many(tenant, [batch], now)

    @override
    async def apply_many(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> Applied:
        messages = by_contact(batches)
        if not messages:
            return Applied()
        whose = {"tenant": tenant, "contacts": sorted(messages), "keys": keys_of(batches)}

        def planned(rows: Sequence[DictRow]) -> Plan:
            held: dict[str, list[Fact]] = {}
            for row in rows:
                held.setdefault(row["contact_id"], []).append(fact_of(row))
            return Plan.joined(
                plan(tenant, contact, held.get(contact, []), said, now)
                for contact, said in messages.items()
            )

        async def work(connection: Connection) -> Applied:
            cursor = await connection.execute(_LOCKED.encode(), whose)
            outcome = planned(await cursor.fetchall())
            await _write(connection, tenant, outcome)
            return outcome.applied

        # Seldom does anybody write the same at once: without a lock it is two statements, not four.
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(_SEEN.encode(), whose)).fetchall()
            outcome = planned(rows)
            if await _is_written(connection, whose, [row["seen"] for row in rows], outcome):
                return outcome.applied
        return await self._transacted(work)

    @override
    async def correct(
        self,
        tenant: str,
        contact_id: str,
        source_uid: str,
        observations: Sequence[Observation],
        now: datetime,
    ) -> Applied:
        async def work(connection: Connection) -> Applied:
            await connection.execute(_LOCK, [tenant, [contact_id]])
            rows = await _read(connection, _ROWS, tenant, contact_id)
            outcome = correct(tenant, contact_id, rows, source_uid, observations, now)
            await _write(connection, tenant, outcome)
            return outcome.applied

        return await self._transacted(work)

    @override
    async def forget(self, tenant: str, contact_id: str) -> int:
        parameters = {"tenant": tenant, "contact_id": contact_id}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, [tenant, [contact_id]])
            return (await connection.execute(_FORGET, parameters)).rowcount

    async def _transacted(self, work: Callable[[Connection], Awaitable[_Result]]) -> _Result:
        """Do work in a transaction, again when it is the victim of a deadlock.

        Two contacts that are one person have rows of the same ids, each in an order of its own.
        """
        async with self._pool.connection() as connection:
            for _ in range(ATTEMPTS - 1):
                with suppress(errors.DeadlockDetected):
                    async with connection.transaction():
                        return await work(connection)
            async with connection.transaction():
                return await work(connection)


async def _read(
    connection: Connection, query: str, tenant: str, contact_id: str, **more: object
) -> list[Fact]:
    given = {"tenant": tenant, "contact": contact_id, **more}
    cursor = await connection.execute(query.encode(), given)
    return [fact_of(row) for row in await cursor.fetchall()]


async def _write(connection: Connection, tenant: str, outcome: Plan) -> None:
    if outcome.inserted or outcome.changed:
        await connection.execute(_WRITE, {"tenant": tenant, **_written(outcome)})


async def _is_written(
    connection: Connection, whose: Mapping[str, object], seen: Sequence[str], outcome: Plan
) -> bool:
    """Write what was planned on rows that were `seen`; False where others wrote them meanwhile."""
    if not (outcome.inserted or outcome.changed):
        return True
    given = {**whose, "seen": list(seen), **_written(outcome)}
    with suppress(errors.DeadlockDetected):
        row = await (await connection.execute(_WRITE_SEEN, given)).fetchone()
        return bool(row and row["is_written"])
    return False
