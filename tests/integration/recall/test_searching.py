"""What a search through a contact's memory finds, on real stores."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.chats import Message
from memory.errors import StoreUnavailable
from memory.facts.notebook import About, Notebook
from memory.ports.outages import Outages
from memory.projection.importing import import_batches
from memory.recall.searching import SearchResult, search
from tests.fakes.memory import Gone
from tests.fakes.reader import ScriptedReader
from tests.messages import START, message
from tests.projecting import known

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


def _book(stores: Stores) -> Notebook:
    return Notebook(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


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


async def test_notes_are_found_as_notes_where_they_may_surface(stores: Stores) -> None:
    await _told(stores, "I like boats.")
    book = _book(stores)
    await book.add("The boat stands in the shed.", "semantic", About(ANA))
    await book.add("The boat house opens at nine.", "reflective", About())
    await book.add("The boat of Bob leaks.", "semantic", About("waha:bob"))
    found = await _search(stores, "Where is the boat?")
    notes = {hit.fact.value: hit.note.scope for hit in found.facts if hit.note}
    assert notes == {
        "The boat stands in the shed.": "contact",
        "The boat house opens at nine.": "tenant",
    }
    assert [hit.fact.value for hit in found.facts if not hit.note] == ["boats"]
    house = await _search(stores, "Where is the boat?", contact="")
    assert _values(house) == ["The boat house opens at nine."]
    await book.forget("shed", ["semantic"], About(ANA))
    assert "The boat stands in the shed." not in _values(await _search(stores, "the boat?"))


async def test_a_claim_of_whom_the_query_names_is_told_apart(settings: Settings) -> None:
    said = "My wife Priya works at Acme."
    reader = ScriptedReader({said: ["spouse=Priya", "Priya.employer=Acme"]})
    async with open_stores(settings, Overrides(reader=reader)) as stores:
        await known(stores, _said(stores, said))
        found = await _search(stores, "Where does my wife work?")
        claims = {hit.fact.value: hit.score for hit in found.facts if hit.is_claim}
        assert claims == {"Acme": 1.0}
        few = await _search(stores, "Where does my wife Priya work?", 1)
        assert [hit.is_claim for hit in few.facts] == [True, False]


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
