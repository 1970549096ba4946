"""The profile of a turn leaves nothing out."""

from __future__ import annotations

import pytest

from evals.latency.floor import NODES
from graph.settings import Settings
from tests.benchmarks.turn_profile import inside, measure, parts

pytestmark = pytest.mark.anyio


async def test_the_parts_of_a_turn_add_up_to_it(settings: Settings) -> None:
    recorder = await measure(settings, turns=3, history=30)
    rows = {row.name: row for row in parts(recorder)}
    assert rows.pop("projector").statements > 0
    turn = rows.pop("turn")
    assert {*NODES, "locks", "checkpointer", "wiring"} <= {*rows}
    assert sum(row.ms for row in rows.values()) == pytest.approx(turn.ms)
    assert sum(row.statements for row in rows.values()) == pytest.approx(turn.statements)
    assert turn.statements > 10
    assert not recorder.unclaimed


async def test_calls_are_listed_in_their_nodes(settings: Settings) -> None:
    recorder = await measure(settings, turns=2, history=30)
    names = {row.name for row in inside(recorder)}
    assert {"generate: model", "policy_gate: ledger.claim", "around: locks.hold"} <= names
    assert {f"{node}: its own" for node in NODES} <= names
