"""Fitting what ranks lines: evidence above the rest, and no weight against its sense."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from memory.domain.recalls import Lexical, Line, TokenMatrix
from memory.recall.ranking.features import GROUPS, NEGATIVE, Pool, Question, Table
from memory.recall.ranking.late import Asking
from memory.recall.ranking.scorer import LONG_SUFFIX, shipped_scorer
from scripts.fit_recall import HARD, Asked, columns, crossed, fit, fit_later, hard, judged
from tests.messages import START

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
    sent = np.arange(200, dtype=np.float64)
    lines = [Line(f"u{n}", "t", n, START, "Ana") for n in range(200)]
    table = Table(lines, noise, sent=sent)
    none = np.zeros(200, bool)
    question = Question("where does she live?", START, "ana")
    pool = Pool(lines, Lexical(), {})
    return Asked(case, style, "single", "en", question, pool, table, is_evidence, none, none, 3)


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return [_asked(f"case {n % 3}", float(n % 2), n) for n in range(30)]


def test_evidence_is_learnt_to_stand_first(asked: list[Asked]) -> None:
    weights = fit(asked, columns(NAMES))
    assert np.mean([each.found for each in judged(asked, weights)]) > 0.95
    assert np.mean([each.found for each in crossed(asked, columns(NAMES))]) > 0.9
    assert np.mean([each.found for each in judged(asked, {"bm25": 1.0})]) == 0


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


def _changed(case: str, seed: int) -> Asked:
    """Return a pool whose best line was put right by a later one about the same."""
    draw = np.random.default_rng(seed)
    dense = draw.random(20).astype(np.float32)
    was, now = sorted(draw.choice(20, 2, replace=False).tolist())
    dense[was], dense[now] = 2.0, 0.9
    tokens = [np.array([[0, 127]], np.int8).tobytes() for _ in range(20)]
    tokens[was] = tokens[now] = np.array([[127, 0]], np.int8).tobytes()
    lines = [
        Line(f"u{n}", "t", n, START + timedelta(days=n), "Ana", tokens=each)
        for n, each in enumerate(tokens)
    ]
    found = {name: np.zeros(20, np.float32) for name in NAMES} | {"dense": dense}
    asking = Asking.of([TokenMatrix(tokens[was], 2, (1.0,))])
    question = Question("Where does she live now?", START, "ana", asking)
    place = np.arange(20)
    table = Table(lines, found, sent=place.astype(np.float64))
    is_now = place == now
    pool = Pool(lines, Lexical(), {})
    return Asked(case, 0.0, "update", "en", question, pool, table, is_now, is_now, place == was, 1)


def test_a_later_line_about_the_same_is_learnt_to_stand_above() -> None:
    asked = [_changed(f"case {n % 3}", n) for n in range(30)]
    weights = {"dense": 3.0}
    before, now = (judged(asked, each) for each in (weights, weights | fit_later(asked, weights)))
    assert not any(each.current for each in before)
    assert np.mean([bool(each.current) for each in now]) > 0.9
