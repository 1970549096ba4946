"""How well hypothesised topic boundaries meet the true ones. Pure.

A boundary is the index of the first turn of a new segment, so 1 .. turns - 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple


class Matches(NamedTuple):
    """Boundaries at exactly the right turn, and how many were set and how many there are."""

    right: int
    found: int
    true: int


class Exact(NamedTuple):
    """Precision, recall and their harmonic mean; None where nothing was there to measure."""

    precision: float | None
    recall: float | None
    f1: float | None


def window_size(turns: int, true: Collection[int]) -> int:
    """Return k: half the mean length of the true segments, rounded half up, at least 1.

    Source: Beeferman, Berger & Lafferty, Statistical Models for Text Segmentation (1999); Pevzner
    & Hearst, A Critique and Improvement of an Evaluation Metric for Text Segmentation (2002).
    """
    segments = len(set(true)) + 1
    return max(1, math.floor(turns / (2 * segments) + 0.5))


def pk(turns: int, true: Collection[int], found: Collection[int]) -> float | None:
    """Return the share of turns k apart that are wrongly said to be in one segment, or not.

    0 is perfect. None when no two turns are k apart.
    Source: Beeferman, Berger & Lafferty (1999).
    """
    return _sliding_error(turns, true, found, only_whether=True)


def windowdiff(turns: int, true: Collection[int], found: Collection[int]) -> float | None:
    """Return the share of windows of k turns that hold a wrong number of boundaries.

    0 is perfect. None when no two turns are k apart.
    Source: Pevzner & Hearst (2002).
    """
    return _sliding_error(turns, true, found, only_whether=False)


def match(true: Collection[int], found: Collection[int]) -> Matches:
    """Count the boundaries found at exactly the right turn."""
    return Matches(len(set(true) & set(found)), len(set(found)), len(set(true)))


def exact(counts: Matches) -> Exact:
    """Return precision, recall and F1 of pooled counts."""
    precision = counts.right / counts.found if counts.found else None
    recall = counts.right / counts.true if counts.true else None
    either = counts.found + counts.true
    return Exact(precision, recall, 2 * counts.right / either if either else None)


def _sliding_error(
    turns: int, true: Collection[int], found: Collection[int], *, only_whether: bool
) -> float | None:
    k = window_size(turns, true)
    if turns <= k:
        return None
    wrong = 0
    for start in range(turns - k):
        inside = range(start + 1, start + k + 1)
        there = sum(one in inside for one in set(true))
        said = sum(one in inside for one in set(found))
        wrong += bool(there) != bool(said) if only_whether else there != said
    return wrong / (turns - k)
