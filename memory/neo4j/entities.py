"""Entities on Neo4j, as a graph to look at: people, pets, places, organisations and things."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC
from typing import Any, Final, LiteralString

from neo4j import AsyncDriver, AsyncManagedTransaction
from neo4j.time import DateTime
from typing_extensions import override

from memory.domain.entities import ACQUAINTED, Entity, EntityClaim, Tie
from memory.neo4j import entity_statements as statements
from memory.neo4j.connection import locked, translated
from memory.neo4j.statements import AWAIT_INDEXES
from memory.neo4j.statements import CONSTRAINTS as OF_FACTS
from memory.ports.entities import EntityStore

Properties = dict[str, Any]
"""What a node or relationship holds: the driver's property values."""

_METADATA: Final = ("relation", "kind")


class Neo4jEntityStore(EntityStore):
    """The `EntityStore` port on a Neo4j 5 server, beside the facts of the same driver.

    Every method raises `StoreUnavailable` when the server is gone. `address` is for that message.
    """

    def __init__(self, driver: AsyncDriver, address: str = "Neo4j") -> None:
        self._driver = driver
        self._address = address
        self._is_prepared = False

    async def prepare(self) -> None:
        """Create indexes and have the server plan each statement, which is slow once."""
        nobody = {"contact_key": "", "tenant": "", "items": []}
        async with translated(self._address):
            await self._driver.verify_connectivity()
            for statement in (*OF_FACTS, *statements.CONSTRAINTS, AWAIT_INDEXES):
                await self._driver.execute_query(statement)
            for statement in (*_WRITES, statements.CLEAR, statements.OF, statements.CONTACTS):
                await self._driver.execute_query(statement, nobody)
        self._is_prepared = True

    @override
    async def of(self, tenant: str, contact_id: str) -> list[Entity]:
        async with self._ready():
            found = await self._driver.execute_query(
                statements.OF, {"contact_key": _key(tenant, contact_id)}
            )
        return [_entity(told) for told in found.records[0]["entities"]]

    @override
    async def replace(self, tenant: str, contact_id: str, entities: Sequence[Entity]) -> None:
        async with self._ready(), self._driver.session() as session:
            await session.execute_write(_replace, tenant, contact_id, entities)

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._ready():
            found = await self._driver.execute_query(statements.CONTACTS, {"tenant": tenant})
        return sorted(str(record["contact_id"]) for record in found.records)

    @asynccontextmanager
    async def _ready(self) -> AsyncIterator[None]:
        async with translated(self._address):
            if not self._is_prepared:
                await self.prepare()
            yield


_WRITES: Final[tuple[LiteralString, ...]] = (
    statements.INSERT,
    statements.TIE,
    statements.RELATE,
    statements.CLAIM,
    statements.MENTION,
    statements.STANDS_FOR,
)


def _key(tenant: str, contact_id: str) -> str:
    return f"{tenant}\x1f{contact_id}"


async def _replace(
    transaction: AsyncManagedTransaction, tenant: str, contact_id: str, entities: Sequence[Entity]
) -> None:
    scope = {"tenant": tenant, "contact_id": contact_id, "contact_key": _key(tenant, contact_id)}
    await locked(transaction, statements.LOCK, scope)
    await (await transaction.run(statements.CLEAR, scope)).consume()
    rows: dict[LiteralString, list[Properties]] = {statement: [] for statement in _WRITES}
    for place, entity in enumerate(entities):
        _add_rows(rows, entity, place, scope)
    for statement, items in rows.items():
        if items:
            await (await transaction.run(statement, {**scope, "items": items})).consume()
    if not entities:
        await (await transaction.run(statements.DROP_EMPTY, scope)).consume()


def _add_rows(
    rows: dict[LiteralString, list[Properties]],
    entity: Entity,
    place: int,
    scope: dict[str, str],
) -> None:
    """Add what each statement writes of an entity."""
    entity_id, key = entity.entity_id, scope["contact_key"]
    owned = {"tenant": scope["tenant"], "contact_key": key}
    known = {"entity_id": entity_id, "type": entity.type, "name": entity.name, "place": place}
    properties = {**owned, **known, "aliases": list(entity.aliases), **entity.metadata}
    rows[statements.INSERT].append({"type": entity.type, "properties": properties})
    for at, tie in enumerate(entity.ties):
        rows[statements.TIE].append(
            {
                "entity_id": entity_id,
                "relation": _relationship_of(tie.relation),
                "properties": {**asdict(tie), "place": at},
            }
        )
        if tie.fact_id:
            rows[statements.STANDS_FOR].append({"entity_id": entity_id, "fact_id": tie.fact_id})
    for at, uid in enumerate(entity.mentions):
        rows[statements.MENTION].append(
            {"entity_id": entity_id, "uid": uid, "message_key": f"{key}\x1f{uid}", "place": at}
        )
    for at, claim in enumerate(entity.claims):
        said = {**asdict(claim), "claimed_by": scope["contact_id"], "place": at}
        item = {"entity_id": entity_id, "object_id": claim.object_id, "relation": claim.key}
        if claim.object_id:
            rows[statements.RELATE].append({**item, "properties": said})
        else:
            rows[statements.CLAIM].append({**item, "properties": {**said, **owned}})


def _relationship_of(relation: str) -> str:
    return relation if relation in statements.RELATIONSHIPS else ACQUAINTED


def _entity(told: Properties) -> Entity:
    node = told["entity"]
    return Entity(
        entity_id=node["entity_id"],
        type=node["type"],
        name=node["name"],
        aliases=tuple(node["aliases"]),
        metadata={name: node[name] for name in _METADATA if name in node},
        ties=tuple(Tie(**_fields(each, Tie)) for each in _in_order(told["ties"])),
        mentions=tuple(each["uid"] for each in _in_order(told["mentions"])),
        claims=tuple(
            EntityClaim(**_fields(each, EntityClaim))
            for each in _in_order([*told["claims"], *told["relations"]])
        ),
    )


def _in_order(rows: Sequence[Properties]) -> list[Properties]:
    return sorted(rows, key=lambda row: int(row["place"]))


def _fields(properties: Properties, of: type[Tie | EntityClaim]) -> Properties:
    return {
        name: value.to_native().astimezone(UTC) if isinstance(value, DateTime) else value
        for name, value in properties.items()
        if name in of.__slots__
    }
