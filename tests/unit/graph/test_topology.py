"""The topology itself makes W7 true: every path is enumerated."""

from __future__ import annotations

from typing import get_args

import pytest
from langgraph.graph import END, START

from graph.build import after_gate, after_store, build_graph
from memory.domain.chats import Actor
from memory.policy.rules import Policy
from nodes.context import Context, GivenOptions
from nodes.decisions import decide
from nodes.policy_gate import route
from nodes.state import Decision, State
from tests.messages import message

NODES = {"normalize", "policy_gate", "retrieve", "generate", "store", "extract"}
BOUNDS = {"window": (10, 50), "recall_limit": (0, 50), "memory_tokens": (200, 100_000)}
RECORD = ("normalize", "policy_gate")
OBSERVE = (*RECORD, "store", "extract")
COMMAND = (*RECORD, "store")
RESPOND = (*RECORD, "retrieve", "generate", "store", "extract")


async def _unwired(given: GivenOptions) -> Context:
    raise AssertionError("no node runs here")


def _edges() -> set[tuple[str, str]]:
    drawn = build_graph(_unwired).compile().get_graph()
    return {(edge.source, edge.target) for edge in drawn.edges}


def _paths(edges: set[tuple[str, str]], node: str) -> set[tuple[str, ...]]:
    if node == END:
        return {()}
    here = () if node == START else (node,)
    targets = {target for source, target in edges if source == node}
    return {here + rest for target in targets for rest in _paths(edges, target)}


def test_the_graph_has_exactly_the_six_nodes() -> None:
    nodes = build_graph(_unwired).compile().get_graph().nodes
    assert set(nodes) == {START, END, *NODES}


def test_there_are_exactly_the_designed_paths() -> None:
    assert _paths(_edges(), START) == {RECORD, OBSERVE, COMMAND, RESPOND, RESPOND[:-1]}


def test_generate_is_reached_from_the_gate_by_respond_alone() -> None:
    edges = _edges()
    assert {source for source, target in edges if target == "generate"} == {"retrieve"}
    assert {source for source, target in edges if target == "retrieve"} == {"policy_gate"}
    branches = build_graph(_unwired).branches["policy_gate"]["after_gate"].ends
    assert branches == {"respond": "retrieve", "observe or command": "store", "record": END}


@pytest.mark.parametrize("decision", get_args(Decision))
def test_every_decision_has_its_way_and_a_drawing_names_it(decision: Decision) -> None:
    way = after_gate({"turn": {"decision": decision}})
    assert decision in way
    drawn = build_graph(_unwired).compile().get_graph()
    ways = {edge.data: edge.target for edge in drawn.edges if edge.source == "policy_gate"}
    wanted = {"respond": "retrieve", "observe": "store", "command": "store", "record": END}
    assert ways[way] == wanted[decision]


@pytest.mark.parametrize("actor", [actor for actor in Actor if actor is not Actor.CONTACT])
@pytest.mark.parametrize("is_group", [False, True])
@pytest.mark.parametrize("policy", ["all", "mention_only", "off"])
def test_no_own_account_message_is_ever_decided_to_be_answered(
    actor: Actor, is_group: bool, policy: str
) -> None:
    rules = Policy(reply_direct=policy, reply_group=policy)  # type: ignore[arg-type]
    for text in ("hello @agent", "/facts", "/pause", "/policy set reply all", "/shrug"):
        own = message(text, actor=actor, is_group=is_group, mentions_agent=True)
        # The owner's hand may command: a way that does not lead to the model.
        may = {"record", "command"} if actor is Actor.OWNER else {"record"}
        assert decide([own], rules).decision in may
        assert decide([own, own], rules).decision in may
        assert decide([message("hi"), own], rules).decision == "record"
        assert decide([own, message("hi")], rules).decision == "record"


def test_a_command_leads_to_the_store_and_no_further() -> None:
    state: State = {"turn": {"decision": "command", "command_reply": "done"}}
    assert route(state) == "command"
    assert after_store(state) == "end"
    assert COMMAND in _paths(_edges(), START)


def test_studio_is_shown_the_bounds_of_what_it_may_set() -> None:
    schema = build_graph(_unwired).compile().get_context_jsonschema() or {}
    for name, (least, most) in BOUNDS.items():
        number = schema["properties"][name]["anyOf"][0]
        assert number == {"type": "integer", "minimum": least, "maximum": most}
