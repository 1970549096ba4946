"""Every node called directly, and once more: a node may run twice, and changes nothing more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime

from memory.domain.chats import Message
from memory.errors import RecollectError
from memory.policy.rules import Pause, Policy
from nodes.context import Context
from nodes.extract import extract
from nodes.generate import generate
from nodes.normalize import normalize
from nodes.policy_gate import policy_gate
from nodes.retrieve import retrieve
from nodes.state import State, message_to_json
from nodes.store import store
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.policies import MemoryPolicies
from tests.fakes.world import World
from tests.messages import START, message

pytestmark = pytest.mark.anyio

Node = Callable[[State, Runtime[Context]], Awaitable[State]]
TURN = "00000000-0000-0000-0000-0000000000aa"


def _begun(said: Message, **rest: Any) -> State:
    return {"turn": {"turn_id": TURN, "message": message_to_json(said)}, **rest}  # type: ignore[typeddict-item]


def _after(state: State, update: State) -> State:
    """Return a state with a node's update, as the graph merges them."""
    window = add_messages(state.get("messages") or [], update.get("messages") or [])  # type: ignore[arg-type]
    return {**state, **update, "messages": cast("list[AnyMessage]", window)}


async def _twice(node: Node, world: World, state: State) -> tuple[State, State]:
    """Run a node, and again on the same state, as after a crash before its checkpoint."""
    first = await node(deepcopy(state), world.runtime())
    rows, facts = len(world.ledger.rows), len(world.facts.rows)
    vectors, lines = dict(world.vectors.items), list(world.audit.lines)
    again = await node(deepcopy(state), world.runtime())
    assert (len(world.ledger.rows), len(world.facts.rows)) == (rows, facts)
    assert (world.vectors.items, world.audit.lines) == (vectors, lines)
    return first, again


async def _through(world: World, said: Message, *nodes: Node) -> State:
    """Run a message through some nodes in order, each twice."""
    state = _begun(said)
    for node in nodes:
        first, again = await _twice(node, world, state)
        assert again.get("turn") == first.get("turn")
        state = _after(state, first)
    return state


async def test_normalize_makes_a_message_of_what_was_typed() -> None:
    world = World()
    state: State = {"messages": [HumanMessage("hello", id="h1")]}
    first, again = await _twice(normalize, world, state)
    assert first["turn"] == again["turn"]
    assert first["turn"]["message"]["text"] == "hello"
    with pytest.raises(RecollectError, match="no message to answer"):
        await normalize({"messages": [AIMessage("x")]}, world.runtime())


async def test_the_gate_claims_decides_and_fills_the_window() -> None:
    world = World()
    await world.ledger.record([message("earlier", minutes=1)], history=True)
    state = await _through(world, message("hello", message_id="m"), policy_gate)
    assert state["turn"]["decision"] == "respond"
    assert state["turn"]["query"] == "hello"
    assert [line.text for line in state["messages"]] == ["earlier", "hello"]
    assert state["window_seq"] == 2


async def test_the_gate_takes_the_chatter_of_others_along_twice_alike() -> None:
    world = World()
    group: dict[str, Any] = {"is_group": True, "chat": "g"}
    other = message("I live in Leeds", sender="bo", **group)
    await world.ledger.record([other], arrived_at=START)
    state = await _through(world, message("hi all", **group), policy_gate)
    assert other.uid in state["turn"]["claimed"]


async def test_the_gate_sets_a_blocked_sender_aside() -> None:
    world = World(policies=MemoryPolicies(Policy(blocked=frozenset({"ana"}))))
    state = await _through(world, message("buy!"), policy_gate)
    assert (state["turn"]["decision"], state["messages"]) == ("record", [])
    assert [stored.withheld for stored in world.ledger.rows.values()] == [True]
    assert [line.outcome for line in world.audit.lines] == ["blocked"]


@pytest.mark.parametrize("text", ["/pause", "/resume", "/policy set reply off", "/why", "/help"])
async def test_a_command_says_the_second_time_what_it_said_the_first(text: str) -> None:
    world = World()
    order = replace(message(text), is_owner=True)
    state = await _through(world, order, policy_gate)
    assert state["turn"]["decision"] == "command"
    assert state["turn"]["command_reply"] != ""
    assert state["turn"]["claimed"] == []


async def test_retrieve_writes_ids_and_scores_and_no_text() -> None:
    world = World()
    said = message("the picnic is at the lighthouse", minutes=-99)
    await world.ledger.record([said], history=True)
    asked = message("where is the picnic?")
    state = await _through(world, asked, policy_gate)
    state["messages"] = []
    update, again = await _twice(retrieve, world, state)
    assert update == again
    assert "lighthouse" not in str(update)


async def test_generate_asks_the_model_with_what_was_recalled() -> None:
    model = ScriptedChatModel()
    world = World(model=model)
    told = message("I live in Leeds.", minutes=-99)
    await world.ledger.record([told], history=True)
    await world.ledger.backlog.owe("t", ["facts"], [told.uid])
    await world.projector.caught_up()
    state = await _through(world, message("where do I live?"), policy_gate, retrieve)
    model.script("In Leeds.", "In Leeds.")
    first, again = await _twice(generate, world, state)
    assert first["messages"][-1].text == again["messages"][-1].text == "In Leeds."
    assert "Leeds" in str(model.prompts[-1][0].content)


async def test_generate_keeps_out_when_the_owner_took_over_meanwhile() -> None:
    world = World()
    state = await _through(world, message("hello"), policy_gate, retrieve)
    chat = message("hello").chat
    scope = f"{chat.channel}/{chat.account}/{chat.chat_id}"
    end = world.now + timedelta(hours=1)
    world.policies.pauses.rows["p"] = (scope, Pause("takeover", world.now, end), "")
    first, again = await _twice(generate, world, state)
    assert first == again
    assert first["turn"]["decision"] == "observe"
    assert [line.outcome for line in world.audit.lines] == ["paused"]


async def test_store_ends_the_turn_with_reply_parts_and_receipt() -> None:
    world = World(model=ScriptedChatModel())
    said = message("hello")
    state = await _through(world, said, policy_gate, retrieve)
    state = _after(state, await generate(state, world.runtime()))
    await _twice(store, world, state)
    replies, receipt, parts = world.ledger.finished[TURN]
    assert [each.text for each in replies] == ["ok 1"]
    assert parts == {replies[0].uid: ("ok 1",)}
    assert receipt is not None
    assert receipt.query == "hello"
    assert world.vectors.items == {}
    await world.projector.caught_up()
    assert [key for key in world.vectors.items if key[0] == "message"] != []


async def test_store_shows_a_commands_reply_and_withholds_it() -> None:
    world = World()
    order = replace(message("/help"), is_owner=True)
    state = await _through(world, order, policy_gate, store)
    (reply,), receipt, parts = world.ledger.finished[TURN]
    assert (reply.withheld, receipt, parts) == (True, None, {reply.uid: (reply.text,)})
    assert state["messages"][-1].text == reply.text


async def test_extract_learns_each_contacts_own_facts_once() -> None:
    world = World()
    said = message("My name is Alex and I live in Leeds.")
    state = await _through(world, said, policy_gate)
    await world.ledger.finish("t", TURN)
    await _twice(extract, world, state)
    facts = await world.facts.active("t", "waha:ana")
    assert {(fact.key, fact.value) for fact in facts} == {("name", "Alex"), ("home", "Leeds")}
    await world.projector.caught_up()
    assert len([key for key in world.vectors.items if key[0] == "knowledge"]) == 2
