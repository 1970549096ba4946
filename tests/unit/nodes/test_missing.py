"""What a turn's memory did without travels through the nodes into its receipt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from memory.domain.chats import Message
from memory.domain.recalls import Recalled, Receipt, Use, use_from_json, use_to_json
from memory.errors import StoreUnavailable
from memory.ports.outages import Outages
from memory.recall.receipts import Reading, manner_line
from nodes.commands.run import why_text
from nodes.generate import generate
from nodes.policy_gate import policy_gate
from nodes.retrieve import retrieve
from nodes.state import State, message_to_json
from nodes.store import store
from tests.fakes.facts import MemoryFacts
from tests.fakes.vectors import Gone
from tests.fakes.world import World
from tests.messages import START, message
from tests.reading import observations_of

pytestmark = pytest.mark.anyio
TURN = "00000000-0000-0000-0000-0000000000aa"


def _gone() -> MemoryFacts:
    return cast("MemoryFacts", Gone(StoreUnavailable("RECOLLECT_NEO4J_URI", "bolt://x", "gone")))


async def _play(world: World, said: Message, gone_before: str) -> State:
    """Run a message through the nodes; the fact store goes missing before one of them."""
    begun: Any = {"turn": {"turn_id": TURN, "message": message_to_json(said)}}
    state: State = begun
    for node in (policy_gate, retrieve, generate, store):
        if node.__name__ == gone_before:
            world.facts = _gone()
        state = {**state, **await node(state, world.runtime())}
    return state


@pytest.mark.parametrize("gone_before", ["retrieve", "generate"])
async def test_a_reply_without_the_facts_says_so_in_its_receipt(gone_before: str) -> None:
    world = World(outages=Outages({"facts": 1.0}))
    told = message("My name is Alex.", minutes=1)
    await world.ledger.record([told], history=True)
    await world.facts.apply("t", "waha:ana", await observations_of(told), START)
    await _play(world, message("What is my name?"), gone_before)
    replies, receipt, _ = world.ledger.finished[TURN]
    assert [reply.text for reply in replies] == ["ok 1"]
    assert receipt is not None
    assert receipt.missing == ("facts",)
    assert [entry for entry in receipt.recalled if entry.kind == "fact"] == []
    assert "not at hand: facts" in why_text(receipt, [])


def test_why_does_not_call_a_fact_erased_that_cannot_be_read_now() -> None:
    recalled = (Recalled("fact", "f", 1.0),)
    receipt = Receipt(TURN, "r", "", recalled, (), "offline", START)
    assert "- fact (cannot be read now)" in why_text(
        receipt, [Reading("fact", "cannot be read now", "", 1.0)]
    )


def test_why_tells_how_the_reply_was_to_be_spoken_and_what_held_its_memory() -> None:
    use = Use((), is_exact=True, advice="Be calm. Break things up.", bound=1_200)
    receipt = Receipt(TURN, "r", "", (), (), "offline", START, use=use_from_json(use_to_json(use)))
    told = "told to speak so: Be calm. Break things up; memory held to 1,200 tokens"
    assert told in manner_line(receipt)
    for readings in ([], [Reading("fact", "name", "Alex", 1.0, used=1.0)]):
        assert f"\nT{told[1:]}: nothing called for more." in why_text(receipt, readings)
    before = {"is_exact": True, "lines": [], "beside": {}}
    plain = replace(receipt, use=use_from_json(before))
    assert manner_line(plain) == ""
    assert why_text(plain, []).count("\n") == 0


async def test_a_reply_with_everything_misses_nothing() -> None:
    world = World(outages=Outages({"facts": 1.0}))
    await _play(world, message("Hello"), "")
    receipt = world.ledger.finished[TURN][1]
    assert receipt is not None
    assert receipt.missing == ()
    assert "not at hand" not in why_text(receipt, [])
