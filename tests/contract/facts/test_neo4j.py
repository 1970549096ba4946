"""The fact contract on Neo4j, at RECOLLECT_TEST_NEO4J_URI."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from neo4j import AsyncGraphDatabase

from memory.errors import StoreUnavailable
from memory.neo4j.facts import open_neo4j
from tests.contract.facts.contract import Backend, FactStoreContract

_URI = "RECOLLECT_TEST_NEO4J_URI"


def _server() -> tuple[str, str, str]:
    uri = os.environ.get(_URI, "")
    if not uri:
        reason = f"{_URI} is not set: start a Neo4j 5 and name its Bolt address"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    user = os.environ.get("RECOLLECT_TEST_NEO4J_USER", "")
    return uri, user, os.environ.get("RECOLLECT_TEST_NEO4J_PASSWORD", "")


class TestNeo4j(FactStoreContract):
    """Facts in a Neo4j graph."""

    @pytest.fixture
    async def backend(self) -> AsyncIterator[Backend]:
        uri, user, password = _server()
        store = await open_neo4j(uri, user, password)
        driver = AsyncGraphDatabase.driver(uri, auth=(user, password) if user else None)
        tenant = f"t-{uuid4()}"

        async def count(tenant: str, contact_id: str) -> int:
            found = await driver.execute_query(
                "MATCH (f:Fact {tenant: $tenant, contact_id: $contact_id}) RETURN count(f) AS n",
                {"tenant": tenant, "contact_id": contact_id},
            )
            return int(found.records[0]["n"])

        yield Backend(store, tenant, count)
        await driver.execute_query(
            "MATCH (n) WHERE n.tenant STARTS WITH $tenant DETACH DELETE n", {"tenant": tenant}
        )
        await driver.close()
        await store.close()


@pytest.mark.anyio
async def test_an_unreachable_server_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        await open_neo4j("bolt://neo4j:s3cret@127.0.0.1:9", "neo4j", "s3cret")
    assert "RECOLLECT_NEO4J_URI: cannot reach bolt://127.0.0.1:9 (" in str(caught.value)
    assert "s3cret" not in str(caught.value)
