"""Sums of vectors are exact, whatever was added and taken away in whatever order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.episodes.sums import kept_sum, mean_of, read_sum, summed

VECTORS = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4), min_size=1, max_size=12
)


@given(VECTORS, st.data())
def test_a_part_that_is_taken_away_leaves_the_sum_of_the_rest(
    drawn: list[list[float]], data: st.DataObject
) -> None:
    vectors = [np.asarray(one, np.float32) for one in drawn]
    at = data.draw(st.integers(0, len(vectors)))
    whole = read_sum(kept_sum(summed(vectors)))
    assert ((whole - summed(vectors[at:])) == summed(vectors[:at])).all()
    assert (summed(vectors[::-1]) == whole).all()


def test_the_mean_of_two_lies_between_them() -> None:
    one, two = np.asarray([1, 0, 0], np.float32), np.asarray([0, 1, 0], np.float32)
    assert mean_of(kept_sum(summed([one, two]))) == pytest.approx((0.5**0.5, 0.5**0.5, 0))


def test_what_has_no_direction_has_no_mean() -> None:
    one = np.asarray([0.5, -0.25], np.float32)
    assert mean_of(kept_sum(summed([one, -one]))) == ()
    assert mean_of(b"") == ()
