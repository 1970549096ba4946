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
from memory.recall.searching import FactHit, MessageHit, Room, SearchResult, search
from tests.fakes.reader import ScriptedReader
from tests.fakes.vectors import Gone
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
    room: Room | None = None,
) -> SearchResult:
    memory, tenant = stores.memory, stores.settings.tenant
    return await search(memory, tenant, contact, query, NOW, limit, with_core=with_core, room=room)


def _book(stores: Stores) -> Notebook:
    return Notebook(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


def _values(found: SearchResult) -> list[str]:
    return [hit.fact.value for hit in found.facts]


def _texts(found: SearchResult) -> list[str]:
    return [hit.stored.message.text for hit in found.messages]


async def test_found_is_what_the_contacts_direct_chat_may_be_told(stores: Stores) -> None:
    told = [
        _said(stores, "The ferry was late because of the fog. I like ferries."),
        _said(stores, "My ferry sank in the fog.", 1, chat="bob", sender="bob"),
        _said(stores, "The ferry party is a surprise.", 2, chat="team", is_group=True),
    ]
    await import_batches(stores.memory, stores.projector, [told])
    await stores.projector.caught_up()
    found = await _search(stores, "Why was the ferry late?")
    assert _texts(found) == [told[0].text]
    assert _values(found) == ["ferries"]
    assert found.facts[0].source == found.messages[0].stored
    assert (found.missing, found.left_out) == ((), ())
    assert await _search(stores, "Why was the ferry late?", contact="waha:zoe") == SearchResult()


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
    prompt = await _search(stores, "What do I like?", 100, room=Room(10, 3_000))
    left_out = {hit.fact.value for hit in prompt.left_out if isinstance(hit, FactHit)}
    assert 0 < len(left_out) < 80
    assert left_out.isdisjoint(_values(prompt))
    assert left_out | set(_values(prompt)) == set(_values(found))


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


async def test_episodes_are_found_where_a_talk_is_asked_for(stores: Stores) -> None:
    talks = (
        ("The databases are slow.", "Postgres is the faster of the databases.", "So Postgres."),
        ("The flat in Graz has a balcony.", "The rent of it is 900.", "We take the flat."),
    )
    days = 24 * 60
    lines = [
        [_said(stores, text, 4 * days * n + line) for line, text in enumerate(talk)]
        for n, talk in enumerate(talks)
    ]
    match = [_said(stores, f"Match {n} was a draw.", 9 * days + n) for n in range(21)]
    await import_batches(stores.memory, stores.projector, [*lines, match])
    await stores.projector.caught_up()
    found = await _search(stores, "What did we discuss about databases?")
    assert found.episodes[0].episode.first_uid == lines[0][0].uid
    assert "Postgres" in found.episodes[0].summary.text
    scores = [hit.score for hit in found.episodes]
    assert scores == sorted(scores, reverse=True)
    other = await _search(stores, "What did we discuss about databases?", contact="waha:bo")
    assert other.episodes == ()


async def test_what_says_the_same_is_found_once_and_what_is_withheld_never(stores: Stores) -> None:
    mat, hook = "The key is under the mat.", "The key of the shed hangs on the hook."
    asked = "Where is the key?"
    await _told(stores, asked, mat, "Thanks.", asked, hook, "I am tired.", "Good night.", mat)
    found = await _search(stores, asked)
    assert _texts(found)[:2] == [mat, hook]
    first, repeats = found.messages[0], [hit for hit in found.left_out if hit.cut == "repeat"]
    assert mat not in _texts(found)[1:]
    (repeat,) = [hit for hit in repeats if isinstance(hit, MessageHit) and hit.score > first.score]
    assert repeat.stored.message.text == mat
    assert first.stored.message.sent_at > repeat.stored.message.sent_at
    tenant = stores.settings.tenant
    said = await stores.memory.ledger.page(tenant, ANA, None, 10)
    await stores.memory.ledger.withhold(tenant, [each.uid for each in said])
    gone = await _search(stores, asked, room=Room(10, 3_000))
    assert (gone.messages, gone.left_out) == ((), ())


async def test_with_a_room_it_is_told_why_a_prompt_would_not_show_a_hit(stores: Stores) -> None:
    await _told(stores, *(f"Boiler visit number {n}, by the plumber." for n in range(25)))
    query = "When was the boiler visit?"
    found = await _search(stores, query, 20, room=Room(5, 3_000))
    assert {hit.cut for hit in found.left_out} == {"rank"}
    assert len(found.messages) + len(found.left_out) == 20
    best = [hit.score for hit in (*found.messages, *found.left_out)]
    assert best == sorted(best, reverse=True)
    tight = await _search(stores, query, 20, room=Room(5, 120))
    assert {hit.cut for hit in tight.left_out} == {"room", "rank"}
    assert not (await _search(stores, query, 20)).left_out


@pytest.mark.parametrize("query", ["", "  ", "\x00 "])
async def test_nothing_asked_finds_nothing(stores: Stores, query: str) -> None:
    await _told(stores, "I live in Oslo.")
    assert await _search(stores, query, with_core=True) == SearchResult()


async def test_a_query_that_no_store_takes_is_asked_all_the_same(stores: Stores) -> None:
    await _told(stores, "The red coat hangs here.")
    assert _texts(await _search(stores, "red\x00coat")) == ["The red coat hangs here."]


async def test_a_store_that_is_gone_is_missing_once_and_the_others_answer(stores: Stores) -> None:
    await _told(stores, "I live in Oslo.", "The red coat hangs here.")
    gone = Gone(StoreUnavailable("RECOLLECT_NEO4J_URI", "bolt://there", "Connection refused"))
    outages = Outages({"facts": 1.0, "vectors": 1.0})
    broken = replace(stores.memory, facts=gone, vectors=gone, outages=outages)
    found = await _search(replace(stores, memory=broken), "Where is the red coat?")
    assert sorted(found.missing) == ["facts", "vectors"]
    assert (found.facts, _texts(found)[:1]) == ((), ["The red coat hangs here."])


async def test_what_was_looked_at_and_what_each_feature_adds_are_told(stores: Stores) -> None:
    await _told(stores, "The red coat hangs here.", "The blue one does not.")
    tenant = stores.settings.tenant
    found = await search(
        stores.memory, tenant, ANA, "Where is the red coat?", NOW, 5, by_feature=True
    )
    assert found.looked_at is not None
    assert found.looked_at.lines == 2
    assert {"late_window", "dense"} <= set(found.messages[0].parts)
    assert found.certainty is not None


async def test_what_shares_nothing_with_the_question_is_not_near(stores: Stores) -> None:
    await _told(stores, *(f"Boiler visit number {n}." for n in range(9)))
    assert (await _search(stores, "When was the boiler visit?")).is_near
    assert not (await _search(stores, "zzzzqqq")).is_near
