"""LangGraph's floor: six nodes that do nothing but keep a window, on the product's checkpointer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypedDict
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from graph.checkpointer import RecollectSaver

# The product's own path of an answered turn has as many.
NODES = ("one", "two", "three", "four", "five", "six")
WINDOW = 20


class _State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]


Turn = Callable[[str], Awaitable[float]]


def floor_turn(saver: RecollectSaver) -> Turn:
    """Return a function that plays one turn of the floor and returns its milliseconds.

    All turns are of one thread. One node answers and one trims the window to 20 messages; each
    superstep is checkpointed with durability `sync`, as the product's are.
    """
    graph = StateGraph(_State)
    for name in NODES:
        graph.add_node(name, _ACTIONS.get(name, _pass))
    for before, after in zip((START, *NODES), (*NODES, END), strict=True):
        graph.add_edge(before, after)
    compiled = graph.compile(checkpointer=saver)
    config: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}

    async def turn(text: str) -> float:
        started = time.perf_counter()
        await compiled.ainvoke(
            {"messages": [HumanMessage(id=str(uuid4()), content=text)]},
            config,
            durability="sync",
        )
        return (time.perf_counter() - started) * 1000

    return turn


async def _pass(state: _State) -> _State:
    del state
    return {}


async def _answer(state: _State) -> _State:
    del state
    return {"messages": [AIMessage(id=str(uuid4()), content="Noted.")]}


async def _trim(state: _State) -> _State:
    surplus: Sequence[AnyMessage] = state["messages"][:-WINDOW]
    # add_messages takes removals in the list; its declared type leaves them out.
    return {"messages": [RemoveMessage(id=str(m.id)) for m in surplus]}  # type: ignore[misc]


_ACTIONS = {"two": _trim, "four": _answer}
