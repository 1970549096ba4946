"""The entity contract on Neo4j, and the graph that one looks at there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase

from memory.neo4j.entities import Neo4jEntityStore
from memory.neo4j.facts import Neo4jFactStore
from tests.contract.entities.contract import ANA, Backend, EntityStoreContract, life_of_ana
from tests.contract.facts.backend import T0, said
from tests.contract.facts.test_neo4j import neo4j_server


@pytest.fixture
async def driver() -> AsyncIterator[AsyncDriver]:
    """Connect to the test server."""
    uri, user, password = neo4j_server()
    async with AsyncGraphDatabase.driver(uri, auth=(user, password) if user else None) as opened:
        yield opened


@pytest.fixture
async def backend(driver: AsyncDriver) -> AsyncIterator[Backend]:
    """A store with a tenant of its own, wiped in the end."""
    tenant = f"t-{uuid4()}"

    async def count(tenant: str, contact_id: str) -> int:
        (row,) = await _rows(
            driver,
            "MATCH (e:Entity {tenant: $tenant, contact_key: $key}) RETURN count(e) AS n",
            tenant=tenant,
            key=f"{tenant}\x1f{contact_id}",
        )
        return int(row["n"])

    yield Backend(Neo4jEntityStore(driver), tenant, count)
    await driver.execute_query(
        "MATCH (n) WHERE n.tenant STARTS WITH $tenant DETACH DELETE n", {"tenant": tenant}
    )


async def _rows(driver: AsyncDriver, query: str, **values: str) -> list[dict[str, Any]]:
    found = await driver.execute_query(query, values)
    return [record.data() for record in found.records]


class TestNeo4j(EntityStoreContract):
    """Entities in a Neo4j graph."""


@pytest.mark.anyio
async def test_the_graph_has_labels_and_typed_relationships(
    backend: Backend, driver: AsyncDriver
) -> None:
    await backend.store.replace(backend.tenant, ANA, life_of_ana())
    ties = await _rows(
        driver,
        "MATCH (:Contact {tenant: $tenant})-[r]->(e:Entity) "
        "RETURN type(r) AS type, labels(e) AS labels, e.name AS name, r.until IS NULL AS holds",
        tenant=backend.tenant,
    )
    found = {(t["type"], *sorted(set(t["labels"]) - {"Entity"}), t["name"]) for t in ties}
    assert found >= {
        ("MARRIED_TO", "Person", "Priya"),
        ("HAS_PET", "Pet", "Bruno"),
        ("LIVES_IN", "Place", "Leeds"),
        ("WORKS_AT", "Organisation", "Acme"),
        ("OWNS", "Thing", "a boat"),
        ("RELATED_TO", "Person", "cousin"),
        ("KNOWS", "Person", "boss"),
    }
    assert [t["name"] for t in ties if not t["holds"]] == ["Acme"]
    works = await _rows(
        driver,
        "MATCH (:Person {tenant: $tenant, name: 'Priya'})-[w:WORKS_AT]->(o:Organisation) "
        "RETURN o.name AS name, w.claimed_by AS by, w.source_uid AS source, "
        "w.until IS NULL AS holds ORDER BY w.since",
        tenant=backend.tenant,
    )
    assert works == [
        {"name": "Acme", "by": ANA, "source": "u7", "holds": False},
        {"name": "Initech", "by": ANA, "source": "u8", "holds": True},
    ]


@pytest.mark.anyio
async def test_messages_are_ids_and_no_texts(backend: Backend, driver: AsyncDriver) -> None:
    await backend.store.replace(backend.tenant, ANA, life_of_ana())
    found = await _rows(
        driver,
        "MATCH (:Person {tenant: $tenant, name: 'Priya'})-[:MENTIONED_IN]->(m:Message) "
        "RETURN m.uid AS uid, keys(m) AS keys",
        tenant=backend.tenant,
    )
    assert sorted(each["uid"] for each in found) == ["u1", "u7", "u8", "u9"]
    assert {key for each in found for key in each["keys"]} == {
        "message_key", "contact_key", "tenant", "uid",
    }  # fmt: skip


@pytest.mark.anyio
async def test_facts_and_entities_of_a_contact_share_its_node(
    backend: Backend, driver: AsyncDriver
) -> None:
    tenant, facts = backend.tenant, Neo4jFactStore(driver)
    await facts.apply(tenant, ANA, [said("home", "Leeds")], T0)
    await backend.store.replace(tenant, ANA, life_of_ana())
    assert await facts.forget(tenant, ANA) == 1
    assert await backend.store.of(tenant, ANA) == life_of_ana()
    await facts.apply(tenant, ANA, [said("home", "Leeds")], T0)
    await backend.store.replace(tenant, ANA, [])
    assert len(await facts.active(tenant, ANA)) == 1
    await facts.forget(tenant, ANA)
    assert await _rows(driver, "MATCH (n {tenant: $tenant}) RETURN n", tenant=tenant) == []
