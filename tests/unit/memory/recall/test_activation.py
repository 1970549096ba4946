"""How present a line is: new or used lately and often; within bounds, whatever the times."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.recalls import Lexical, Line
from memory.recall.ranking.activation import YOUNGEST, presence
from memory.recall.ranking.features import Pool, Question
from memory.recall.ranking.order import ranked
from memory.recall.ranking.scorer import shipped_scorer
from tests.messages import START

NOW = START + timedelta(days=100)


def _line(day: float, uses: int = 0, used: float | None = None, **told: Any) -> Line:
    at = None if used is None else START + timedelta(days=used)
    line = Line(f"u{day}", f"t{day}", 0, START + timedelta(days=day), "Ana", uses=uses, used_at=at)
    return line._replace(**told)


def _presence(*lines: Line, now: datetime = NOW) -> tuple[list[float], list[float]]:
    sent = np.array([line.sent_at.timestamp() for line in lines])
    new, used = presence(lines, sent, now.timestamp())
    return new.tolist(), used.tolist()


def test_the_first_line_has_faded_and_the_last_has_not() -> None:
    new, used = _presence(_line(0), _line(50), _line(90), _line(100))
    assert new[0] == 0
    assert new == sorted(new)
    assert new[-1] == pytest.approx(1)
    assert used == [0, 0, 0, 0]


def test_lines_fade_by_the_time_that_they_span() -> None:
    weeks, _ = _presence(_line(0), _line(50))
    years, _ = _presence(_line(-3550), _line(-1725))
    assert weeks[1] == pytest.approx(years[1], abs=1e-6)


def test_what_was_used_more_or_later_is_more_present() -> None:
    _, used = _presence(
        _line(0), _line(0, 1, 20), _line(0, 1, 90), _line(0, 5, 90), _line(95, 1, 99)
    )
    assert used[0] == 0 < used[1] < used[2] < used[3] <= 1
    assert used[4] < used[2]  # it was still present


def test_it_is_petrovs_form_of_base_level_learning() -> None:
    new, used = _presence(_line(0), _line(36, 3, 75))
    said, last = 0.64, 0.25
    active = np.log(last**-0.5 + 3 * (said**0.5 - last**0.5) / (0.5 * (said - last)))
    full = -0.5 * np.log(YOUNGEST)
    assert used[1] == pytest.approx((active + 0.5 * np.log(said)) / full, rel=1e-5)
    assert new[1] == pytest.approx(-0.5 * np.log(said) / full, rel=1e-5)


days = st.floats(-400, 400)


@given(st.lists(st.tuples(days, st.integers(0, 10**6), days), min_size=1, max_size=6))
def test_it_keeps_to_its_bounds_whatever_the_clocks_say(
    told: list[tuple[float, int, float]],
) -> None:
    new, used = _presence(*(_line(said, uses, at if uses else None) for said, uses, at in told))
    for value in (*new, *used):
        assert 0 <= value <= 1


def test_nothing_is_present_of_nothing() -> None:
    assert _presence() == ([], [])


def test_use_settles_near_ties_alone() -> None:
    bound = shipped_scorer().weights["used"]
    assert 0 < bound <= 0.1
    asked = Question("the boat", NOW)

    def first(cosine: float) -> str:
        used, other = _line(0, 50, 99.9, text="a"), _line(0.1, text="b")
        pool = Pool([used, other], Lexical(), {used.uid: cosine, other.uid: 0.5})
        best = ranked(asked, pool, 2)
        assert max(entry.parts.get("used", 0.0) for entry in best) == pytest.approx(bound, abs=0.02)
        return best[0].item_id

    assert first(0.5) == "u0"
    assert first(0.4) == "u0.1"
