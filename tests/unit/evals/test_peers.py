"""From what a system did to its figures."""

from typing import Any

import pytest

from evals.recall.cases import RecallCase
from evals.recall.peers import figures
from evals.systems.driver import Candidate, Played, answers_of

CASE = RecallCase.model_validate(
    {
        "case_id": "c",
        "turns": [
            {"id": name, "session_id": "S", "role": "user", "speaker": "A", "text": "hello"}
            for name in ("a", "b", "c")
        ],
        "questions": [
            {"id": "q1", "question": "?", "evidence": ["a", "b"], "category": "one"},
            {"id": "q2", "question": "?", "evidence": ["c"], "category": "two"},
        ],
    }
)
SYSTEM = Candidate("mine", "mine:Mine")


def played() -> Played:
    answers: list[dict[str, Any]] = [
        {"question": "q1", "ids": ["a"], "confidence": None, "search_ms": 4.0, "parts": {}},
        {"question": "q2", "ids": ["b", "c"], "confidence": None, "search_ms": 6.0, "parts": {}},
    ]
    return Played(
        cases=["c"],
        answered=answers_of(CASE, answers),
        ingested=3,
        ingest_s=0.6,
        embedded=3,
        embedding_s=0.3,
        baseline=50_000_000,
        peak=80_000_000,
        servers=5_000_000,
        disk=2_000_000,
    )


def test_figures_are_those_of_the_contract() -> None:
    result = figures(SYSTEM, played())
    assert list(result.metrics) == [
        "ingest_per_s",
        "ingest_overhead_ms",
        "search_ms_p50",
        "frac@10",
        "all@10",
        "rss_mb",
        "disk_mb",
    ]
    assert result.metrics == pytest.approx(
        {
            "ingest_per_s": 5.0,
            "ingest_overhead_ms": 100.0,
            "search_ms_p50": 4.0,
            "frac@10": 0.75,
            "all@10": 0.5,
            "rss_mb": 35.0,
            "disk_mb": 2.0,
        }
    )
    assert result.by["category"]["one"] == {"frac@10": 0.5, "all@10": 0.0}
    assert [item.scores for item in result.items] == [
        {"frac@10": 0.5, "all@10": 0.0},
        {"frac@10": 1.0, "all@10": 1.0},
    ]


def test_overhead_below_zero_is_reported_as_measured() -> None:
    fast = played()
    fast.embedding_s = 0.9
    assert figures(SYSTEM, fast).metrics["ingest_overhead_ms"] == pytest.approx(-100.0)


def test_what_was_not_measured_is_absent_and_never_zero() -> None:
    result = figures(SYSTEM, Played(baseline=1, peak=2))
    assert set(result.metrics.values()) == {None}
