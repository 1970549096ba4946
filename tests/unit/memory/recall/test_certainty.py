"""How certain a search is of an answer: more where a line stands out, and never told of nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.recalls import Lexical, Line, Recalled
from memory.recall.certainty import LEAST, UNCERTAIN, certainty_of, chances, is_uncertain, log_odds
from memory.recall.ranking.features import Pool
from tests.messages import START


def found(score: float, cosine: float) -> float | None:
    """Return the certainty of a search whose best line has this score, the closest this cosine."""
    return certainty_of([Recalled("message", "u", score)], Pool((), Lexical(), {"u": cosine}))


def test_a_line_that_stands_out_and_is_close_makes_it_certain() -> None:
    weak, strong = found(3.0, 0.3), found(9.0, 0.8)
    assert weak is not None
    assert strong is not None
    assert weak < UNCERTAIN < strong
    assert is_uncertain(weak)
    assert not is_uncertain(strong)


def test_among_few_lines_the_same_score_says_more() -> None:
    best = [Recalled("message", "u", 5.0)]
    lines = [Line(f"u{n}", "t", n, START, "Ana") for n in range(200)]
    few, many = (
        certainty_of(best, Pool(some, Lexical(), {"u": 0.5})) for some in (lines[:10], lines)
    )
    assert few is not None
    assert many is not None
    assert many < few < many + 0.2


def test_without_vectors_nobody_can_tell() -> None:
    assert certainty_of([Recalled("message", "u", 9.0)], Pool((), Lexical(), {})) is None
    assert not is_uncertain(None)


def test_where_nothing_was_found_nothing_is_certain() -> None:
    assert is_uncertain(certainty_of([], Pool((), Lexical(), {"u": 0.9})))


def test_the_lines_share_the_chance_by_their_scores() -> None:
    scores = {"first": 3.0, "second": 3.0, "far": -9.0}
    entries = [Recalled("message", uid, score) for uid, score in scores.items()]
    told = chances([*entries, Recalled("fact", "f", 9.0)])
    assert told == {"first": 0.5, "second": 0.5, "far": LEAST}
    assert chances([]) == {}


@given(st.floats(-50, 50), st.floats(-1, 1))
def test_it_is_a_chance_whatever_was_found(score: float, cosine: float) -> None:
    sure = found(score, cosine)
    assert sure is not None
    assert 0 < sure < 1
    assert log_odds(sure) == pytest.approx(-log_odds(1 - sure))
