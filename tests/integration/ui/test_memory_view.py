"""The memory view on real stores: what it shows, and what comes of what is done in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Message
from memory.facts.notebook import About, Notebook
from tests.messages import message
from ui.playground.serving import import_gradio

import_gradio()

from ui.playground.views.memory import MemoryView  # noqa: E402  # gradio is imported first

pytestmark = pytest.mark.anyio

ANA = "waha:ana"


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


@pytest.fixture
def view(agent: Agent) -> MemoryView:
    return MemoryView(agent)


async def say(agent: Agent, *texts: str) -> list[Message]:
    tenant = agent.stores.settings.tenant
    said = [message(text, tenant=tenant, minutes=n) for n, text in enumerate(texts)]
    for each in said:
        _ = [event async for event in agent.send(replace(each, is_owner=True))]
    return said


async def ask(view: MemoryView, **asked: str) -> str:
    told = await view.answer({"contact": ANA, **asked})
    return told.get("said", "") + told.get("error", "") + told.get("html", "")


async def test_facts_are_corrected_added_and_forgotten_in_the_page(
    view: MemoryView, agent: Agent
) -> None:
    assert "Nothing is known yet" in await ask(view)
    await say(agent, "I live in Leeds.", "My dog is called Rxe.")
    html = await ask(view)
    assert "I live in Leeds." in html
    assert "rules" in html
    html = await ask(view, do="edit", key="pet", value="Rxe", text="Rex")
    assert "pet: Rxe is Rex now." in html
    assert "data-value='Rex'" in html
    assert "corrected by hand to “Rex”" in html
    html = await ask(view, do="add", key="Favourite color", value="navy")
    assert "Kept: favorite color navy." in html
    assert "favorite:color<" not in html
    html = await ask(view, do="forget", key="home", value="Leeds")
    assert "Forgotten: home Leeds." in html
    assert "No longer so" in html
    assert "data-value='Leeds'" not in html


async def test_facts_are_pinned_and_never_recalled_in_the_page(
    view: MemoryView, agent: Agent
) -> None:
    await say(agent, "I live in Leeds.", "My dog is called Rex.")
    html = await ask(view, do="pin", key="home", value="Leeds")
    assert "Pinned: home Leeds is in every prompt." in html
    assert html.count("<span class='rc-kind'>Pinned</span>") == 1
    html = await ask(view, do="withhold", key="pet", value="Rex")
    assert "<h3>Never recalled <span>1</span></h3>" in html
    assert "Rex" not in await ask(view, part="search", q="the dog")
    assert "Pinned" not in await ask(view, do="unpin", key="home", value="Leeds")
    html = await ask(view, do="show", key="pet", value="Rex")
    assert "can be recalled again" in html
    assert "<h3>Never recalled" not in html
    await agent.stores.projector.caught_up()
    assert "My dog is called Rex." in await ask(view, part="search", q="the dog")


async def test_rules_are_made_in_the_page_and_forget_what_is_known_with_an_undo(
    view: MemoryView, agent: Agent
) -> None:
    await say(agent, "I'm allergic to nuts. I live in Leeds.")
    html = await ask(view, part="rules")
    assert "Credentials" in html
    assert "choose" in await ask(view, part="rules", do="rule", kind="x", what="", whom="")
    told = await view.answer(
        {
            "contact": ANA,
            "part": "rules",
            "do": "rule",
            "kind": "facts",
            "what": "Health",
            "whom": "",
        }
    )
    assert told["said"] == (
        "Never kept from now on: health. 1 fact is known, of waha:ana, that it would have kept out."
    )
    assert "health: allergy, diet, medical" in told["html"]
    cleared = await view.answer(
        {"contact": ANA, "part": "rules", "do": "clear", "rule": told["rule"]}
    )
    assert "data-value='nuts'" not in await ask(view)
    assert "holds again" in await ask(view, do="unclear", act=cleared["act"])
    assert "data-value='nuts'" in await ask(view)
    await say(agent, "", "I have diabetes.", "The bank password: swordfish")
    html = await ask(view, part="learned")
    assert "Kept out by a rule: health." in html
    assert "Kept out by a rule: credentials." in html
    assert "diabetes" not in await ask(view)
    assert "Kept again" in await ask(view, part="rules", do="unrule", rule=told["rule"])
    assert "no rule 99" in await ask(view, part="rules", do="unrule", rule="99")


async def test_what_was_forgotten_or_corrected_is_undone_then_and_later(
    view: MemoryView, agent: Agent
) -> None:
    await say(agent, "I live in Leeds.", "My dog is called Rex.")
    told = await view.answer({"contact": ANA, "do": "forget", "key": "pet", "value": "Rex"})
    act = told["act"]
    assert f"data-do='undo' data-act='{act}'" in told["html"]
    html = await ask(view, do="undo", act=act)
    assert "Undone. pet Rex holds again." in html
    assert "My dog is called Rex." in html
    assert "data-act" not in html
    told = await view.answer(
        {"contact": ANA, "do": "edit", "key": "home", "value": "Leeds", "text": "York"}
    )
    html = await ask(view, do="undo", act=told["act"])
    assert "data-value='Leeds'" in html
    assert "nothing left to undo" in await ask(view, do="undo", act=told["act"])


async def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(
    view: MemoryView, agent: Agent
) -> None:
    await say(agent, "I live in Leeds.")
    told = await view.answer({"contact": ANA, "do": "add", "key": "hat size", "value": "9"})
    assert told == {"error": "there is no kind of fact called “hat size”.", "note": "hat size: 9"}
    assert "Written down." in await ask(view, do="note", text=told["note"])
    assert "hat size: 9" in await ask(view, part="notes")
    told = await view.answer({"contact": ANA, "do": "forget", "key": "home", "value": "Rome"})
    assert "nothing of the kind is known" in told["error"]
    assert "data-value='Leeds'" in await ask(view)


async def test_everything_is_searched_as_the_agent_does_and_each_hit_has_its_reason(
    view: MemoryView, agent: Agent, stores: Stores
) -> None:
    await say(agent, "I'm allergic to nuts.", *(f"Boiler visit number {n}." for n in range(25)))
    book = Notebook(stores.memory, stores.clock, stores.ids, stores.settings.tenant)
    await book.add("The plumber for the boiler is Mr Low.", "semantic", About(ANA))
    await stores.projector.caught_up()
    html = await ask(view, part="search", q="What am I allergic to?")
    assert "allergy: nuts" in html
    html = await ask(view, part="search", q="When was the boiler visit?")
    assert "Mr Low" in html
    assert "Found for" in html
    # Of one thing that is looked up a prompt shows fewer lines than of a list.
    assert html.count("<span class='rc-kind'>Message</span>") == 8 + html.count(
        "left out: not among the best 8"
    )
    html = await ask(view, part="search", q="zzzzqqq")
    assert "Nothing near it is remembered." in html
    assert "What a prompt would show" not in html
    said = await stores.memory.ledger.page(stores.settings.tenant, ANA, None, 100)
    await stores.memory.ledger.withhold(stores.settings.tenant, [each.uid for each in said])
    assert "Boiler" not in await ask(view, part="search", q="When was the boiler visit?")


@pytest.mark.parametrize(
    "query", ["", "  ", "🦄🦄", "'; drop table messages; --", "x\x00y", "why? " * 2000]
)
async def test_no_query_breaks_the_search(view: MemoryView, agent: Agent, query: str) -> None:
    await say(agent, "I live in Leeds.")
    told = await view.answer({"contact": ANA, "part": "search", "q": query})
    assert told.keys() == {"html"}
    assert len(told["html"]) < 20_000


async def test_what_each_message_taught_is_listed_undone_and_never_recalled(
    view: MemoryView, agent: Agent, stores: Stores
) -> None:
    assert "Nothing was said yet" in await ask(view, part="learned")
    said = await say(
        agent, "I'm allergic to nuts and I live in Leeds.", "Good morning, <b>you</b>!"
    )
    html = await ask(view, part="learned")
    assert html.index("morning, &lt;b&gt;you") < html.index("allergic to nuts")
    assert "No fact was read from it." in html
    html = await ask(view, part="learned", do="forget", key="home", value="Leeds")
    assert "<s dir='auto'>Leeds</s>" in html
    assert "data-value='nuts'" in html
    await ask(view, part="learned", do="never", uid=said[0].uid)
    await stores.projector.caught_up()
    html = await ask(view, part="learned")
    assert "Never recalled" in html
    assert "data-value='nuts'" not in html
    (act,) = (
        await stores.memory.corrections.kept_out(stores.settings.tenant, [said[0].uid])
    ).popitem()[1]
    html = await ask(view, part="learned", do="recall", act=act)
    assert "data-value='nuts'" in html
    assert "data-value='Leeds'" not in html
    assert "no such message" in await ask(view, do="never", uid="nonsense")


async def test_notes_are_written_listed_and_forgotten(view: MemoryView, stores: Stores) -> None:
    assert "No notes yet" in await ask(view, part="notes")
    await ask(view, part="notes", do="note", kind="reflective", text="Closed on <b>Mondays</b>.")
    html = await ask(view, part="notes", do="note", kind="semantic", text="Knows the plumber.")
    assert html.index("Knows the plumber.") < html.index("Closed on &lt;b&gt;Mondays")
    assert "for every chat" in html
    html = await ask(view, part="notes", do="note", kind="semantic", text="home: Berlin")
    assert "Known now: home Berlin." in html
    note = (await stores.memory.notes.every(stores.settings.tenant))[-1]
    html = await ask(view, part="notes", do="unnote", uid=note.uid)
    assert "Knows the plumber." not in html
    assert "Mondays" in html
    assert "the text is empty" in await ask(view, part="notes", do="note", text=" ")
