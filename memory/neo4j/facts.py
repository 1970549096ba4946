"""Facts on Neo4j: (:Contact)-[:HAS_FACT]->(:Fact), one transaction for each message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, LiteralString
from uuid import uuid4

from neo4j import AsyncDriver, AsyncManagedTransaction
from neo4j.time import DateTime

from memory.domain.facts import ContactObservations, Fact, Observation
from memory.facts.supersession import Plan, by_contact, join, plan
from memory.neo4j import statements
from memory.neo4j.connection import address_of, connect, translated


def _key(tenant: str, contact_id: str) -> str:
    return f"{tenant}\x1f{contact_id}"


def _fact(properties: dict[str, Any]) -> Fact:  # Any: the driver's property values
    known: dict[str, Any] = {"valid_to": None, "recorded_to": None}
    for name, value in properties.items():
        if name != "place":
            known[name] = (
                value.to_native().astimezone(UTC) if isinstance(value, DateTime) else value
            )
    return Fact(**known)


def _new_id() -> str:
    return str(uuid4())


class Neo4jFactStore:
    """The `FactStore` port on a Neo4j 5 server.

    Every method raises `StoreUnavailable` when the server is gone. `address` is for that message.
    """

    def __init__(
        self, driver: AsyncDriver, address: str = "Neo4j", new_id: Callable[[], str] = _new_id
    ) -> None:
        self._driver = driver
        self._address = address
        self._new_id = new_id

    async def prepare(self) -> None:
        """Create the constraints and have the server plan each statement, which is slow once."""
        async with translated(self._address):
            # Asks once: a statement would be retried for a while, and each retry logged.
            await self._driver.verify_connectivity()
            for statement in (*statements.CONSTRAINTS, statements.AWAIT_INDEXES):
                await self._driver.execute_query(statement)
            nobody = {
                "contact_key": "",
                "source_key": "",
                "tenant": "",
                "contacts": [],
                "facts": [],
                "fact_ids": [],
                "now": datetime.now(UTC),
            }
            for statement in (
                statements.LOCK,
                statements.RELEVANT,
                statements.INSERT,
                statements.CHANGE,
                statements.ACTIVE,
                statements.HISTORY,
                statements.FORGET,
                statements.RETRACT,
                statements.OF_CONTACTS,
                statements.MOVE,
                statements.DROP_EMPTY,
            ):
                await self._driver.execute_query(statement, {**nobody, "keys": [], "sources": []})

    async def close(self) -> None:
        """Close the connections."""
        await self._driver.close()

    async def active(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return active facts, by importance (highest first), then oldest first."""
        return await self._read(statements.ACTIVE, tenant, contact_id)

    async def history(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return every fact ever recorded, rejected ones included, oldest first."""
        return await self._read(statements.HISTORY, tenant, contact_id)

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
        """Erase a contact and its facts, history included; return how many facts went."""
        async with translated(self._address):
            result = await self._driver.execute_query(
                statements.FORGET, {"contact_key": _key(tenant, contact_id)}
            )
        return int(result.records[0]["gone"]) if result.records else 0

    async def retract(
        self, tenant: str, contact_id: str, fact_ids: Sequence[str], now: datetime
    ) -> int:
        """Close active facts; return how many were active."""
        keys = {"contact_key": _key(tenant, contact_id), "fact_ids": list(fact_ids), "now": now}
        async with translated(self._address):
            result = await self._driver.execute_query(statements.RETRACT, keys)
        return int(result.records[0]["gone"]) if result.records else 0

    async def join(self, tenant: str, source: str, target: str, now: datetime) -> int:
        """Give one contact's facts to another; return how many moved."""
        if source == target:
            return 0
        async with translated(self._address), self._driver.session() as session:
            return await session.execute_write(self._join, tenant, source, target, now)

    async def rename(self, tenant: str, old_anchor: str, new_anchor: str) -> int:
        """Give an anchor's facts another anchor; return how many there were."""
        keys = {"tenant": tenant, "old_anchor": old_anchor, "new_anchor": new_anchor}
        async with translated(self._address):
            result = await self._driver.execute_query(statements.RENAME, keys)
        return int(result.records[0]["renamed"])

    async def _join(
        self,
        transaction: AsyncManagedTransaction,
        tenant: str,
        source: str,
        target: str,
        now: datetime,
    ) -> int:
        contacts = [
            {"contact_key": _key(tenant, contact), "contact_id": contact, "room": 0}
            for contact in sorted((source, target))
        ]
        await (await transaction.run(statements.LOCK, contacts=contacts, tenant=tenant)).consume()
        result = await transaction.run(statements.OF_CONTACTS, contacts=contacts)
        facts = [_fact(record["fact"]) async for record in result]
        own = [fact for fact in facts if fact.contact_id == target]
        other = [fact for fact in facts if fact.contact_id == source]
        outcome = join(target, own, other, now)
        keys = {"source_key": _key(tenant, source), "contact_key": _key(tenant, target)}
        moved = [asdict(fact) for fact in outcome.inserted]
        if moved:
            await (await transaction.run(statements.MOVE, keys | {"facts": moved})).consume()
        if outcome.changed:
            changed = [asdict(fact) for fact in outcome.changed]
            await (await transaction.run(statements.CHANGE, facts=changed)).consume()
        for key in keys.values():
            await (await transaction.run(statements.DROP_EMPTY, contact_key=key)).consume()
        return len(moved)

    async def _read(self, statement: LiteralString, tenant: str, contact_id: str) -> list[Fact]:
        async with translated(self._address):
            result = await self._driver.execute_query(
                statement, {"contact_key": _key(tenant, contact_id)}
            )
        return [_fact(record["fact"]) for record in result.records]

    async def _apply(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> Plan:
        if not by_contact(batches):
            return Plan()
        async with translated(self._address), self._driver.session() as session:
            return await session.execute_write(self._transaction, tenant, batches, now)

    async def _transaction(
        self,
        transaction: AsyncManagedTransaction,
        tenant: str,
        batches: Sequence[ContactObservations],
        now: datetime,
    ) -> Plan:
        messages = by_contact(batches)
        seen = [each for batch in batches for each in batch.observations]
        contacts = [
            {
                "contact_key": _key(tenant, contact),
                "contact_id": contact,
                "room": sum(map(len, messages[contact])),
            }
            for contact in sorted(messages)
        ]
        locked = await transaction.run(statements.LOCK, contacts=contacts, tenant=tenant)
        places = {record["contact_id"]: record["place"] async for record in locked}
        result = await transaction.run(
            statements.RELEVANT,
            contacts=contacts,
            keys=sorted({each.key for each in seen}),
            sources=sorted({each.source_uid for each in seen}),
        )
        rows: dict[str, list[Fact]] = {}
        async for record in result:
            fact = _fact(record["fact"])
            rows.setdefault(fact.contact_id, []).append(fact)
        outcome = Plan.joined(
            plan(tenant, contact, rows.get(contact, []), said, now, self._new_id)
            for contact, said in messages.items()
        )
        await _write(transaction, outcome, places)
        return outcome


async def _write(
    transaction: AsyncManagedTransaction, outcome: Plan, places: dict[str, int]
) -> None:
    next_place = dict(places)
    inserted = []
    for fact in outcome.inserted:
        inserted.append(
            {
                "contact_key": _key(fact.tenant, fact.contact_id),
                "place": next_place[fact.contact_id],
                "fact": asdict(fact),
            }
        )
        next_place[fact.contact_id] += 1
    if inserted:
        await (await transaction.run(statements.INSERT, facts=inserted)).consume()
    if outcome.changed:
        changed = [asdict(fact) for fact in outcome.changed]
        await (await transaction.run(statements.CHANGE, facts=changed)).consume()


async def open_neo4j(uri: str, user: str, password: str) -> Neo4jFactStore:
    """Connect, create the constraints, warm the statements; the caller closes the store.

    Raises:
        StoreUnavailable: the server cannot be reached or refuses the login.
    """
    store = Neo4jFactStore(connect(uri, user, password), address_of(uri))
    try:
        await store.prepare()
    except BaseException:
        await store.close()
        raise
    return store
