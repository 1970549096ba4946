"""The fact contract on Neo4j, at RECOLLECT_TEST_NEO4J_URI."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from neo4j import AsyncGraphDatabase

from memory.errors import StoreUnavailable
from memory.neo4j.facts import neo4j_store, open_neo4j
from tests.contract.facts.backend import ALEX, Backend, StoppedClock, said
from tests.contract.facts.contract import FactStoreContract
from tests.fakes.wire import Wire

_URI = "RECOLLECT_TEST_NEO4J_URI"


def neo4j_server() -> tuple[str, str, str]:
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
        uri, user, password = neo4j_server()
        clock = StoppedClock()
        store = await open_neo4j(uri, user, password, clock)
        beside = await open_neo4j(uri, user, password, clock)
        driver = AsyncGraphDatabase.driver(uri, auth=(user, password) if user else None)
        tenant = f"t-{uuid4()}"

        async def count(tenant: str, contact_id: str) -> int:
            found = await driver.execute_query(
                "MATCH (f:Fact {tenant: $tenant, contact_id: $contact_id}) RETURN count(f) AS n",
                {"tenant": tenant, "contact_id": contact_id},
            )
            return int(found.records[0]["n"])

        yield Backend(store, beside, tenant, count, clock)
        await driver.execute_query(
            "MATCH (n) WHERE n.tenant STARTS WITH $tenant DETACH DELETE n", {"tenant": tenant}
        )
        await driver.close()
        await beside.close()
        await store.close()


@pytest.mark.anyio
async def test_a_store_that_was_not_there_at_the_start_prepares_itself_when_it_is() -> None:
    uri, user, password = neo4j_server()
    parts = urlsplit(uri)
    async with Wire(lambda: asyncio.open_connection(parts.hostname, parts.port or 7687)) as wire:
        await wire.cut()
        store = neo4j_store(f"bolt://127.0.0.1:{wire.port}", user, password)
        try:
            with pytest.raises(StoreUnavailable, match="RECOLLECT_NEO4J_URI: cannot reach"):
                await store.active("t", "web:nobody")
            await wire.mend()
            assert await store.active("t", "web:nobody") == []
        finally:
            await store.close()


@pytest.mark.anyio
async def test_an_unreachable_server_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        await open_neo4j("bolt://neo4j:s3cret@127.0.0.1:9", "neo4j", "s3cret")
    assert "RECOLLECT_NEO4J_URI: cannot reach bolt://127.0.0.1:9 (" in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["127.0.0.1:no-such-port", "two..dots:7687"])
async def test_a_server_whose_name_leads_nowhere_is_away_and_may_come_back(host: str) -> None:
    with pytest.raises(StoreUnavailable, match="its name leads nowhere"):
        await open_neo4j(f"bolt://{host}", "neo4j", "s3cret")


@pytest.mark.anyio
async def test_who_is_dropped_while_facts_wait_for_them_is_made_anew() -> None:
    uri, user, password = neo4j_server()
    store, tenant = await open_neo4j(uri, user, password), f"t-{uuid4()}"
    driver = AsyncGraphDatabase.driver(uri, auth=(user, password) if user else None)
    try:
        seen = said("home", "Leeds")
        await store.apply(tenant, ALEX, [seen], seen.stated_at)
        async with driver.session() as session, await session.begin_transaction() as dropping:
            await dropping.run(
                "MATCH (c:Contact {tenant: $tenant}) OPTIONAL MATCH (c)--(f) DETACH DELETE c, f",
                {"tenant": tenant},
            )
            told = said("home", "York", 5)
            waiting = asyncio.create_task(store.apply(tenant, ALEX, [told], told.stated_at))
            await asyncio.sleep(0.5)
            await dropping.commit()
        assert [fact.value for fact in (await waiting).activated] == ["York"]
        assert [fact.value for fact in await store.active(tenant, ALEX)] == ["York"]
    finally:
        await store.forget(tenant, ALEX)
        await driver.close()
        await store.close()
