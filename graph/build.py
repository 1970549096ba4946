"""The topology: nodes and edges, nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import RetryPolicy

from graph.retry import is_worth_another_try
from nodes.context import Context, GivenOptions
from nodes.extract import extract
from nodes.generate import generate
from nodes.normalize import normalize
from nodes.policy_gate import policy_gate, route
from nodes.retrieve import retrieve
from nodes.state import State, TurnInput, TurnOutput
from nodes.store import store

Node = Callable[[State, Runtime[Context]], Awaitable[State]]
Wire = Callable[[GivenOptions], Awaitable[Context]]
OBSERVE_OR_COMMAND = "observe or command"

Builder = StateGraph[State, GivenOptions, TurnInput, TurnOutput]


def build_graph(wire: Wire, model_attempts: int = 3) -> Builder:
    """Return the graph, uncompiled. `wire` turns a run's options into what the nodes use."""
    graph: Builder = StateGraph(
        State, context_schema=GivenOptions, input_schema=TurnInput, output_schema=TurnOutput
    )
    retry = RetryPolicy(
        max_attempts=model_attempts, initial_interval=0.5, retry_on=is_worth_another_try
    )
    _add(graph, "normalize", normalize, wire)
    _add(graph, "policy_gate", policy_gate, wire)
    _add(graph, "retrieve", retrieve, wire)
    _add(graph, "generate", generate, wire, retry_policy=retry)
    _add(graph, "store", store, wire)
    _add(graph, "extract", extract, wire)
    graph.add_edge(START, "normalize")
    graph.add_edge("normalize", "policy_gate")
    graph.add_conditional_edges(
        "policy_gate",
        after_gate,
        {"respond": "retrieve", OBSERVE_OR_COMMAND: "store", "record": END},
    )
    graph.add_edge("retrieve", "generate")
    graph.add_edge("generate", "store")
    graph.add_conditional_edges("store", after_store, {"extract": "extract", "end": END})
    graph.add_edge("extract", END)
    return graph


def after_gate(state: State) -> str:
    """Say which way the turn goes; where two go the same way, a drawing shows both."""
    decision = route(state)
    return OBSERVE_OR_COMMAND if decision in ("observe", "command") else decision


def after_store(state: State) -> str:
    """Say whether anything is to be learned.

    A command is no statement about its sender, and what is answered again was learned from.
    """
    turn = state["turn"]
    return "end" if turn.get("decision") == "command" or turn.get("again") else "extract"


def _add(
    graph: Builder,
    name: str,
    node: Node,
    wire: Wire,
    **settings: Any,  # Any: add_node's options have no common type
) -> None:
    async def run(state: State, runtime: Runtime[GivenOptions]) -> State:
        # An agent wires its run once; under LangGraph's server every node comes with options alone.
        given: GivenOptions | Context | None = runtime.context
        context = given if isinstance(given, Context) else await wire(given or GivenOptions())
        return await node(state, _with_context(runtime, context))

    run.__doc__ = node.__doc__
    graph.add_node(name, run, **settings)


def _with_context(runtime: Runtime[GivenOptions], context: Context) -> Runtime[Context]:
    # Runtime is generic in its context: the same run with another context is another type.
    return replace(runtime, context=context)  # type: ignore[arg-type, return-value]
