"""The queries of docs/graph.md return on a real Neo4j what stands below them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase

from memory.domain.entities import NAMED
from memory.facts.entities.linking import entities_of
from memory.neo4j.entities import Neo4jEntityStore
from tests.contract.facts.test_neo4j import neo4j_server
from tests.unit.memory.facts.entities.building import claim, facts

DAY = 24 * 60
QUERY = re.compile(r"```cypher\n(.*?)```\n\n?((?:\|[^\n]*\n)*)", re.DOTALL)
_, *TOLD = QUERY.findall(Path("docs/graph.md").read_text("utf-8"))
KNOWN = [
    ("spouse", "Priya", 1), ("home", "Leeds", 2), ("employer", "Initech", 3), ("pet", "Bruno", 4),
    ("child", "Mia", 5), ("possession", "a red bicycle", 6),
]  # fmt: skip
CLAIMED = [
    ("wife", NAMED, "Priya", 1), ("dog", NAMED, "Bruno", 4), ("Bruno", "age", "7", 4),
    ("daughter", NAMED, "Mia", 5), ("Priya", "employer", "Acme", 7),
    ("Mia", "school", "Roundhay", 8), ("sister", NAMED, "Ana", 9), ("Ana", "home", "Porto", 9),
    ("Ana", "spouse", "Tom", 10), ("Tom", "employer", "Acme", 11), ("boss", NAMED, "Ana", 12),
    ("Ana", "home", "Leeds", 12), ("wife", "employer", "Initech", 13),
    ("Mia", "allergy", "nuts", 14), ("mother", "home", "Porto", 15),
]  # fmt: skip


@pytest.fixture
async def driver() -> AsyncIterator[tuple[AsyncDriver, str]]:
    """Connect to a server where the contact of the picture is a tenant's."""
    uri, user, password = neo4j_server()
    tenant = f"t-{uuid4()}"
    async with AsyncGraphDatabase.driver(uri, auth=(user, password) if user else None) as opened:
        known = facts(*((key, value, day * DAY) for key, value, day in KNOWN))
        known = [replace(fact, source_uid=_uid(fact.source_uid)) for fact in known]
        told = [claim(who, key, value, day * DAY) for who, key, value, day in CLAIMED]
        told = [replace(each, source_uid=_uid(each.source_uid)) for each in told]
        life = entities_of(tenant, known, told)
        await Neo4jEntityStore(opened).replace(tenant, "web:me", life)
        yield opened, tenant
        await opened.execute_query("MATCH (n {tenant: $t}) DETACH DELETE n", {"t": tenant})


@pytest.mark.anyio
@pytest.mark.parametrize(("query", "table"), TOLD)
async def test_a_query_returns_what_stands_below_it(
    driver: tuple[AsyncDriver, str], query: str, table: str
) -> None:
    opened, tenant = driver
    found = await opened.execute_query(query.replace("'default'", f"'{tenant}'"))
    rows = [list(found.keys), *([_shown(value) for value in each] for each in found.records)]
    head, _, *body = ([cell.strip() for cell in row[1:-1].split("|")] for row in table.splitlines())
    assert rows == [head, *body]


def _shown(value: Any) -> str:  # Any: the driver's values
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _uid(uid: str) -> str:
    """Return the uid of a message by its day: `m07`."""
    return f"m{int(uid[1:]) // DAY:02}"
