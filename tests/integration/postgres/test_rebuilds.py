"""Generations that are begun, interrupted, worked off and put in the place of those that serve."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from memory.domain.projections import ProjectionName
from memory.embedded import EmbeddedStores
from memory.errors import RebuildReplaced
from memory.ports.rebuilds import Building
from memory.postgres.backlog import PostgresBacklog
from memory.postgres.ledger import PostgresLedger
from memory.postgres.pool import Pool, open_pool
from memory.postgres.rebuilds import PostgresRebuilds
from tests.messages import message
from tests.stores import migrated_database

pytestmark = pytest.mark.anyio

WANTED: dict[ProjectionName, str] = {"vectors": "new", "fact_vectors": "new"}


@pytest.fixture
async def pool(embedded: EmbeddedStores) -> AsyncIterator[Pool]:
    """Open a database of the test's own: generations are everybody's."""
    async with open_pool(migrated_database(embedded.database_url)) as opened:
        yield opened


async def _items(*items: str, breaks: bool = False) -> AsyncIterator[tuple[str, Sequence[str]]]:
    for item in items:
        yield "t", [item]
    if breaks:
        raise InterruptedError


async def _done(pool: Pool, building: Building) -> list[str]:
    """Work a generation off; return what it was owed."""
    backlog = PostgresBacklog(pool)
    key = (building.projection, building.number)
    taken = await backlog.take(*key, ["t"], "me", 100, early=True)
    await backlog.done(*key, taken)
    return [each.item for each in taken]


async def _serving(pool: Pool) -> dict[ProjectionName, int]:
    generations = await PostgresBacklog(pool).generations()
    return {each.projection: each.number for each in generations if each.is_serving}


async def test_it_serves_once_everything_is_enrolled_and_nothing_waits(pool: Pool) -> None:
    rebuilds, backlog = PostgresRebuilds(pool), PostgresBacklog(pool)
    await backlog.owe("t", ["vectors"], ["old"])
    building = await rebuilds.begin(WANTED)
    vectors, facts = building
    assert [(each.number, each.is_enrolled) for each in building] == [(2, False), (2, False)]
    assert not await rebuilds.serve(building)
    with pytest.raises(InterruptedError):
        await rebuilds.enrol(vectors, _items("a", "b", breaks=True))
    assert await rebuilds.begin(WANTED) == building
    await rebuilds.enrol(vectors, _items("a", "b", "a"))
    await rebuilds.enrol(facts, _items())
    assert [each.is_enrolled for each in await rebuilds.begin(WANTED)] == [True, True]
    assert await rebuilds.waiting(building) == 2
    assert not await rebuilds.serve(building)
    assert await _done(pool, vectors) == ["a", "b"]
    for _ in range(2):
        assert await rebuilds.serve(building)
        assert await _serving(pool) == {
            "vectors": 2,
            "tokens": 1,
            "facts": 1,
            "fact_vectors": 2,
            "entities": 1,
            "open_loops": 1,
            "episodes": 1,
            "episode_vectors": 1,
            "contact_states": 1,
            "uses": 1,
        }
    made_by = {each.projection: each.fingerprint for each in await backlog.generations()}
    assert {name for name, fingerprint in made_by.items() if fingerprint == "new"} == WANTED.keys()
    assert not (await backlog.arrears(["t"]))["vectors"].waiting


async def test_what_is_stored_meanwhile_is_owed_to_both(pool: Pool) -> None:
    rebuilds = PostgresRebuilds(pool)
    said = message("hello", tenant="t")
    (vectors,) = await rebuilds.begin({"vectors": "new"})
    await PostgresLedger(pool).record([said], history=True)
    await rebuilds.enrol(vectors, _items())
    assert not await rebuilds.serve([vectors])
    assert await _done(pool, Building("vectors", 1, True)) == [said.uid]
    assert await _done(pool, vectors) == [said.uid]
    assert await rebuilds.serve([vectors])


async def test_whoever_stores_without_knowing_of_it_is_waited_for(pool: Pool) -> None:
    rebuilds = PostgresRebuilds(pool)
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("select owe('t', array['vectors'], array['m'], interval '0')")
        beginning = asyncio.create_task(rebuilds.begin({"vectors": "new"}))
        await asyncio.sleep(0.2)
        assert not beginning.done()
    assert [each.number for each in await beginning] == [2]


async def test_another_fingerprint_takes_its_place_under_another_number(pool: Pool) -> None:
    rebuilds, backlog = PostgresRebuilds(pool), PostgresBacklog(pool)
    first = await rebuilds.begin({"vectors": "one"})
    await rebuilds.enrol(first[0], _items("a"))
    second = await rebuilds.begin({"vectors": "two"})
    assert [each.number for each in (*first, *second)] == [2, 3]
    assert await backlog.owed("vectors", 2, "t", ["a"]) == set()
    with pytest.raises(RebuildReplaced):
        await rebuilds.serve(first)
    assert (await _serving(pool))["vectors"] == 1
    await rebuilds.enrol(second[0], _items())
    assert await rebuilds.serve(second)
    assert (await _serving(pool))["vectors"] == 3


async def test_what_failed_for_good_keeps_nothing_back(pool: Pool) -> None:
    rebuilds, backlog = PostgresRebuilds(pool), PostgresBacklog(pool)
    (vectors,) = await rebuilds.begin({"vectors": "new"})
    await rebuilds.enrol(vectors, _items("a"))
    (owed,) = await backlog.take("vectors", 2, ["t"], "me", 1, early=True)
    await backlog.set_aside("vectors", 2, owed, "it cannot be embedded")
    assert await rebuilds.serve([vectors])
    assert [each.item for each in await backlog.aside(["t"], 9)] == ["a"]
