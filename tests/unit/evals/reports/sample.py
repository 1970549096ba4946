"""Small results to draw and compare."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from evals.reports.saved import SavedResult
from evals.suite.run import Texts

CATEGORIES = ("single", "multi", "hostile & <b>")
HOSTILE = (
    "<script>alert(1)</script></style></details></main><img src=http://evil.example/x onerror=a()>"
    ' " onmouseover="alert(2) \u202egnp.exe\u2066 \x00\x07 {{ 7*7 }} {% raw %} &amp; ]]> \U0001f389'
)


def item(case: str, number: int, score: float, **more: Any) -> dict[str, Any]:
    """Return one scored item as JSON, with three hits and their score parts."""
    return {
        "case": case,
        "item": f"q{number}",
        "groups": {"category": CATEGORIES[number % len(CATEGORIES)]},
        "scores": {
            "frac@10": score,
            "mrr": score / 2,
            "confidence": score,
            "is_answerable": float(number % 4 != 0),
        },
        "evidence": ["t1", "t2"],
        "found": [
            {"id": "t3", "parts": {"score": 1.5, "lexical": 1.0}},
            {"id": "t1", "parts": {"score": 0.5, "lexical": 0.25}},
            {"id": "t2", "rank": 23, "parts": {"score": 0.1}},
        ],
    } | more


def system(scores: Mapping[tuple[str, int], float], **more: Any) -> dict[str, Any]:
    """Return a system's JSON from the score of each question of each case."""
    items = [item(case, number, score) for (case, number), score in scores.items()]
    overall = mean(items)
    values = {one["groups"]["category"] for one in items}
    by = {v: mean([one for one in items if one["groups"]["category"] == v]) for v in sorted(values)}
    return {
        "metrics": overall | {"search_ms_p50": 3.0},
        "by": {"category": by},
        "items": items,
    } | more


def mean(items: list[dict[str, Any]]) -> dict[str, float | None]:
    """Return the means of the items' scores, as a suite does."""
    return {
        name: sum(one["scores"][name] for one in items) / len(items) if items else None
        for name in ("frac@10", "mrr")
    }


def scores(
    cases: int, questions: int, seed: int, gain: float = 0.0
) -> dict[tuple[str, int], float]:
    """Draw scores between 0 and 1; a case has a difficulty of its own, `gain` is added to all."""
    draw = random.Random(seed)
    drawn = {}
    for case in range(cases):
        ease = draw.uniform(0.3, 0.7)
        for number in range(questions):
            drawn[f"case {case}", number] = min(ease + draw.uniform(-0.3, 0.2) + gain, 1.0)
    return drawn


def result(systems: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return a whole result as JSON."""
    return {
        "schema": 1,
        "suite": "recall",
        "version": "1.2.3",
        "started": "2026-11-21T20:00:00+00:00",
        "seconds": 12.5,
        "seed": 3,
        "command": "recollect eval recall --cases 'my cases.jsonl'",
        "environment": {"python": "CPython 3.11", "langgraph": "1.2"},
        "cases": [{"file": "my cases.jsonl", "sha256": "ab" * 32, "cases": 2, "items": 12}],
        "embedder": "tiny/3/l2",
        "stores": {"postgres": "embedded"},
        "systems": dict(systems),
        "failed": [],
        "partial": False,
    } | more


def full() -> dict[str, Any]:
    """Return a result with everything that a page can show."""
    samples = {"search_ms": [0.5, 1.0, 2.0, 40.0]}
    growth = [
        {"messages": 1000, "retrieve_ms_p50": 8.0},
        {"messages": 100_000, "retrieve_ms_p50": 12},
    ]
    violations = [{"case": HOSTILE, "order": [1, 0], "what": [HOSTILE]}]
    product = system(scores(2, 6, 1), samples=samples, growth=growth, violations=violations, k=50)
    return result(
        {"bm25": system(scores(2, 6, 2), samples=samples), "recollect": product},
        failed=[{"case": HOSTILE, "system": "bm25", "reason": HOSTILE}],
        partial=True,
    )


def parsed(given: Mapping[str, Any]) -> SavedResult:
    """Check a result as the loader does."""
    return SavedResult.model_validate(given)


def hostile_texts() -> Texts:
    """Return hostile texts for every item and turn of `full()`."""
    items = {(f"case {case}", f"q{n}"): HOSTILE for case in range(2) for n in range(6)}
    sources = {(f"case {case}", f"t{n}"): HOSTILE * 40 for case in range(2) for n in range(1, 4)}
    return Texts(items, sources)
