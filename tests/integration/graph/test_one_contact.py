"""A thread of a LangGraph server is one contact's: nobody else sees, or leaves, a word in it."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from graph.build import build_graph
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef
from memory.errors import InvalidMessage
from nodes.context import GivenOptions
from tests.fakes.chat_model import ScriptedChatModel

pytestmark = pytest.mark.anyio

TOLD, ASKED = "I am allergic to kiwis.", "What am I allergic to?"


class Thread:
    """The graph as a server runs it, with a thread."""

    def __init__(self, stores: Stores) -> None:
        self.stores, self.saver = stores, InMemorySaver()
        self.graph = build_graph(stores.wire).compile(checkpointer=self.saver)

    async def say(self, text: str, contact: str, tenant: str | None = None) -> list[str]:
        """Say something in the thread; return the texts of its window."""
        given = GivenOptions(contact=contact, tenant=tenant)
        said: Any = {"messages": [HumanMessage(text)]}
        ended = await self.graph.ainvoke(said, self.config, context=given)
        return [line.text for line in ended["messages"]]

    @property
    def config(self) -> Any:  # Any: a RunnableConfig is not typed so
        return {"configurable": {"thread_id": "t"}}


@pytest.fixture
def thread(stores: Stores) -> Thread:
    return Thread(stores)


@pytest.mark.parametrize(
    ("contact", "tenant"), [("yb", None), ("yb", "acme"), ("ya", "acme")], ids=str
)
async def test_another_contact_in_a_thread_is_refused_and_leaves_nothing(
    thread: Thread, model: ScriptedChatModel, contact: str, tenant: str | None
) -> None:
    first = await thread.say(TOLD, "ya")
    calls = len(model.prompts)
    for _ in range(2):
        with pytest.raises(InvalidMessage, match="'t' is another contact's: name one of"):
            await thread.say(ASKED, contact, tenant)
    assert len(model.prompts) == calls
    chat = ChatRef(thread.stores.settings.tenant, "web", "studio", "t")
    kept = await thread.stores.memory.ledger.since(chat, 0, 10)
    assert [each.message.text for each in kept if each.message.text] == first
    window = await thread.say("And now?", "ya")
    assert window[:3] == [*first, "And now?"]
    assert all(ASKED not in str(line.content) for call in model.prompts for line in call)
    assert {each.message.actor for each in kept[2:]} == {Actor.SYSTEM}


async def test_a_thread_without_its_checkpoints_is_still_its_contacts(thread: Thread) -> None:
    first = await thread.say(TOLD, "ya")
    await thread.saver.adelete_thread("t")
    with pytest.raises(InvalidMessage, match="another contact's"):
        await thread.say(ASKED, "yb")
    window = await thread.say("And now?", "ya")
    assert {*first, "And now?"} < {*window}
    assert ASKED not in window
