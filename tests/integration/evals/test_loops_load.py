"""The loops suite on a slow product: the verdict is the same, and every wait ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.loops import rest
from evals.loops.scoring import COUNTS
from evals.suite.run import Outcome
from tests.integration.evals.test_loops import play_broken
from tests.unit.evals.loops.sample import ANA, case_json, event

SLOW = ["think_slowly", "store_slowly"]


def _quote_of_the_reply() -> dict[str, Any]:
    quoted = {"id": "{{sent:1}}", "body": "{{sent_text:1}}"}
    return event("AA2", body="And in red?", replyTo=quoted)


def hasty(folder: Path) -> Path:
    """Write a case that leaves a slow product no time: kill, redelivery and quote come at once."""
    case = case_json(
        shuffle="none",
        settings={"owner": [], "debounce_ms": 100},
        steps=[
            {"deliver": event("AA1")},
            {"wait_ms": 1_000},
            {"restart": True},
            {"deliver": event("AA1")},
            {"deliver": _quote_of_the_reply()},
            {"wait_ms": 500},
        ],
        expect={
            "answered": ["AA1", "AA2"],
            "replies": {ANA: [2, 2]},
            "rows": {"contact": 2, "agent": 2},
            "model_calls": [2, 2],
        },
    )
    path = folder / "hasty.jsonl"
    path.write_text(json.dumps(case) + "\n", encoding="utf-8")
    return path


def figures(outcome: Outcome) -> dict[str, float | None]:
    assert outcome.failed == []
    metrics = outcome.systems["recollect"].metrics
    return {name: metrics[name] for name in COUNTS if metrics[name]}


@pytest.mark.parametrize("how", SLOW)
def test_a_slow_product_gets_the_verdict_of_a_fast_one(tmp_path: Path, how: str) -> None:
    assert figures(play_broken(hasty(tmp_path), how)) == {}


def test_a_reply_that_is_missed_counts_however_slow_the_product_is(tmp_path: Path) -> None:
    outcome = play_broken(hasty(tmp_path), "store_slowly_and_send_nothing")
    assert figures(outcome)["missed_replies"] == 2


def test_a_product_that_never_comes_to_rest_is_a_failed_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest, "STUCK_LOOKS", 30)
    (failure,) = play_broken(hasty(tmp_path), "send_for_ever").failed
    assert failure.reason == (
        "NeverAtRest: the product never came to rest; open in the end: 1 replies not sent"
    )
