"""What our nodes keep of a graph's messages: all that was said, once, as the state has it now."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from graph.stores import Stores
from memory.errors import InvalidMessage
from memory.trust.verify import verify
from tests.integration.adapters.foreign import Foreign

pytestmark = pytest.mark.anyio


@pytest.fixture
def foreign(stores: Stores) -> Foreign:
    return Foreign(stores)


async def _facts(stores: Stores) -> set[str]:
    held = await stores.memory.facts.active(stores.settings.tenant, "web:ana")
    return {f"{fact.key}={fact.value}" for fact in held}


async def test_every_message_of_an_input_is_kept_and_learned_from(
    foreign: Foreign, stores: Stores
) -> None:
    seeded = [
        SystemMessage("Be brief."),
        HumanMessage("I live in Rome."),
        AIMessage("Nice."),
        ToolMessage("42", tool_call_id="1"),
        AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "1"}]),
        HumanMessage("I have a parrot called Kiwi."),
        HumanMessage("I moved to Milan."),
    ]
    await foreign.send(seeded, contact="ana", thread_id="t1")
    assert await foreign.said() == [
        ("contact", "I live in Rome."),
        ("agent", "Nice."),
        ("contact", "I have a parrot called Kiwi."),
        ("contact", "I moved to Milan."),
        ("agent", "I see."),
    ]
    await stores.projector.caught_up()
    assert await _facts(stores) == {"pet=Kiwi", "home=Milan"}


async def test_what_a_summary_says_was_said_by_nobody(foreign: Foreign) -> None:
    summary = HumanMessage("A summary: I live in Oslo.", additional_kwargs={"lc_source": "summary"})
    await foreign.send([summary, HumanMessage("hello")], contact="ana", thread_id="t1")
    assert await foreign.said() == [("contact", "hello"), ("agent", "I see.")]


async def test_a_message_is_kept_though_the_model_fails(foreign: Foreign) -> None:
    foreign.fails = True
    with pytest.raises(ConnectionError):
        await foreign.say("I live in Lisbon.")
    assert await foreign.said() == [("contact", "I live in Lisbon.")]
    foreign.fails = False
    await foreign.graph.ainvoke(None, {"configurable": {"contact": "ana", "thread_id": "t1"}})
    assert await foreign.said() == [("contact", "I live in Lisbon."), ("agent", "I see.")]


async def test_an_id_with_a_new_text_is_an_edit(foreign: Foreign, stores: Stores) -> None:
    texts = ("I live in Rome.", "I live in Milan.", "I live in Milan.", "I live in Rome.")
    for text in (*texts, "I live in Milan."):
        await foreign.send([HumanMessage(text, id="edit-1")], contact="ana", thread_id="t1")
        await stores.projector.caught_up()
        assert (await foreign.said())[0] == ("contact", text)
        assert await _facts(stores) == {f"home={text[10:-1]}"}
    tenant = stores.settings.tenant
    stored = (await stores.memory.ledger.page(tenant, "web:ana", None, 10))[0]
    changes = await stores.memory.revisions.history(tenant, stored.uid)
    assert [each.text_before for each in changes] == [texts[0], texts[1], texts[3]]
    checked = verify(stores.memory, stores.projector.projections, [tenant], 10)
    assert all([report.is_clean async for report in checked])


async def test_a_reply_under_its_id_is_edited_too(foreign: Foreign) -> None:
    ended = await foreign.say("hello")
    reply = ended["messages"][-1]
    again = [AIMessage("Good day.", id=reply.id), HumanMessage("and?")]
    await foreign.send(again, contact="ana", thread_id="t1")
    assert [text for _, text in await foreign.said()] == ["hello", "Good day.", "and?", "I see."]


async def test_messages_without_ids_are_refused(foreign: Foreign) -> None:
    said = {"messages": [HumanMessage("hello")]}
    with pytest.raises(InvalidMessage, match="has no id: keep messages by add_messages"):
        await foreign.memory.store(said, {"configurable": {"contact": "a", "thread_id": "t"}})  # type: ignore[arg-type]
