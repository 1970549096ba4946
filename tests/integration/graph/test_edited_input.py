"""LangGraph's way to edit: the same id with a new text, in a fork; it is an edit, answered anew."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from graph.build import build_graph
from graph.stores import Stores
from memory.domain.chats import ChatRef
from memory.errors import InvalidMessage
from nodes.context import GivenOptions
from tests.fakes.chat_model import ScriptedChatModel

pytestmark = pytest.mark.anyio

RUN: Any = {"configurable": {"thread_id": "t"}}
ROME, MILAN = HumanMessage("I live in Rome.", id="e1"), HumanMessage("I live in Milan.", id="e1")


class Forked:
    """A thread in which something was said, before the node that takes it in."""

    def __init__(self, stores: Stores) -> None:
        self.stores, self.given = stores, GivenOptions(contact="ya")
        self.graph = build_graph(stores.wire).compile(checkpointer=InMemorySaver())

    async def say(self, said: HumanMessage, config: Any = RUN) -> Any:
        given: Any = {"messages": [said]}
        return await self.graph.ainvoke(given, config, context=self.given)

    async def replay(self, said: HumanMessage | None = None) -> Any:
        """Run anew from the first checkpoint before `normalize`, with another text for its line."""
        history = [each async for each in self.graph.aget_state_history(RUN)]
        at = [each for each in history if each.next == ("normalize",)][-1].config
        if said:
            at = await self.graph.aupdate_state(at, {"messages": [said]}, as_node="__start__")
        return await self.graph.ainvoke(None, at, context=self.given)

    async def lines(self) -> list[str]:
        chat = ChatRef(self.stores.settings.tenant, "web", "studio", "t")
        lines = await self.stores.memory.ledger.since(chat, 0, 20)
        return [line.message.text for line in lines if not line.withheld]

    async def facts(self) -> list[str]:
        await self.stores.projector.caught_up()
        held = await self.stores.memory.facts.active(self.stores.settings.tenant, "web:ya")
        return [fact.value for fact in held]


async def test_an_edited_message_is_an_edit_and_its_answer_given_again(
    stores: Stores, model: ScriptedChatModel
) -> None:
    thread = Forked(stores)
    model.script("Rome it is.", "Milan it is.", "Milan again.")
    await thread.say(ROME)
    assert await thread.facts() == ["Rome"]
    for _ in range(2):
        ended = await thread.replay(MILAN)
        assert await thread.lines() == ["I live in Milan.", "Milan it is."]
        assert await thread.facts() == ["Milan"]
    # The second time it was known, and stores nothing.
    assert [line.text for line in ended["messages"]] == ["I live in Milan."]
    await thread.replay()
    assert await thread.lines() == ["I live in Milan.", "Milan it is."]
    assert len(model.prompts) == 2


async def test_an_earlier_message_is_edited_and_what_followed_it_stays(
    stores: Stores, model: ScriptedChatModel
) -> None:
    thread = Forked(stores)
    model.script("Rome it is.", "Tea it is.")
    await thread.say(ROME)
    await thread.say(HumanMessage("I like tea.", id="e2"))
    await thread.replay(MILAN)
    # The answer to the old text is withheld, and nothing is answered among what was said since.
    assert await thread.lines() == ["I live in Milan.", "I like tea.", "Tea it is."]
    assert "Milan" in await thread.facts()
    assert "Rome" not in await thread.facts()


async def test_an_edit_of_a_line_that_an_answer_follows_is_taken_with_the_next_message(
    stores: Stores,
) -> None:
    thread = Forked(stores)
    await thread.say(ROME)
    with pytest.raises(InvalidMessage, match="send a human message"):
        await thread.say(MILAN)
    await thread.say(HumanMessage("I like tea.", id="e2"))
    assert (await thread.lines())[:2] == ["I live in Milan.", "I like tea."]
    assert "Milan" in await thread.facts()
    assert "Rome" not in await thread.facts()
