"""What a search through a contact's memory finds, on real stores."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.stores import Stores
from memory.domain.chats import Message
from memory.errors import StoreUnavailable
from memory.ports.outages import Outages
from memory.projection.importing import import_batches
from memory.recall.searching import SearchResult, search
from tests.fakes.memory import Gone
from tests.messages import START, message

pytestmark = pytest.mark.anyio

ANA = "waha:ana"
NOW = START + timedelta(days=40)


def _said(stores: Stores, text: str, minutes: float = 0, **rest: object) -> Message:
    tenant = stores.settings.tenant
    return message(text, tenant=tenant, minutes=minutes, **rest)  # type: ignore[arg-type]


async def _told(stores: Stores, *texts: str) -> None:
    lines = [_said(stores, text, minutes) for minutes, text in enumerate(texts)]
    await import_batches(stores.memory, stores.projector, [lines])
    await stores.projector.caught_up()


async def _search(
    stores: Stores,
    query: str,
    limit: int = 10,
    contact: str = ANA,
    *,
    with_core: bool = False,
) -> SearchResult:
    memory, tenant = stores.memory, stores.settings.tenant
    return await search(memory, tenant, contact, query, NOW, limit, with_core=with_core)


def _values(found: SearchResult) -> list[str]:
    return [hit.fact.value for hit in found.facts]


async def test_facts_come_by_how_far_they_fit_and_the_core_behind_them(stores: Stores) -> None:
    await _told(stores, "I'm allergic to peanuts. I live in Oslo. I love peanut butter, and jazz.")
    found = await _search(stores, "Do I love jazz?")
    assert _values(found)[0] == "jazz"
    scores = [hit.score for hit in found.facts]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] <= scores[0] <= 1
    assert "Oslo" not in _values(found)
    core = await _search(stores, "Do I love jazz?", with_core=True)
    assert _values(core)[: len(scores)] == _values(found)
    assert {"Oslo", "peanuts"} <= set(_values(core))


async def test_every_fact_that_fits_is_found_though_a_prompt_holds_fewer(stores: Stores) -> None:
    tastes = (f"I like place number {n}." for n in range(80))
    await _told(stores, "I live in Oslo. My dog is called Rex.", *tastes)
    found = await _search(stores, "What do I like?", 100)
    assert sum(value.startswith("place") for value in _values(found)) == 80
    assert len((await _search(stores, "What do I like?", 7)).facts) == 7


@pytest.mark.parametrize("query", ["", "  ", "\x00 "])
async def test_nothing_asked_finds_nothing(stores: Stores, query: str) -> None:
    await _told(stores, "I live in Oslo.")
    assert await _search(stores, query, with_core=True) == SearchResult()


async def test_a_store_that_is_gone_is_missing_once_and_the_others_answer(stores: Stores) -> None:
    await _told(stores, "I live in Oslo.", "The red coat hangs here.")
    gone = Gone(StoreUnavailable("RECOLLECT_NEO4J_URI", "bolt://there", "Connection refused"))
    outages = Outages({"facts": 1.0, "vectors": 1.0})
    broken = replace(stores.memory, facts=gone, vectors=gone, outages=outages)
    found = await _search(replace(stores, memory=broken), "Where is the red coat?")
    assert sorted(found.missing) == ["facts", "vectors"]
    assert found.facts == ()
