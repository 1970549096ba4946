"""Facts on Postgres: the embedded default, with the same semantics as on Neo4j."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg_pool import AsyncConnectionPool

from memory.domain.facts import ContactObservations, Fact, Observation
from memory.facts.supersession import Plan, by_contact, join, plan

Pool = AsyncConnectionPool[AsyncConnection[DictRow]]

_FORGET: Final = "delete from facts where tenant = %(tenant)s and contact_id = %(contact_id)s"

_COLUMNS: Final = """fact_id, tenant, contact_id, category, key, value, confidence, importance,
  source_uid, anchor, status, valid_from, valid_to, recorded_from, recorded_to"""

# A contact is written by one transaction at a time. Sorted, so that two batches cannot deadlock.
_LOCK: Final = """
select pg_advisory_xact_lock(hashtextextended('facts' || chr(31) || %s || chr(31) || contact, 0))
from unnest(%s::text[]) as contact
"""

_RELEVANT: Final = f"""
select {_COLUMNS} from facts
where tenant = %(tenant)s and contact_id = any(%(contacts)s)
  and (status = 'active' or key = any(%(keys)s) or source_uid = any(%(sources)s))
order by place
"""

_INSERT: Final = f"""
insert into facts ({_COLUMNS}) values (
  %(fact_id)s, %(tenant)s, %(contact_id)s, %(category)s, %(key)s, %(value)s, %(confidence)s,
  %(importance)s, %(source_uid)s, %(anchor)s, %(status)s, %(valid_from)s, %(valid_to)s,
  %(recorded_from)s, %(recorded_to)s)
"""

_CHANGE: Final = """
update facts set confidence = %(confidence)s, status = %(status)s, valid_to = %(valid_to)s,
  recorded_to = %(recorded_to)s
where fact_id = %(fact_id)s
"""

_RETRACT: Final = """
update facts set status = 'closed', valid_to = greatest(valid_from, %(now)s), recorded_to = %(now)s
where tenant = %(tenant)s and contact_id = %(contact_id)s and status = 'active'
  and fact_id = any(%(fact_ids)s::uuid[])
"""

_OF_BOTH: Final = f"""
select {_COLUMNS} from facts where tenant = %s and contact_id = any(%s) order by place
"""

_MOVE: Final = """
update facts set contact_id = %(contact_id)s, anchor = %(anchor)s, status = %(status)s,
  confidence = %(confidence)s, valid_to = %(valid_to)s, recorded_to = %(recorded_to)s
where fact_id = %(fact_id)s
"""

_RENAME: Final = "update facts set anchor = %s where tenant = %s and anchor = %s"

_ACTIVE: Final = f"""
select {_COLUMNS} from facts
where tenant = %s and contact_id = %s and status = 'active'
order by importance desc, valid_from, place
"""

_HISTORY: Final = f"""
select {_COLUMNS} from facts where tenant = %s and contact_id = %s order by place
"""


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
    )


def _parameters(fact: Fact) -> dict[str, object]:
    return {name: getattr(fact, name) for name in Fact.__slots__}


def _new_id() -> str:
    return str(uuid4())


class PostgresFactStore:
    """The `FactStore` port on the table `facts` of the connection's own schema.

    `pool`: connections in autocommit mode with dict rows, opened and closed by the caller.
    """

    def __init__(self, pool: Pool, new_id: Callable[[], str] = _new_id) -> None:
        self._pool = pool
        self._new_id = new_id

    async def active(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return active facts, by importance (highest first), then oldest first."""
        return await self._read(_ACTIVE, tenant, contact_id)

    async def history(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return every fact ever recorded, rejected ones included, oldest first."""
        return await self._read(_HISTORY, tenant, contact_id)

    async def apply(
        self, tenant: str, contact_id: str, observations: Sequence[Observation], now: datetime
    ) -> list[Fact]:
        """Apply one message's observations; return the facts that became active."""
        batch = ContactObservations(contact_id, tuple(observations))
        return list((await self._apply(tenant, [batch], now)).activated)

    async def apply_many(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> list[Fact]:
        """Apply many messages in one transaction; return the facts that became active."""
        return list((await self._apply(tenant, batches, now)).activated)

    async def forget(self, tenant: str, contact_id: str) -> int:
        """Erase a contact's facts, history included; return how many went."""
        parameters = {"tenant": tenant, "contact_id": contact_id}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, [tenant, [contact_id]])
            return (await connection.execute(_FORGET, parameters)).rowcount

    async def retract(
        self, tenant: str, contact_id: str, fact_ids: Sequence[str], now: datetime
    ) -> int:
        """Close active facts; return how many were active."""
        keys = {
            "tenant": tenant,
            "contact_id": contact_id,
            "fact_ids": list(fact_ids),
            "now": now,
        }
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, [tenant, [contact_id]])
            return (await connection.execute(_RETRACT, keys)).rowcount

    async def join(self, tenant: str, source: str, target: str, now: datetime) -> int:
        """Give one contact's facts to another; return how many moved."""
        if source == target:
            return 0
        async with self._pool.connection() as connection, connection.transaction():
            both = sorted((source, target))
            await connection.execute(_LOCK, [tenant, both])
            cursor = await connection.execute(_OF_BOTH.encode(), [tenant, both])
            facts = [_fact(row) for row in await cursor.fetchall()]
            own = [fact for fact in facts if fact.contact_id == target]
            other = [fact for fact in facts if fact.contact_id == source]
            outcome = join(target, own, other, now)
            async with connection.cursor() as writer:
                rows = [*outcome.inserted, *outcome.changed]
                if rows:
                    await writer.executemany(_MOVE, [_parameters(row) for row in rows])
        return len(outcome.inserted)

    async def rename(self, tenant: str, old_anchor: str, new_anchor: str) -> int:
        """Give an anchor's facts another anchor; return how many there were."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_RENAME, [new_anchor, tenant, old_anchor])
            return cursor.rowcount

    async def _read(self, query: str, tenant: str, contact_id: str) -> list[Fact]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [tenant, contact_id])
            return [_fact(row) for row in await cursor.fetchall()]

    async def _apply(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> Plan:
        messages = by_contact(batches)
        if not messages:
            return Plan()
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, [tenant, sorted(messages)])
            rows = await self._relevant(connection, tenant, batches)
            outcome = Plan.joined(
                plan(tenant, contact, rows.get(contact, []), said, now, self._new_id)
                for contact, said in messages.items()
            )
            await _write(connection, outcome)
        return outcome

    async def _relevant(
        self,
        connection: AsyncConnection[DictRow],
        tenant: str,
        batches: Sequence[ContactObservations],
    ) -> dict[str, list[Fact]]:
        seen = [each for batch in batches for each in batch.observations]
        parameters = {
            "tenant": tenant,
            "contacts": sorted({batch.contact_id for batch in batches}),
            "keys": sorted({each.key for each in seen}),
            "sources": sorted({each.source_uid for each in seen}),
        }
        cursor = await connection.execute(_RELEVANT.encode(), parameters)
        rows: dict[str, list[Fact]] = {}
        for row in await cursor.fetchall():
            rows.setdefault(row["contact_id"], []).append(_fact(row))
        return rows


async def _write(connection: AsyncConnection[DictRow], outcome: Plan) -> None:
    async with connection.cursor() as cursor:
        if outcome.inserted:
            await cursor.executemany(
                _INSERT.encode(), [_parameters(each) for each in outcome.inserted]
            )
        if outcome.changed:
            await cursor.executemany(
                _CHANGE.encode(), [_parameters(each) for each in outcome.changed]
            )
