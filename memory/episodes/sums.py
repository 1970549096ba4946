"""Sums of message vectors: an episode's direction without another embedding. Pure.

In whole numbers, so that a sum is the same in whatever order, and however often something was
added and taken away again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.episodes.features import Vector

_SCALE: Final = 1 << 15

Whole = npt.NDArray[np.int64]


def summed(vectors: Sequence[Vector]) -> Whole:
    """Return the sum of vectors of one dimension; of none, zero.

    Each is taken as a tracker keeps it, in half precision.
    """
    if not vectors:
        return np.zeros((), np.int64)
    halves = np.stack(vectors).astype(np.float16).astype(np.float64)
    whole: Whole = np.rint(halves * _SCALE).astype(np.int64).sum(axis=0)
    return whole


def kept_sum(whole: Whole) -> bytes:
    """Return a sum as it is put away."""
    return whole.astype("<i4").tobytes()


def read_sum(data: bytes) -> Whole:
    """Return what `kept_sum` put away."""
    return np.frombuffer(data, "<i4").astype(np.int64)


def mean_of(data: bytes) -> tuple[float, ...]:
    """Return the direction of a sum that was put away, of length one; empty where it has none."""
    whole = read_sum(data).astype(np.float64)
    length = float(np.linalg.norm(whole))
    return tuple((whole / length).tolist()) if length else ()
