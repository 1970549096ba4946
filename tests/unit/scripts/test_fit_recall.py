"""Fitting what ranks lines: evidence above the rest, and no weight against its sense."""

from __future__ import annotations

import numpy as np
import pytest

from memory.recall.ranking.features import GROUPS, NEGATIVE
from memory.recall.ranking.scorer import LONG_SUFFIX, shipped_scorer
from scripts.fit_recall import HARD, Asked, columns, crossed, fit, hard, judged

NAMES = ("asks", "bm25", "dense", "late_window")


def _asked(case: str, style: float, seed: int) -> Asked:
    """Return a pool where `dense` tells evidence and `bm25` misleads."""
    draw = np.random.default_rng(seed)
    is_evidence = np.zeros(200, bool)
    is_evidence[draw.choice(200, 3, replace=False)] = True
    noise = {name: draw.random(200).astype(np.float32) for name in NAMES}
    noise["dense"][is_evidence] += 1
    noise["bm25"][is_evidence] = 0
    noise["asks"][is_evidence] += 1
    return Asked(case, style, "single", "en", noise, is_evidence, 3)


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return [_asked(f"case {n % 3}", float(n % 2), n) for n in range(30)]


def test_evidence_is_learnt_to_stand_first(asked: list[Asked]) -> None:
    weights = fit(asked, columns(NAMES))
    assert np.mean(judged(asked, weights)) > 0.95
    assert np.mean(crossed(asked, columns(NAMES))) > 0.9
    assert np.mean(judged(asked, {"bm25": 1.0})) == 0


def test_no_weight_turns_against_its_sense(asked: list[Asked]) -> None:
    weights = fit(asked, columns(NAMES), ridge=0.0)
    for name in NAMES:
        sign = -1 if name in NEGATIVE else 1
        assert sign * weights[name] >= 0
        assert sign * (weights[name] + weights[name + LONG_SUFFIX]) >= -1e-3


def test_what_ships_keeps_its_sense() -> None:
    weights = shipped_scorer().weights
    for name in GROUPS:
        sign = -1 if name in NEGATIVE else 1
        assert sign * weights.get(name, 0.0) >= 0
        long = weights.get(name, 0.0) + weights.get(name + LONG_SUFFIX, 0.0)
        assert sign * long >= -1e-3


def test_the_hardest_lines_are_learnt_from_and_all_evidence(asked: list[Asked]) -> None:
    rows, is_evidence = hard(asked[0], columns(NAMES))
    assert rows.shape == (HARD, 2 * len(NAMES))
    assert is_evidence.sum() == 3
