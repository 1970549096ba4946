"""Facts on Neo4j: (:Contact)-[:HAS_FACT]->(:Fact), one transaction for each batch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Final, LiteralString

from neo4j import AsyncDriver, AsyncManagedTransaction, AsyncResult, Record
from typing_extensions import override

from memory.domain.facts import Applied, ContactObservations, Fact, Observation, Stated
from memory.facts.asof import as_at
from memory.facts.supersession import Plan, by_contact, correct, keys_of, plan
from memory.neo4j import statements
from memory.neo4j.connection import address_of, connect, locked, translated
from memory.ports.facts import FactStore
from memory.ports.runtime import Clock, utc_now

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES: Final = tuple(
    Fact.__slots__.index(name)
    for name in ("valid_from", "valid_to", "recorded_from", "recorded_to", "expires_at")
)
_SPAN: Final = Fact.__slots__.index("span")


def _key(tenant: str, contact_id: str) -> str:
    return f"{tenant}\x1f{contact_id}"


def _fact(values: Sequence[Any]) -> Fact:  # Any: the driver's values
    """Read a fact from its fields, as the statements return them."""
    fields = list(values)
    for at in _TIMES:
        if (microseconds := fields[at]) is not None:
            fields[at] = _EPOCH + timedelta(microseconds=microseconds)
    if span := fields[_SPAN]:
        fields[_SPAN] = tuple(span)
    return Fact(*fields)


class Neo4jFactStore(FactStore):
    """The `FactStore` port on a Neo4j 5 server.

    Every method raises `StoreUnavailable` when the server is gone. `address` is for that message,
    `clock` that by which facts expire.
    """

    def __init__(self, driver: AsyncDriver, address: str = "Neo4j", clock: Clock = utc_now) -> None:
        self._clock = clock
        self.driver = self._driver = driver
        self.address = self._address = address
        self._is_prepared = False

    async def greet(self) -> bool:
        """Ask once whether the server is there: a statement would be retried for a while."""
        async with translated(self._address):
            await self._driver.verify_connectivity()
        return True

    async def prepare(self) -> None:
        """Create the constraints and have the server plan each statement, which is slow once."""
        async with translated(self._address):
            for statement in (*statements.CONSTRAINTS, statements.AWAIT_INDEXES):
                await self._driver.execute_query(statement)
            nobody = {
                "contact_key": "",
                "source_key": "",
                "tenant": "",
                "contacts": [],
                "facts": [],
                "keys": [],
                "ids": [],
                "told_by": [],
                "old_anchor": "",
                "new_anchor": "",
                "now": self._clock(),
            }
            for statement in (
                statements.LOCK,
                statements.RELEVANT,
                statements.INSERT,
                statements.CHANGE,
                statements.ACTIVE,
                statements.ACTIVE_OR_TOLD,
                statements.HISTORY,
                statements.HISTORY_OF,
                statements.STATED,
                statements.HOLDERS,
                statements.ROWS,
                statements.CONTACTS,
                statements.CLEAR,
                statements.FORGET,
                statements.DROP_EMPTY,
            ):
                await self._driver.execute_query(statement, nobody)
        self._is_prepared = True

    async def close(self) -> None:
        """Close the connections."""
        await self._driver.close()

    @override
    async def active(
        self, tenant: str, contact_id: str, told_by: Collection[str] = ()
    ) -> list[Fact]:
        if not told_by:
            return await self._read(statements.ACTIVE, tenant, contact_id)
        query, now = statements.ACTIVE_OR_TOLD, self._clock()
        read = await self._read(query, tenant, contact_id, told_by=sorted(told_by))
        return [as_at(fact, now) for fact in read]

    @override
    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> list[Fact]:
        if keys is None:
            return await self._read(statements.HISTORY, tenant, contact_id)
        return await self._read(statements.HISTORY_OF, tenant, contact_id, keys=sorted(keys))

    @override
    async def stated(self, tenant: str, contact_id: str, keys: Collection[str]) -> list[Stated]:
        record = await self._record(statements.STATED, tenant, contact_id, keys=sorted(keys))
        return sorted(Stated(*told) for told in record["stated"])

    @override
    async def rows(self, tenant: str, contact_id: str) -> list[Fact]:
        return await self._read(statements.ROWS, tenant, contact_id)

    @override
    async def holders(self, tenant: str, ids: Collection[str]) -> dict[str, str]:
        given = {"tenant": tenant, "ids": list(ids)}
        async with self._ready():
            result = await self._driver.execute_query(statements.HOLDERS, given)
        return {str(each["fact_id"]): str(each["contact_id"]) for each in result.records}

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._ready():
            result = await self._driver.execute_query(statements.CONTACTS, {"tenant": tenant})
        return sorted(str(record["contact_id"]) for record in result.records)

    @override
    async def replace(
        self, tenant: str, contact_id: str, before: Sequence[Fact], after: Sequence[Fact]
    ) -> bool:
        async with self._ready(), self._driver.session() as session:
            return await session.execute_write(self._replace, tenant, contact_id, before, after)

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
        if not by_contact(batches):
            return Applied()
        async with self._ready(), self._driver.session() as session:
            return await session.execute_write(self._apply, tenant, batches, now)

    @override
    async def correct(
        self,
        tenant: str,
        contact_id: str,
        source_uid: str,
        observations: Sequence[Observation],
        now: datetime,
    ) -> Applied:
        async with self._ready(), self._driver.session() as session:
            return await session.execute_write(
                self._correct, tenant, contact_id, source_uid, observations, now
            )

    @override
    async def forget(self, tenant: str, contact_id: str) -> int:
        async with self._ready():
            result = await self._driver.execute_query(
                statements.FORGET, {"contact_key": _key(tenant, contact_id)}
            )
        return int(result.records[0]["gone"]) if result.records else 0

    async def _read(
        self, statement: LiteralString, tenant: str, contact_id: str, **more: list[str]
    ) -> list[Fact]:
        record = await self._record(statement, tenant, contact_id, **more)
        return [_fact(values) for values in record["facts"]]

    async def _record(
        self, statement: LiteralString, tenant: str, contact_id: str, **more: list[str]
    ) -> Record:
        known = {"contact_key": _key(tenant, contact_id), "now": self._clock()}
        async with self._ready():
            result = await self._driver.execute_query(statement, {**known, **more})
        return result.records[0]

    @asynccontextmanager
    async def _ready(self) -> AsyncIterator[None]:
        """Translate what a call raises; before the first one, prepare what the start could not."""
        async with translated(self._address):
            if not self._is_prepared:
                await self.greet()
                await self.prepare()
            yield

    async def _replace(
        self,
        transaction: AsyncManagedTransaction,
        tenant: str,
        contact_id: str,
        before: Sequence[Fact],
        after: Sequence[Fact],
    ) -> bool:
        places = await _lock(transaction, tenant, [contact_id])
        is_current = await _rows(transaction, tenant, contact_id) == list(before)
        if is_current:
            key = _key(tenant, contact_id)
            await (await transaction.run(statements.CLEAR, contact_key=key)).consume()
            await _write(transaction, tenant, Plan(inserted=tuple(after)), places)
        await _drop_empty(transaction, tenant, contact_id)
        return is_current

    async def _apply(
        self,
        transaction: AsyncManagedTransaction,
        tenant: str,
        batches: Sequence[ContactObservations],
        now: datetime,
    ) -> Applied:
        messages = by_contact(batches)
        places = await _lock(transaction, tenant, messages)
        result = await transaction.run(
            statements.RELEVANT, contacts=_keys(tenant, messages), keys=keys_of(batches)
        )
        rows: dict[str, list[Fact]] = {}
        for fact in await _facts(result):
            rows.setdefault(fact.contact_id, []).append(fact)
        outcome = Plan.joined(
            plan(tenant, contact, rows.get(contact, []), said, now)
            for contact, said in messages.items()
        )
        await _write(transaction, tenant, outcome, places)
        return outcome.applied

    async def _correct(
        self,
        transaction: AsyncManagedTransaction,
        tenant: str,
        contact_id: str,
        source_uid: str,
        observations: Sequence[Observation],
        now: datetime,
    ) -> Applied:
        places = await _lock(transaction, tenant, [contact_id])
        rows = await _rows(transaction, tenant, contact_id)
        outcome = correct(tenant, contact_id, rows, source_uid, observations, now)
        await _write(transaction, tenant, outcome, places)
        await _drop_empty(transaction, tenant, contact_id)
        return outcome.applied


def _keys(tenant: str, contacts: Iterable[str]) -> list[dict[str, str]]:
    return [
        {"contact_key": _key(tenant, contact), "contact_id": contact}
        for contact in sorted(contacts)
    ]


async def _lock(
    transaction: AsyncManagedTransaction, tenant: str, contacts: Iterable[str]
) -> dict[str, int]:
    """Lock contacts, in one order for everybody; return how many rows each has."""
    given = {"contacts": _keys(tenant, contacts), "tenant": tenant}
    records = await locked(transaction, statements.LOCK, given)
    return {record["contact_id"]: record["place"] for record in records}


async def _rows(transaction: AsyncManagedTransaction, tenant: str, contact_id: str) -> list[Fact]:
    result = await transaction.run(statements.ROWS, contact_key=_key(tenant, contact_id))
    return await _facts(result)


async def _facts(result: AsyncResult) -> list[Fact]:
    record = await result.single(strict=True)
    return [_fact(values) for values in record["facts"]]


async def _drop_empty(transaction: AsyncManagedTransaction, tenant: str, contact_id: str) -> None:
    key = _key(tenant, contact_id)
    await (await transaction.run(statements.DROP_EMPTY, contact_key=key)).consume()


async def _write(
    transaction: AsyncManagedTransaction, tenant: str, outcome: Plan, places: dict[str, int]
) -> None:
    next_place = dict(places)
    inserted = []
    for fact in outcome.inserted:
        inserted.append(
            {
                "contact_key": _key(tenant, fact.contact_id),
                "place": next_place[fact.contact_id],
                "fact": asdict(fact),
            }
        )
        next_place[fact.contact_id] += 1
    if inserted:
        await (await transaction.run(statements.INSERT, facts=inserted)).consume()
    if outcome.changed:
        changed = [asdict(fact) for fact in outcome.changed]
        await (await transaction.run(statements.CHANGE, facts=changed, tenant=tenant)).consume()


def neo4j_store(uri: str, user: str, password: str, clock: Clock = utc_now) -> Neo4jFactStore:
    """Return a store that nothing was sent for yet; the caller closes it.

    Raises:
        StoreUnavailable: `uri` is not an address that the driver understands.
    """
    return Neo4jFactStore(connect(uri, user, password), address_of(uri), clock)


async def open_neo4j(uri: str, user: str, password: str, clock: Clock = utc_now) -> Neo4jFactStore:
    """Connect, create the constraints, warm the statements; the caller closes the store.

    Raises:
        StoreUnavailable: the server cannot be reached.
        StoreRefused: it refuses the login.
    """
    store = neo4j_store(uri, user, password, clock)
    try:
        await store.greet()
        await store.prepare()
    except BaseException:
        await store.close()
        raise
    return store
