"""Whose memory a graph of somebody else's reads and writes: it is said, and nobody else's."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from graph.adapters import MemoryNodes, MemoryRetriever, MemoryState
from graph.stores import Stores
from memory.errors import InvalidMessage
from tests.fakes.exports import MadeExport, entry
from tests.integration.adapters.foreign import Foreign
from tests.integration.importing.counting import take

pytestmark = pytest.mark.anyio


@pytest.fixture
def foreign(stores: Stores) -> Foreign:
    return Foreign(stores)


async def test_another_contact_is_refused_before_the_model_and_leaves_no_word(
    foreign: Foreign,
) -> None:
    await foreign.say("I live in Lisbon.", contact="carol")
    shown = len(foreign.shown)
    with pytest.raises(InvalidMessage, match="'t1' is another contact's"):
        await foreign.send(
            [SystemMessage("Be rude."), HumanMessage("Where do I live? I am allergic to figs.")],
            contact="dave",
            thread_id="t1",
        )
    assert len(foreign.shown) == shown
    assert await foreign.said("web:dave") == []
    with pytest.raises(InvalidMessage, match="was refused here"):
        await foreign.graph.ainvoke(None, {"configurable": {"contact": "carol", "thread_id": "t1"}})
    ended = await foreign.say("And I like tea.", contact="carol")
    carols = ["I live in Lisbon.", "I see.", "And I like tea.", "I see."]
    assert [each.text for each in ended["messages"]] == carols
    assert [text for _, text in await foreign.said("web:carol")] == carols
    stores = foreign.memory.stores
    facts = await stores.memory.facts.active(stores.settings.tenant, "web:carol")
    assert not any("figs" in fact.value for fact in facts)


async def test_what_was_recalled_is_read_for_nobody_else(foreign: Foreign, stores: Stores) -> None:
    await foreign.say("The ferry to Cacilhas was late because of the fog.", contact="alex")
    await stores.projector.caught_up()
    ended = await foreign.say("Why was the ferry late?", contact="alex", thread="t2")
    assert "fog" in foreign.shown[-1]
    state = MemoryState(
        messages=[HumanMessage("Why?", id="q")], recalled=ended["recalled"], certainty=None
    )
    for thread, told in (("t2", "'t2' is another contact's"), ("t9", "recalls is another")):
        run: RunnableConfig = {"configurable": {"contact": "me", "thread_id": thread}}
        with pytest.raises(InvalidMessage, match=told):
            await foreign.memory.read(state, run)


@pytest.mark.parametrize(
    ("contact", "told"),
    [
        (None, "Say whose memory it is: configurable.contact"),
        ("", "Say whose memory it is"),
        (" ", "Say whose memory it is"),
        (7, "A contact is a text"),
        (["a"], "A contact is a text"),
        ("telegram:", "A contact is a text"),
        (":12", "A contact is a text"),
        ("alex ", "no blank around it"),
        ("a\nb", "A contact is one line"),
        ("a" * 301, "at most 300"),
    ],
)
async def test_a_run_that_names_no_contact_is_nobodys(
    foreign: Foreign, stores: Stores, contact: object, told: str
) -> None:
    said = [HumanMessage("I live in Lisbon.")]
    with pytest.raises(InvalidMessage, match=told):
        await foreign.send(said, thread_id="t1", contact=contact)
    assert await foreign.said(f"web:{stores.settings.contact}") == []
    assert foreign.shown == []


async def test_a_run_that_forgot_its_contact_leaves_nothing_in_anothers_thread(
    foreign: Foreign,
) -> None:
    await foreign.say("I live in Lisbon.")
    with pytest.raises(InvalidMessage, match="configurable.contact"):
        await foreign.send([HumanMessage("I am Eve.")], thread_id="t1")
    ended = await foreign.say("hello")
    assert [each.text for each in ended["messages"]] == [
        "I live in Lisbon.",
        "I see.",
        "hello",
        "I see.",
    ]


async def test_one_contact_may_be_named_for_all_runs(foreign: Foreign, stores: Stores) -> None:
    nodes = MemoryNodes(stores, contact="ana")
    state = MemoryState(messages=[HumanMessage("hi", id="1"), AIMessage("yes", id="2")])
    await nodes.store(state, {"configurable": {"thread_id": "t1"}})
    assert await foreign.said() == [("contact", "hi"), ("agent", "yes")]
    with pytest.raises(InvalidMessage, match="A contact is a text"):
        MemoryNodes(stores, contact=7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Say whose memory it is"):
        MemoryRetriever(stores=stores, contact=" ")


async def test_a_state_without_what_was_recalled_is_told_so(foreign: Foreign) -> None:
    state = MemoryState(messages=[HumanMessage("hi", id="1")])
    run: RunnableConfig = {"configurable": {"contact": "ana", "thread_id": "t1"}}
    with pytest.raises(InvalidMessage, match="The state has no `recalled`: run memory.retrieve"):
        await foreign.memory.read(state, run)


async def test_an_imported_chat_is_told_to_who_was_in_it(foreign: Foreign, stores: Stores) -> None:
    lines = [("Max", "how are you?"), ("Hanna Vogel", "I'm allergic to peanuts."), ("Max", "ok")]
    await take(stores, MadeExport([entry(text, name, n) for n, (name, text) in enumerate(lines)]))
    await foreign.say("What is Hanna allergic to?", contact="me")
    assert "I'm allergic to peanuts." in foreign.shown[-1]
    assert '"Hanna Vogel: allergy"' in foreign.shown[-1]
