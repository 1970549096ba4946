"""Many contacts with fifty facts each, made by the servers: the product would take an hour."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import NAMESPACE_OID, uuid5

from neo4j import AsyncDriver

from graph.stores import Stores
from memory.neo4j import statements
from memory.neo4j.facts import Neo4jFactStore

KINDS: Final = (
    ("constraint", "allergy", 1.0, 1),
    ("identity", "name", 0.95, 1),
    ("identity", "home", 0.85, 1),
    ("identity", "child", 0.8, 2),
    ("identity", "occupation", 0.8, 1),
    ("identity", "language", 0.7, 4),
    ("identity", "friend", 0.4, 15),
    ("preference", "like", 0.4, 25),
)
FACTS: Final = sum(many for *_, many in KINDS)
BATCH: Final = 200

_FACTS: Final = """
insert into facts (fact_id, tenant, contact_id, category, key, value, confidence, importance,
  source_uid, anchor, status, valid_from, recorded_from)
select md5('fact ' || c || ' ' || k.key || ' ' || v)::uuid, %(tenant)s, 'crm:' || c, k.category,
  k.key, k.key || ' number ' || (c * 31 + v * 7) %% 997, 0.9, k.importance,
  md5('message ' || c || ' ' || k.key || v)::uuid::text, 'contact:crm:' || c, 'active',
  now() - interval '1 day' * (v + 1), now() - interval '1 day' * (v + 1)
from generate_series(0, %(contacts)s - 1) as c,
  jsonb_to_recordset(%(kinds)s::jsonb)
    as k(category text, key text, importance float8, many integer),
  lateral generate_series(1, k.many) as v
"""
# Each of the others is like the first who is asked about.
_STATES: Final = """
insert into contact_states (tenant, contact_id, told_name, said_name, channel, zone, made_by,
  version, course)
select s.tenant, 'crm:' || c, s.told_name, s.said_name, s.channel, s.zone, s.made_by, 1, s.course
from contact_states s, generate_series(1, %(contacts)s - 1) as c
where s.tenant = %(tenant)s and s.contact_id = 'crm:0'
on conflict do nothing
"""
_ENTITIES: Final = """
insert into entities (tenant, contact_id, place, entity_id, type, name, details)
select %(tenant)s, 'crm:' || c, 100 + p, md5('entity ' || c || ' ' || p)::uuid, 'person',
  'Person ' || p, jsonb_build_object('entity_id', md5('entity ' || c || ' ' || p)::uuid,
    'type', 'person', 'name', 'Person ' || p, 'aliases', '[]'::jsonb,
    'metadata', '{"relation": "friend"}'::jsonb, 'ties', '[]'::jsonb, 'mentions', '[]'::jsonb,
    'claims', '[]'::jsonb)
from generate_series(0, %(contacts)s - 1) as c, generate_series(1, 3) as p
"""


async def fill_postgres(stores: Stores, tenant: str, contacts: int) -> None:
    """Insert facts, people and what contacts are like."""
    from psycopg.types.json import Jsonb

    names = ("category", "key", "importance", "many")
    kinds = [dict(zip(names, kind, strict=True)) for kind in KINDS]
    keys = {"tenant": tenant, "contacts": contacts, "kinds": Jsonb(kinds)}
    async with stores.pool.connection() as connection:
        for statement in (_FACTS, _STATES, _ENTITIES):
            await connection.execute(statement, keys)
        await connection.execute("analyze")


async def fill_neo4j(stores: Stores, tenant: str, contacts: list[str], now: datetime) -> None:
    """Insert facts, by the store's own statements, a few hundred contacts at a time."""
    store = stores.memory.facts
    assert isinstance(store, Neo4jFactStore)
    await store.contacts(tenant)  # prepares it
    for start in range(0, len(contacts), BATCH):
        await _insert(store.driver, tenant, contacts[start : start + BATCH], now)
    async with stores.pool.connection() as connection:
        await connection.execute(_STATES, {"tenant": tenant, "contacts": len(contacts)})


async def _insert(driver: AsyncDriver, tenant: str, contacts: list[str], now: datetime) -> None:
    keyed = [{"contact_key": f"{tenant}\x1f{one}", "contact_id": one} for one in contacts]
    await driver.execute_query(statements.LOCK, {"contacts": keyed, "tenant": tenant})
    facts = [
        {"contact_key": each["contact_key"], "place": 1_000 + place, "fact": fact}
        for each in keyed
        for place, fact in enumerate(_facts(tenant, each["contact_id"], now))
    ]
    await driver.execute_query(statements.INSERT, {"facts": facts})


def _facts(tenant: str, contact_id: str, now: datetime) -> list[dict[str, Any]]:
    return [
        {
            "fact_id": str(uuid5(NAMESPACE_OID, f"fact {contact_id} {key} {number}")),
            "tenant": tenant,
            "contact_id": contact_id,
            "category": category,
            "key": key,
            "value": f"{key} number {hash((contact_id, number)) % 997}",
            "confidence": 0.9,
            "importance": importance,
            "source_uid": str(uuid5(NAMESPACE_OID, f"message {contact_id} {key} {number}")),
            "anchor": f"contact:{contact_id}",
            "status": "active",
            "valid_from": now,
            "recorded_from": now,
            "read_by": "rules/3",
        }
        for category, key, importance, many in KINDS
        for number in range(many)
    ]
