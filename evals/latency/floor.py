"""LangGraph's floor: six nodes that only keep a window, on LangGraph's own checkpointer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from evals.latency.players import CHAT, Played, Player

NODES = ("normalize", "policy_gate", "retrieve", "generate", "store", "extract")
"""The product's own path of an answered turn."""
WINDOW = 20


class WindowState(TypedDict, total=False):
    """What a floor's graph keeps: the messages of the window."""

    messages: Annotated[list[AnyMessage], add_messages]


class SixNodes(Player):
    """A graph of six nodes of the product's names; what is not in `nodes` does nothing.

    Each superstep is checkpointed with durability `sync`, as the product's are. One node trims the
    window to 20 messages. A chat is a thread.
    """

    def __init__(
        self,
        saver: BaseCheckpointSaver[Any],  # Any: how it counts versions
        nodes: Mapping[str, Any] | None = None,  # Any: node functions differ in what they take
    ) -> None:
        actions = {"policy_gate": _trim, "generate": _answer, **(nodes or {})}
        graph = StateGraph(WindowState)
        for name in NODES:
            graph.add_node(name, actions.get(name, _pass))
        for before, after in zip((START, *NODES), (*NODES, END), strict=True):
            graph.add_edge(before, after)
        self._graph = graph.compile(checkpointer=saver)
        self._run = str(uuid4())

    async def turn(self, text: str, chat: str = CHAT) -> Played:
        """Play one turn."""
        config: RunnableConfig = {"configurable": {"thread_id": f"{self._run}-{chat}"}}
        started = time.perf_counter()
        await self._graph.ainvoke(
            {"messages": [HumanMessage(id=str(uuid4()), content=text)]}, config, durability="sync"
        )
        return Played((time.perf_counter() - started) * 1000)


async def _pass(state: WindowState) -> WindowState:
    del state
    return {}


async def _answer(state: WindowState) -> WindowState:
    del state
    return {"messages": [AIMessage(id=str(uuid4()), content="Noted.")]}


async def _trim(state: WindowState) -> WindowState:
    surplus = state["messages"][:-WINDOW]
    # add_messages takes removals in the list; its declared type leaves them out.
    return {"messages": [RemoveMessage(id=str(m.id)) for m in surplus]}  # type: ignore[misc]
