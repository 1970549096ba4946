"""The few Cypher statements of the fact store. Parameters only, so that plans are cached."""

from __future__ import annotations

from typing import Final, LiteralString

CONSTRAINTS: Final[tuple[LiteralString, ...]] = (
    "CREATE CONSTRAINT contact_key IF NOT EXISTS FOR (c:Contact) REQUIRE c.contact_key IS UNIQUE",
    "CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (f:Fact) REQUIRE f.fact_id IS UNIQUE",
)
AWAIT_INDEXES: Final[LiteralString] = "CALL db.awaitIndexes(60)"


def _time(name: LiteralString) -> LiteralString:
    return f"f.{name}.epochSeconds * 1000000 + f.{name}.microsecond"


# The fields of a `Fact` in their order, without their names, times as microseconds since 1970, and
# all facts in one record: the driver takes as long for a record as for a dozen values, and longer
# for times of its own.
_FACTS: Final[LiteralString] = f"""
RETURN collect([f.fact_id, f.tenant, f.contact_id, f.category, f.key, f.value, f.confidence,
  f.importance, f.source_uid, f.anchor, f.status, {_time("valid_from")}, {_time("valid_to")},
  {_time("recorded_from")}, {_time("recorded_to")}, f.closed_by, f.stated_confidence,
  coalesce(f.read_by, ''), f.span, {_time("expires_at")}]) AS facts
"""

# Writing to the contact locks it until the transaction ends; `places` counts its rows.
LOCK: Final[LiteralString] = """
UNWIND $contacts AS item
MERGE (c:Contact {contact_key: item.contact_key})
ON CREATE SET c.tenant = $tenant, c.contact_id = item.contact_id
SET c.places = coalesce(c.places, 0)
RETURN c.contact_id AS contact_id, c.places AS place
"""

RELEVANT: Final[LiteralString] = f"""
UNWIND $contacts AS item
MATCH (:Contact {{contact_key: item.contact_key}})-[:HAS_FACT]->(f:Fact)
WHERE f.key IN $keys
WITH f ORDER BY f.place {_FACTS}"""

# An id follows from what was said: a row that another contact has is the same one, said by somebody
# whose id has changed since.
INSERT: Final[LiteralString] = """
UNWIND $facts AS item
MATCH (c:Contact {contact_key: item.contact_key})
MERGE (f:Fact {fact_id: item.fact.fact_id})
WITH item, c, f
OPTIONAL MATCH (:Contact)-[held:HAS_FACT]->(f)
DELETE held
CREATE (c)-[:HAS_FACT]->(f)
SET f = item.fact, f.place = item.place, c.places = item.place + 1
"""

CHANGE: Final[LiteralString] = """
UNWIND $facts AS item
MATCH (f:Fact {fact_id: item.fact_id, tenant: $tenant})
SET f.confidence = item.confidence, f.status = item.status,
  f.valid_to = item.valid_to, f.recorded_to = item.recorded_to,
  f.closed_by = item.closed_by, f.stated_confidence = item.stated_confidence,
  f.read_by = item.read_by, f.span = item.span
"""

ACTIVE: Final[LiteralString] = f"""
MATCH (:Contact {{contact_key: $contact_key}})-[:HAS_FACT]->(f:Fact {{status: 'active'}})
WHERE f.valid_to IS NULL OR f.valid_to > $now
WITH f ORDER BY f.importance DESC, f.valid_from, f.place {_FACTS}"""

ACTIVE_OR_TOLD: Final[LiteralString] = f"""
MATCH (:Contact {{contact_key: $contact_key}})-[:HAS_FACT]->(f:Fact)
WHERE f.status = 'active' AND (f.valid_to IS NULL OR f.valid_to > $now)
  OR f.source_uid IN $told_by AND f.status IN ['active', 'closed', 'repeated']
WITH f ORDER BY f.importance DESC, f.valid_from, f.place {_FACTS}"""

HISTORY: Final[LiteralString] = f"""
MATCH (:Contact {{contact_key: $contact_key}})-[:HAS_FACT]->(f:Fact)
WHERE f.status <> 'retraction'
WITH f ORDER BY f.place {_FACTS}"""

HISTORY_OF: Final[LiteralString] = f"""
MATCH (:Contact {{contact_key: $contact_key}})-[:HAS_FACT]->(f:Fact)
WHERE f.status <> 'retraction' AND f.key IN $keys
WITH f ORDER BY f.place {_FACTS}"""

STATED: Final[LiteralString] = """
MATCH (:Contact {contact_key: $contact_key})-[:HAS_FACT]->(f:Fact)
WHERE f.status <> 'retraction' AND f.key IN $keys
WITH DISTINCT f.key AS key, f.value AS value, f.anchor AS anchor
RETURN collect([key, value, anchor]) AS stated"""

HOLDERS: Final[LiteralString] = """
UNWIND $ids AS id
MATCH (f:Fact {fact_id: id, tenant: $tenant})
RETURN f.fact_id AS fact_id, f.contact_id AS contact_id"""

ROWS: Final[LiteralString] = f"""
MATCH (:Contact {{contact_key: $contact_key}})-[:HAS_FACT]->(f:Fact)
WITH f ORDER BY f.place {_FACTS}"""

CONTACTS: Final[LiteralString] = """
MATCH (c:Contact {tenant: $tenant}) WHERE (c)-[:HAS_FACT]->()
RETURN c.contact_id AS contact_id ORDER BY contact_id
"""

CLEAR: Final[LiteralString] = """
MATCH (c:Contact {contact_key: $contact_key})-[:HAS_FACT]->(f:Fact)
DETACH DELETE f
"""

FORGET: Final[LiteralString] = """
MATCH (c:Contact {contact_key: $contact_key})
SET c.places = c.places
WITH c
OPTIONAL MATCH (c)-[:HAS_FACT]->(f:Fact)
WITH c, collect(f) AS facts, count(f) AS gone
FOREACH (f IN facts | DETACH DELETE f)
FOREACH (alone IN CASE WHEN c.has_entities IS NULL THEN [c] ELSE [] END | DETACH DELETE alone)
RETURN gone
"""

DROP_EMPTY: Final[LiteralString] = """
MATCH (c:Contact {contact_key: $contact_key})
WHERE NOT (c)-[:HAS_FACT]->() AND c.has_entities IS NULL
DETACH DELETE c
"""
