"""Facts on Postgres: the embedded default, with the same semantics as on Neo4j."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, TypeVar

from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from psycopg_pool import AsyncConnectionPool
from typing_extensions import override

from memory.domain.facts import Applied, ContactObservations, Fact, Observation
from memory.facts.supersession import Plan, by_contact, correct, keys_of, plan
from memory.ports.facts import FactStore
from memory.ports.runtime import Clock, utc_now

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]
_Result = TypeVar("_Result")

ATTEMPTS: Final = 5
"""How often a transaction is begun before its deadlock is told."""

_FORGET: Final = "delete from facts where tenant = %(tenant)s and contact_id = %(contact_id)s"

_COLUMNS: Final = """fact_id, tenant, contact_id, category, key, value, confidence, importance,
  source_uid, anchor, status, valid_from, valid_to, recorded_from, recorded_to, closed_by,
  stated_confidence, read_by, span_start, span_end, expires_at"""

# A contact is written by one transaction at a time. Sorted, so that two batches cannot deadlock.
_LOCK: Final = """
select pg_advisory_xact_lock(hashtextextended('facts' || chr(31) || %s || chr(31) || contact, 0))
from unnest(%s::text[]) as contact
"""

_LOCKED: Final = f"""
select {_COLUMNS} from locked_facts(%(tenant)s, %(contacts)s, %(keys)s)
"""

# An id follows from what was said: a row that another contact has is the same one, said by somebody
# whose id has changed since.
_INSERT: Final = f"""
insert into facts ({_COLUMNS}) values (
  %(fact_id)s, %(tenant)s, %(contact_id)s, %(category)s, %(key)s, %(value)s, %(confidence)s,
  %(importance)s, %(source_uid)s, %(anchor)s, %(status)s, %(valid_from)s, %(valid_to)s,
  %(recorded_from)s, %(recorded_to)s, %(closed_by)s, %(stated_confidence)s,
  %(read_by)s, %(span_start)s, %(span_end)s, %(expires_at)s)
on conflict (fact_id) do update set contact_id = excluded.contact_id,
  category = excluded.category, key = excluded.key, value = excluded.value,
  confidence = excluded.confidence, importance = excluded.importance,
  source_uid = excluded.source_uid, anchor = excluded.anchor, status = excluded.status,
  valid_from = excluded.valid_from, valid_to = excluded.valid_to,
  recorded_from = excluded.recorded_from, recorded_to = excluded.recorded_to,
  closed_by = excluded.closed_by, stated_confidence = excluded.stated_confidence,
  read_by = excluded.read_by, span_start = excluded.span_start, span_end = excluded.span_end,
  expires_at = excluded.expires_at
where facts.tenant = excluded.tenant
"""

_CHANGE: Final = """
update facts set confidence = %(confidence)s, status = %(status)s, valid_to = %(valid_to)s,
  recorded_to = %(recorded_to)s, closed_by = %(closed_by)s,
  stated_confidence = %(stated_confidence)s, read_by = %(read_by)s,
  span_start = %(span_start)s, span_end = %(span_end)s
where tenant = %(tenant)s and fact_id = %(fact_id)s
"""

_ACTIVE: Final = f"""
select {_COLUMNS} from facts
where tenant = %s and contact_id = %s and status = 'active'
  and (valid_to is null or valid_to > %s)
order by importance desc, valid_from, place
"""

_HISTORY: Final = f"""
select {_COLUMNS} from facts
where tenant = %s and contact_id = %s and status <> 'retraction'
order by place
"""

_HISTORY_OF: Final = f"""
select {_COLUMNS} from facts
where tenant = %s and contact_id = %s and status <> 'retraction' and key = any(%s)
order by place
"""

_ROWS: Final = f"""
select {_COLUMNS} from facts where tenant = %s and contact_id = %s order by place
"""

_CONTACTS: Final = "select distinct contact_id from facts where tenant = %s order by contact_id"


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def _fact(row: DictRow) -> Fact:
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


def _parameters(fact: Fact) -> dict[str, object]:
    start, end = fact.span or (None, None)
    told = {name: getattr(fact, name) for name in Fact.__slots__ if name != "span"}
    return {**told, "span_start": start, "span_end": end}


class PostgresFactStore(FactStore):
    """The `FactStore` port on the table `facts` of the connection's own schema.

    `pool`: connections in autocommit mode with dict rows, opened and closed by the caller.
    `clock`: by which facts expire.
    """

    def __init__(self, pool: Pool, clock: Clock = utc_now) -> None:
        self._pool = pool
        self._clock = clock

    @override
    async def active(self, tenant: str, contact_id: str) -> list[Fact]:
        async with self._pool.connection() as connection:
            return await _read(connection, _ACTIVE, tenant, contact_id, self._clock())

    @override
    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> list[Fact]:
        async with self._pool.connection() as connection:
            if keys is None:
                return await _read(connection, _HISTORY, tenant, contact_id)
            return await _read(connection, _HISTORY_OF, tenant, contact_id, sorted(keys))

    @override
    async def rows(self, tenant: str, contact_id: str) -> list[Fact]:
        async with self._pool.connection() as connection:
            return await _read(connection, _ROWS, tenant, contact_id)

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
            await _write(connection, Plan(inserted=tuple(after)))
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

        async def work(connection: Connection) -> Applied:
            rows = await _locked(connection, tenant, sorted(messages), keys_of(batches))
            outcome = Plan.joined(
                plan(tenant, contact, rows.get(contact, []), said, now)
                for contact, said in messages.items()
            )
            await _write(connection, outcome)
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
            await _write(connection, outcome)
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
    connection: Connection, query: str, tenant: str, contact_id: str, *more: object
) -> list[Fact]:
    cursor = await connection.execute(query.encode(), [tenant, contact_id, *more])
    return [_fact(row) for row in await cursor.fetchall()]


async def _locked(
    connection: Connection, tenant: str, contacts: list[str], keys: list[str]
) -> dict[str, list[Fact]]:
    parameters = {"tenant": tenant, "contacts": contacts, "keys": keys}
    cursor = await connection.execute(_LOCKED.encode(), parameters)
    rows: dict[str, list[Fact]] = {}
    for row in await cursor.fetchall():
        rows.setdefault(row["contact_id"], []).append(_fact(row))
    return rows


async def _write(connection: Connection, outcome: Plan) -> None:
    async with connection.cursor() as cursor:
        if outcome.inserted:
            await cursor.executemany(
                _INSERT.encode(), [_parameters(each) for each in outcome.inserted]
            )
        if outcome.changed:
            await cursor.executemany(
                _CHANGE.encode(), [_parameters(each) for each in outcome.changed]
            )
