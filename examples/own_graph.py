"""A graph of one's own that remembers: retrieve, a model, store. `OPENAI_API_KEY` names the key."""

import asyncio

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.graph import START, StateGraph

from graph.adapters import MemoryNodes, MemoryState
from graph.bootstrap import open_stores
from graph.settings import load_settings


async def main() -> None:
    """Tell it something in one conversation, and ask in another."""
    async with open_stores(load_settings()) as stores:
        memory, model = MemoryNodes(stores), ChatOpenAI(model="gpt-4.1-mini")

        async def answer(state: MemoryState, config: RunnableConfig) -> dict[str, object]:
            known = SystemMessage(await memory.read(state, config))
            return {"messages": [await model.ainvoke([known, *state["messages"]])]}

        graph = StateGraph(MemoryState)
        graph.add_sequence(
            [("retrieve", memory.retrieve), ("answer", answer), ("store", memory.store)]
        )
        graph.add_edge(START, "retrieve")
        for thread, text in (("mon", "I live in Lisbon."), ("tue", "Where do I live?")):
            run: RunnableConfig = {"configurable": {"contact": "alex", "thread_id": thread}}
            said = await graph.compile().ainvoke({"messages": [HumanMessage(text)]}, run)
            print(said["messages"][-1].text)


asyncio.run(main())
