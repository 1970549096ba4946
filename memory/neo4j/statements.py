"""The few Cypher statements of the fact store. Parameters only, so that plans are cached."""

from __future__ import annotations

from typing import Final, LiteralString

CONSTRAINTS: Final[tuple[LiteralString, ...]] = (
    "CREATE CONSTRAINT contact_key IF NOT EXISTS FOR (c:Contact) REQUIRE c.contact_key IS UNIQUE",
    "CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (f:Fact) REQUIRE f.fact_id IS UNIQUE",
)
AWAIT_INDEXES: Final[LiteralString] = "CALL db.awaitIndexes(60)"

# Writing to the contact locks it until the transaction ends; `places` hands out the order of facts.
LOCK: Final[LiteralString] = """
UNWIND $contacts AS item
MERGE (c:Contact {contact_key: item.contact_key})
ON CREATE SET c.tenant = $tenant, c.contact_id = item.contact_id
SET c.places = coalesce(c.places, 0) + item.room
RETURN c.contact_id AS contact_id, c.places - item.room AS place
"""

RELEVANT: Final[LiteralString] = """
UNWIND $contacts AS item
MATCH (:Contact {contact_key: item.contact_key})-[:HAS_FACT]->(f:Fact)
WHERE f.status = 'active' OR f.key IN $keys OR f.source_uid IN $sources
RETURN properties(f) AS fact ORDER BY f.place
"""

INSERT: Final[LiteralString] = """
UNWIND $facts AS item
MATCH (c:Contact {contact_key: item.contact_key})
CREATE (c)-[:HAS_FACT]->(f:Fact {fact_id: item.fact.fact_id})
SET f += item.fact, f.place = item.place
"""

CHANGE: Final[LiteralString] = """
UNWIND $facts AS item
MATCH (f:Fact {fact_id: item.fact_id})
SET f.confidence = item.confidence, f.status = item.status,
  f.valid_to = item.valid_to, f.recorded_to = item.recorded_to
"""

ACTIVE: Final[LiteralString] = """
MATCH (:Contact {contact_key: $contact_key})-[:HAS_FACT]->(f:Fact {status: 'active'})
RETURN properties(f) AS fact ORDER BY f.importance DESC, f.valid_from, f.place
"""

HISTORY: Final[LiteralString] = """
MATCH (:Contact {contact_key: $contact_key})-[:HAS_FACT]->(f:Fact)
RETURN properties(f) AS fact ORDER BY f.place
"""

FORGET: Final[LiteralString] = """
MATCH (c:Contact {contact_key: $contact_key})
SET c.places = c.places
WITH c
OPTIONAL MATCH (c)-[:HAS_FACT]->(f:Fact)
WITH c, collect(f) AS facts, count(f) AS gone
FOREACH (f IN facts | DETACH DELETE f)
DETACH DELETE c
RETURN gone
"""

RETRACT: Final[LiteralString] = """
MATCH (c:Contact {contact_key: $contact_key})
SET c.places = c.places
WITH c
MATCH (c)-[:HAS_FACT]->(f:Fact {status: 'active'})
WHERE f.fact_id IN $fact_ids
SET f.status = 'closed', f.recorded_to = $now,
  f.valid_to = CASE WHEN f.valid_from > $now THEN f.valid_from ELSE $now END
RETURN count(f) AS gone
"""

OF_CONTACTS: Final[LiteralString] = """
UNWIND $contacts AS item
MATCH (:Contact {contact_key: item.contact_key})-[:HAS_FACT]->(f:Fact)
RETURN properties(f) AS fact ORDER BY f.place
"""

# The facts follow the other contact's own, in their order; what is left is a contact of nothing.
MOVE: Final[LiteralString] = """
MATCH (source:Contact {contact_key: $source_key}), (target:Contact {contact_key: $contact_key})
SET target.places = target.places + size($facts)
WITH source, target, target.places - size($facts) AS first
UNWIND range(0, size($facts) - 1) AS number
WITH source, target, first, number, $facts[number] AS item
MATCH (source)-[held:HAS_FACT]->(f:Fact {fact_id: item.fact_id})
DELETE held
CREATE (target)-[:HAS_FACT]->(f)
SET f += item, f.place = first + number
"""

DROP_EMPTY: Final[LiteralString] = """
MATCH (c:Contact {contact_key: $contact_key}) WHERE NOT (c)-[:HAS_FACT]->() DETACH DELETE c
"""

RENAME: Final[LiteralString] = """
MATCH (f:Fact {tenant: $tenant, anchor: $old_anchor})
SET f.anchor = $new_anchor
RETURN count(f) AS renamed
"""
