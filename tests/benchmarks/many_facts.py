"""Many contacts with fifty facts each, made by the servers: the product would take an hour."""

from __future__ import annotations

from typing import Final, LiteralString

from neo4j import AsyncDriver, AsyncGraphDatabase

from graph.stores import Stores

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

# The server makes them: half a million facts would take minutes to send. Ids are new, so that
# nothing has to be looked for before it is made.
_FACTS_NEO4J: Final[LiteralString] = """
UNWIND $contacts AS contact_id
CALL (contact_id) {
  MERGE (c:Contact {contact_key: $tenant + '\\u001f' + contact_id})
  ON CREATE SET c.tenant = $tenant, c.contact_id = contact_id
  SET c.places = 10000
  WITH c, contact_id
  UNWIND $kinds AS kind
  UNWIND range(1, kind.many) AS number
  CREATE (c)-[:HAS_FACT]->(:Fact {
    fact_id: randomUUID(), tenant: $tenant, contact_id: contact_id, category: kind.category,
    key: kind.key, value: kind.key + ' number ' + toString((number * 7919) % 997),
    confidence: 0.9, importance: kind.importance, source_uid: randomUUID(),
    anchor: 'contact:' + contact_id, status: 'active', place: 1000 + number,
    valid_from: datetime() - duration({days: number + 1}),
    recorded_from: datetime() - duration({days: number + 1}), read_by: 'rules/3'})
} IN TRANSACTIONS OF $batch ROWS
"""
_PEOPLE_NEO4J: Final[LiteralString] = """
UNWIND $contacts AS contact_id
CALL (contact_id) {
  MATCH (c:Contact {contact_key: $tenant + '\\u001f' + contact_id})
  SET c.has_entities = true
  WITH contact_id
  UNWIND range(1, 3) AS number
  CREATE (:Entity:Person {
    contact_key: $tenant + '\\u001f' + contact_id, tenant: $tenant, entity_id: randomUUID(),
    type: 'person', name: 'Person ' + toString(number), place: 100 + number, aliases: [],
    relation: 'friend'})
} IN TRANSACTIONS OF $batch ROWS
"""
_CLEAR_NEO4J: Final[LiteralString] = """
MATCH (n {tenant: $tenant}) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS
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


async def fill_neo4j(stores: Stores, tenant: str, contacts: list[str]) -> None:
    """Have the server make facts and people, a few hundred contacts a transaction."""
    await stores.memory.facts.contacts(tenant)  # prepares it
    await stores.memory.entities.of(tenant, "")
    names = ("category", "key", "importance", "many")
    kinds = [dict(zip(names, kind, strict=True)) for kind in KINDS]
    given = {"tenant": tenant, "contacts": contacts, "kinds": kinds, "batch": BATCH}
    async with _driver(stores) as driver, driver.session() as session:
        for statement in (_FACTS_NEO4J, _PEOPLE_NEO4J):
            await (await session.run(statement, given)).consume()
    async with stores.pool.connection() as connection:
        await connection.execute(_STATES, {"tenant": tenant, "contacts": len(contacts)})


async def clear_neo4j(stores: Stores, tenant: str) -> None:
    """Take what a tenant has off the server, which others may use, too."""
    async with _driver(stores) as driver, driver.session() as session:
        await (await session.run(_CLEAR_NEO4J, tenant=tenant)).consume()


def _driver(stores: Stores) -> AsyncDriver:
    settings = stores.settings
    assert settings.neo4j_uri
    password = settings.neo4j_password.get_secret_value()
    auth = (settings.neo4j_user, password) if password else None
    return AsyncGraphDatabase.driver(settings.neo4j_uri, auth=auth)
