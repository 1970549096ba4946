"""The Cypher statements of the entity graph. Parameters only, so that plans are cached."""

from __future__ import annotations

from typing import Final, LiteralString

CONSTRAINTS: Final[tuple[LiteralString, ...]] = (
    "CREATE CONSTRAINT message_key IF NOT EXISTS FOR (m:Message) REQUIRE m.message_key IS UNIQUE",
    "CREATE INDEX entity_of IF NOT EXISTS FOR (e:Entity) ON (e.contact_key)",
    "CREATE INDEX entity_id IF NOT EXISTS FOR (e:Entity) ON (e.entity_id)",
    "CREATE INDEX claim_of IF NOT EXISTS FOR (k:Claim) ON (k.contact_key)",
    "CREATE INDEX message_of IF NOT EXISTS FOR (m:Message) ON (m.contact_key)",
)

_LABELS: Final[dict[str, LiteralString]] = {
    "person": "Person",
    "pet": "Pet",
    "place": "Place",
    "organisation": "Organisation",
    "thing": "Thing",
}

RELATIONSHIPS: Final[dict[str, LiteralString]] = {
    "spouse": "MARRIED_TO",
    "partner": "PARTNER_OF",
    "child": "HAS_CHILD",
    "parent": "HAS_PARENT",
    "sibling": "HAS_SIBLING",
    "friend": "HAS_FRIEND",
    "relative": "RELATED_TO",
    "acquaintance": "KNOWS",
    "pet": "HAS_PET",
    "home": "LIVES_IN",
    "origin": "COMES_FROM",
    "employer": "WORKS_AT",
    "school": "STUDIES_AT",
    "possession": "OWNS",
}
"""What a relation is called in the graph; the key stays with it as a property."""

# Before Neo4j 5.26 neither a label nor a type can be a parameter.
_SET_LABEL: Final[LiteralString] = "\n".join(
    f"FOREACH (_ IN CASE item.type WHEN '{kind}' THEN [1] ELSE [] END | SET e:{label})"
    for kind, label in _LABELS.items()
)


def _related(subject: LiteralString) -> LiteralString:
    return "\n".join(
        f"FOREACH (_ IN CASE item.relation WHEN '{relation}' THEN [1] ELSE [] END |"
        f" CREATE ({subject})-[r:{name}]->(e) SET r = item.properties)"
        for relation, name in RELATIONSHIPS.items()
    )


# Writing to the contact locks it until the transaction ends.
LOCK: Final[LiteralString] = """
MERGE (c:Contact {contact_key: $contact_key})
ON CREATE SET c.tenant = $tenant, c.contact_id = $contact_id
SET c.has_entities = true
RETURN c.contact_id AS contact_id
"""

CLEAR: Final[LiteralString] = """
MATCH (n:Entity|Claim|Message {contact_key: $contact_key}) DETACH DELETE n
"""

INSERT: Final[LiteralString] = f"""
UNWIND $items AS item
CREATE (e:Entity)
SET e = item.properties
{_SET_LABEL}
"""

TIE: Final[LiteralString] = f"""
UNWIND $items AS item
MATCH (c:Contact {{contact_key: $contact_key}})
MATCH (e:Entity {{contact_key: $contact_key, entity_id: item.entity_id}})
{_related("c")}
"""

RELATE: Final[LiteralString] = f"""
UNWIND $items AS item
MATCH (s:Entity {{contact_key: $contact_key, entity_id: item.entity_id}})
MATCH (e:Entity {{contact_key: $contact_key, entity_id: item.object_id}})
{_related("s")}
"""

CLAIM: Final[LiteralString] = """
UNWIND $items AS item
MATCH (e:Entity {contact_key: $contact_key, entity_id: item.entity_id})
CREATE (e)-[:HAS_CLAIM]->(k:Claim)
SET k = item.properties
"""

MENTION: Final[LiteralString] = """
UNWIND $items AS item
MATCH (e:Entity {contact_key: $contact_key, entity_id: item.entity_id})
MERGE (m:Message {message_key: item.message_key})
SET m.tenant = $tenant, m.contact_key = $contact_key, m.uid = item.uid
CREATE (e)-[:MENTIONED_IN {place: item.place}]->(m)
"""

STANDS_FOR: Final[LiteralString] = """
UNWIND $items AS item
MATCH (e:Entity {contact_key: $contact_key, entity_id: item.entity_id})
MATCH (f:Fact {fact_id: item.fact_id, tenant: $tenant})
CREATE (e)-[:STANDS_FOR]->(f)
"""

# One record: it takes the driver as long as a dozen values.
OF: Final[LiteralString] = """
MATCH (e:Entity {contact_key: $contact_key})
WITH e ORDER BY e.place
RETURN collect({entity: properties(e),
  ties: [(:Contact)-[r]->(e) | properties(r)],
  mentions: [(e)-[r:MENTIONED_IN]->(m:Message) | {place: r.place, uid: m.uid}],
  claims: [(e)-[:HAS_CLAIM]->(k:Claim) | properties(k)],
  relations: [(e)-[r]->(o:Entity) | properties(r)]}) AS entities
"""

CONTACTS: Final[LiteralString] = """
MATCH (c:Contact {tenant: $tenant, has_entities: true}) RETURN c.contact_id AS contact_id
"""

DROP_EMPTY: Final[LiteralString] = """
MATCH (c:Contact {contact_key: $contact_key})
REMOVE c.has_entities
WITH c WHERE NOT (c)--()
DELETE c
"""
