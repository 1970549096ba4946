"""A graph of somebody else's with our nodes, which tests run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from graph.adapters import MemoryNodes, MemoryState
from graph.stores import Stores


class Foreign:
    """A graph that is none of ours: it keeps what memory it was shown."""

    def __init__(self, stores: Stores) -> None:
        self.memory = MemoryNodes(stores)
        self.shown: list[str] = []
        self.fails = False
        graph = StateGraph(MemoryState)
        graph.add_node("retrieve", self.memory.retrieve)
        graph.add_node("answer", self.answer)
        graph.add_node("store", self.memory.store)
        for edge in ((START, "retrieve"), ("retrieve", "answer"), ("answer", "store")):
            graph.add_edge(*edge)
        self.saver = InMemorySaver()
        self.graph: Any = graph.compile(checkpointer=self.saver)

    async def answer(self, state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
        self.shown.append(await self.memory.read(state, config))
        if self.fails:
            raise ConnectionError("no model")
        return {"messages": [AIMessage("I see.")]}

    async def say(self, text: str, contact: str = "ana", thread: str = "t1") -> Any:
        return await self.send([HumanMessage(text)], contact=contact, thread_id=thread)

    async def send(self, messages: Sequence[BaseMessage], **configurable: object) -> Any:
        """Run the graph on messages, as `configurable` says."""
        return await self.graph.ainvoke({"messages": messages}, {"configurable": configurable})

    async def said(self, contact: str = "web:ana") -> list[tuple[str, str]]:
        """Return what the ledger has of a contact: who said what, in order."""
        tenant = self.memory.stores.settings.tenant
        found = await self.memory.stores.memory.ledger.page(tenant, contact, None, 50)
        return [(e.message.actor.value, e.message.text) for e in found if e.message.text]


def where_they_live(body: dict[str, Any]) -> str:
    """Answer as a model: say where somebody lives if the prompt's memory does, and they ask."""
    told, asked = str(body["messages"][0]["content"]), str(body["messages"][-1]["content"])
    if not asked.endswith("?"):
        return "Noted."
    return "In Lisbon." if "Lisbon" in told else "I do not know."
