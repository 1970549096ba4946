"""Paired bootstrap: how much a difference of two runs over the same items would scatter. Pure.

What is drawn again and again are whole cases, where there are at least `FEWEST` of them, and items
otherwise. Questions about one conversation share its speakers, its length and its difficulty, so
they are no independent witnesses: drawn one by one they would make the interval too narrow. Both
runs are drawn together (paired), so that what is hard for both cancels out.

Few units scatter less in a bootstrap than they do in truth. The interval's tails are therefore
widened as a t interval is over a normal one.
Source: Field & Welsh, Bootstrapping clustered data (2007), for the clusters; Hesterberg, What
Teachers Should Know About the Bootstrap (2015), 5.3, for the expanded percentile interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

CONFIDENCE = 0.95
SAMPLES = 2_000
FEWEST = 8
"""Fewer units than this give no interval: the tails of so few cannot be known."""
_CHUNK_NUMBERS = 4_000_000  # 32 MB of weights at a time


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds, both inside, that hold the true difference in 95 of 100 such comparisons."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Units:
    """What is drawn: `of` gives each item's unit, 0 up to `count`."""

    kind: Literal["case", "item"]
    of: Places
    count: int


def units_of(cases: Sequence[str]) -> Units:
    """Return whole cases as units where there are enough, else the items; `cases`: each item's."""
    names, places = np.unique(np.array(cases, dtype=str), return_inverse=True)
    if len(names) >= FEWEST:
        return Units("case", places.astype(np.int64), len(names))
    return Units("item", np.arange(len(cases), dtype=np.int64), len(cases))


def weights(units: Units, samples: int, seed: int) -> Iterator[Numbers]:
    """Yield blocks of rows, `samples` in all: how often each item was drawn in that sample.

    The same seed and units give the same rows.
    """
    draw = np.random.default_rng(seed)
    chances = np.full(units.count, 1 / units.count)
    block = max(_CHUNK_NUMBERS // max(len(units.of), 1), 1)
    for start in range(0, samples, block):
        counts = draw.multinomial(units.count, chances, size=min(block, samples - start))
        yield counts[:, units.of].astype(np.float64)


def interval(drawn: Numbers, count: int) -> Interval | None:
    """Return the expanded percentile interval of a statistic's samples.

    `count`: how many units the statistic rests on; None below `FEWEST`, or without samples. Samples
    that are not finite (nothing was drawn that counts) are left out.
    """
    finite = drawn[np.isfinite(drawn)]
    if count < FEWEST or not len(finite):
        return None
    tail = _tail(count)
    low, high = np.quantile(finite, [tail, 1 - tail])
    return Interval(float(low), float(high))


def weighted_auroc(block: Numbers, scores: Numbers, positive: npt.NDArray[np.bool_]) -> Numbers:
    """Return the AUROC of each row's weighted items; NaN where a row lacks one of the classes.

    The same as `evals.suite.metrics.auroc` over items repeated as often as their weight says.
    """
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    sorted_block, is_positive = block[:, order], positive[order]
    above = np.add.reduceat(sorted_block * is_positive, starts, axis=1)
    below = np.add.reduceat(sorted_block * ~is_positive, starts, axis=1)
    beaten = np.cumsum(below, axis=1) - below / 2
    pairs = above.sum(axis=1) * below.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((above * beaten).sum(axis=1) / pairs, np.float64)


def _tail(count: int) -> float:
    """Return the share of samples beyond each end of the expanded interval.

    Source of the t quantile: Abramowitz & Stegun, 26.7.5; off by less than .002 from 7 degrees of
    freedom on.
    """
    normal = NormalDist()
    z, free = normal.inv_cdf((1 + CONFIDENCE) / 2), count - 1
    t = (
        z
        + (z**3 + z) / (4 * free)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    )
    return normal.cdf(-t * math.sqrt(count / free))
