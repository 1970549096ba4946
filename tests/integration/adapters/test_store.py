"""Our memory as LangGraph's `BaseStore`, beside its own in-memory store where both can do it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from graph.adapters import (
    MemoryNodes,
    MemoryRetriever,
    MemoryState,
    MemoryStore,
    opened_in_thread,
)
from graph.adapters.shelves import NotKept
from graph.adapters.store import label
from graph.adapters.threads import StoresClosed, WrongThread
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.errors import RecollectError
from tests.fakes.reader import ScriptedReader
from tests.messages import message
from tests.projecting import known

pytestmark = pytest.mark.anyio

ANA, BOB = "waha:4915@c.us", "telegram:7"


@pytest.fixture
async def store(stores: Stores) -> MemoryStore:
    return MemoryStore(stores)


def _plain(found: Any) -> Any:
    """Return results without times and scores, which no two stores share."""
    if isinstance(found, (Item, SearchItem)):
        return found.namespace, found.key, found.value
    return [_plain(each) for each in found] if isinstance(found, list) else found


async def _script(store: BaseStore, tenant: str) -> list[Any]:
    ana, bob = (tenant, label(ANA), "notes"), (tenant, label(BOB), "notes")
    house = (tenant, "house", "notes")
    done: list[Any] = [await store.aget(ana, "n1"), await store.asearch(ana)]
    await store.aput(ana, "n1", {"text": "Pays by bank transfer."})
    await store.aput(ana, "n2", {"text": "home: Rome", "rank": 2})
    await store.aput(ana, "odd key/7 é", {"deep": {"a": [1, None, "x  y\n{z}"]}, "rank": 3})
    await store.aput(bob, "n1", {"text": "{no json", "rank": 1})
    await store.aput(house, "hours", {"text": "Closed on Mondays."})
    done += [await store.aget(ana, key) for key in ("n1", "n2", "odd key/7 é", "n3")]
    await store.aput(ana, "n1", {"text": "Pays in cash."})
    done += [await store.aget(ana, "n1"), await store.aget(bob, "n1")]
    filters: list[dict[str, Any]] = [
        {"rank": 2},
        {"rank": {"$ne": 3}, "text": "{no json"},
        {"deep": {"a": [1, None, "x  y\n{z}"]}},
        {"no": 1},
    ]
    done += [await store.asearch((tenant,), filter=each) for each in filters]
    done.append(await store.asearch((tenant, label(BOB))))
    done += [
        await store.alist_namespaces(),
        await store.alist_namespaces(prefix=(tenant, "*", "notes"), limit=2),
        await store.alist_namespaces(suffix=("notes",), max_depth=2, offset=1),
        await store.alist_namespaces(prefix=("elsewhere",)),
    ]
    await store.adelete(ana, "n1")
    await store.adelete(ana, "never there")
    done += [await store.aget(ana, "n1"), len(await store.asearch(ana))]
    done += await store.abatch(
        [
            PutOp(ana, "b", {"text": "first"}),
            GetOp(ana, "b"),
            PutOp(ana, "b", {"text": "second"}),
            SearchOp((tenant, label(BOB)), limit=1),
            ListNamespacesOp(match_conditions=(MatchCondition("suffix", ("notes",)),)),
        ]
    )
    done.append(await store.aget(ana, "b"))
    return [_plain(each) for each in done]


async def test_what_both_can_do_comes_out_the_same(store: MemoryStore, stores: Stores) -> None:
    tenant = label(stores.settings.tenant)
    ours, theirs = await _script(store, tenant), await _script(InMemoryStore(), tenant)
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        assert mine == other, number


async def test_facts_are_items_by_their_key(store: MemoryStore, stores: Stores) -> None:
    facts = store.namespace(ANA, "facts")
    await store.aput(facts, "home", {"value": "Lisbon"})
    await store.aput(facts, "home", {"value": "Faro"})
    await store.aput(facts, "pet=Rex", {"value": "Rex"})
    home = await store.aget(facts, "home")
    assert home is not None
    assert (home.value["value"], home.value["how"]) == ("Faro", "corrected")
    held = await stores.memory.facts.active(stores.settings.tenant, ANA)
    assert {(fact.key, fact.value) for fact in held} == {("home", "Faro"), ("pet", "Rex")}
    found = await store.asearch(facts, filter={"category": "identity", "value": "Rex"})
    assert [item.key for item in found] == ["pet=Rex"]
    await store.adelete(facts, "home")
    await store.adelete(facts, "no such key")
    assert [item.key for item in await store.asearch(facts)] == ["pet=Rex"]


async def test_a_search_by_words_finds_what_this_contact_may_hear(
    store: MemoryStore, stores: Stores
) -> None:
    agent, tenant = agent_on(stores), stores.settings.tenant
    told = (
        ("I'm allergic to peanuts.", "ana", "ana"),
        ("The ferry was late because of the fog.", "ana", "ana"),
        ("My ferry sank in the fog.", "bob", "bob"),
        ("The ferry party is secret.", "ana", "team"),
    )
    for text, sender, chat in told:
        said = message(text, tenant=tenant, chat=chat, sender=sender, is_group=chat == "team")
        async for _ in agent.send(said):
            pass
    await store.aput(store.namespace("waha:ana", "notes"), "n", {"text": "Takes the ferry daily."})
    await stores.projector.caught_up()
    of_ana = store.namespace("waha:ana", "any")[:2]
    found = await store.asearch(of_ana, query="Why was the ferry late in the fog?")
    texts = [item.value.get("text") for item in found]
    assert "The ferry was late because of the fog." in texts
    assert "Takes the ferry daily." in texts
    assert not any("sank" in str(text) or "secret" in str(text) for text in texts)
    assert all(item.score is not None for item in found)
    said_only = await store.asearch((*of_ana, "messages"), query="the ferry", limit=1)
    assert [item.namespace[2] for item in said_only] == ["messages"]
    assert await store.aget(said_only[0].namespace, said_only[0].key) is not None
    theirs = store.namespace("waha:bob", "messages")
    assert await store.aget(theirs, said_only[0].key) is None
    allergy = await store.asearch((*of_ana, "facts"), query="Am I allergic to peanuts?")
    assert [(item.key, item.value["value"]) for item in allergy] == [("allergy=peanuts", "peanuts")]


async def test_what_is_told_of_others_is_no_item_and_a_blank_query_lists(
    settings: Settings,
) -> None:
    said = "My wife Priya works at Acme."
    reader = ScriptedReader({said: ["spouse=Priya", "Priya.employer=Acme"]})
    async with open_stores(settings, Overrides(reader=reader)) as stores:
        await known(stores, message(said, tenant=settings.tenant))
        store = MemoryStore(stores)
        facts = store.namespace("waha:ana", "facts")
        found = await store.asearch(facts, query="Where does my wife Priya work?", limit=1)
        assert [(item.key, item.value["value"]) for item in found] == [("spouse", "Priya")]
        assert found[0].score
        listed = await store.asearch(facts, query=" ")
        assert _plain(listed) == _plain(await store.asearch(facts))


async def test_what_cannot_be_mapped_is_refused_in_a_line(
    store: MemoryStore, stores: Stores
) -> None:
    tenant = label(stores.settings.tenant)
    facts, notes = store.namespace(ANA, "facts"), store.namespace(ANA, "notes")
    wrong: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
        (("users", "1"), "k", {"a": 1}),
        (("elsewhere", label(ANA), "notes"), "k", {"text": "x"}),
        ((tenant, "house", "facts"), "home", {"value": "Rome"}),
        (store.namespace(ANA, "messages"), "k", {"text": "x"}),
        (facts, "pet", {"value": "Rex"}),
        (facts, "home=Rome", {"value": "Rome"}),
        (facts, "home", {"text": "Rome"}),
        (facts, "shoe_size", {"value": "44"}),
        (notes, "k", {"text": "x" * 700}),
        (notes, "k\n", {"text": "x"}),
    ]
    for namespace, key, value in wrong:
        with pytest.raises(RecollectError) as refused:
            await store.aput(namespace, key, value)
        assert "\n" not in str(refused.value)
    with pytest.raises(NotKept):
        await store.asearch((tenant,), query="the ferry")
    with pytest.raises(InvalidNamespaceError):
        await store.aput((tenant, ANA, "notes"), "k", {"text": "x"})
    assert await store.asearch(("elsewhere",)) == []
    assert await store.asearch(("elsewhere", "x"), query="y") == []
    assert await store.alist_namespaces() == []


async def test_a_graph_uses_it_as_its_store(store: MemoryStore, stores: Stores) -> None:
    async def node(state: MessagesState) -> dict[str, Any]:
        await get_store().aput(store.namespace(ANA, "facts"), "home", {"value": "Faro"})
        return {}

    graph = StateGraph(MessagesState)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    await graph.compile(store=store).ainvoke({"messages": []})
    held = await stores.memory.facts.active(stores.settings.tenant, ANA)
    assert [fact.value for fact in held] == ["Faro"]


async def test_many_at_once_keep_one_item_a_key(store: MemoryStore) -> None:
    notes = store.namespace(ANA, "notes")
    puts = [store.aput(notes, f"k{n % 3}", {"text": f"note {n}"}) for n in range(9)]
    await asyncio.gather(*puts)
    assert sorted(item.key for item in await store.asearch(notes)) == ["k0", "k1", "k2"]


def test_a_program_without_an_event_loop_puts_and_gets(settings: Settings) -> None:
    with opened_in_thread(settings) as (stores, loop):
        store = MemoryStore(stores, loop)
        notes = store.namespace(ANA, "notes")
        store.put(notes, "n", {"text": "Pays in cash."})
        assert store.get(notes, "n") is not None
        assert store.list_namespaces() == [notes]
        store.delete(notes, "n")
        assert store.search(notes) == []
        with pytest.raises(WrongThread, match="pass the one that the stores live on as `loop`"):
            MemoryStore(stores)
        with pytest.raises(WrongThread, match="No event loop runs here"):
            MemoryRetriever(stores=stores, contact="ana")
    with pytest.raises(StoresClosed, match="The stores are closed: use them within"):
        store.get(notes, "n")


async def test_what_was_just_said_is_listed_at_once(stores: Stores) -> None:
    store = MemoryStore(stores)
    said = MemoryState(messages=[HumanMessage("My cat is called Tom.", id="1")])
    run: RunnableConfig = {"configurable": {"contact": "olga", "thread_id": "t"}}
    await MemoryNodes(stores).store(said, run)
    messages = store.namespace("web:olga", "messages")
    assert messages in await store.alist_namespaces()
    for prefix in (messages, messages[:2], messages[:1]):
        texts = [item.value.get("text") for item in await store.asearch(prefix)]
        assert "My cat is called Tom." in texts, prefix


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
async def test_a_number_that_json_has_not_is_refused_as_one(
    store: MemoryStore, number: float
) -> None:
    with pytest.raises(NotKept, match="a note is a JSON object: texts, finite numbers"):
        await store.aput(store.namespace(ANA, "notes"), "k", {"rank": number})


async def test_a_contact_who_is_called_house_is_a_contact(store: MemoryStore) -> None:
    tenant = store.namespace("", "notes")[0]
    theirs = store.namespace("house", "notes")
    assert theirs != (tenant, "house", "notes")
    await store.aput(theirs, "n1", {"text": "Likes the window seat."})
    await store.aput((tenant, "house", "notes"), "n1", {"text": "Closed on Mondays."})
    assert await store.alist_namespaces() == sorted([theirs, (tenant, "house", "notes")])
    found = await store.aget(theirs, "n1")
    assert found is not None
    assert found.value == {"text": "Likes the window seat."}
    (hit, *_) = await store.asearch(theirs, query="window seat")
    assert (hit.namespace, hit.key) == (theirs, "n1")


async def test_a_note_is_found_however_many_came_after_it(store: MemoryStore) -> None:
    notes = store.namespace(ANA, "notes")
    await store.aput(notes, "old", {"text": "Keeps the zeppelin in the shed."})
    for number in range(45):
        await store.aput(notes, f"n{number}", {"text": f"Lamp {number} stands in a corner."})
    assert [hit.key for hit in await store.asearch(notes, query="zeppelin")] == ["old"]
    assert len(await store.asearch(notes, query="corner lamp", limit=10)) == 10
