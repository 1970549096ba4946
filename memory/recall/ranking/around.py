"""Lines in their threads: what stands beside each, and which sitting it is of. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.domain.recalls import Line

REACH: Final = 3
"""So many positions to each side a line has neighbours."""
SITTING_GAP: Final = timedelta(hours=2)
NOBODY: Final = -1
_POSITION_BITS: Final = 40

Floats = npt.NDArray[np.float32]


def neighbours(lines: Sequence[Line]) -> npt.NDArray[np.int64]:
    """Return where each line's neighbours are, (lines, 2 * `REACH`), nearest first.

    The one before comes before the one behind; `NOBODY` where there is none among the lines.
    """
    steps = [sign * step for step in range(1, REACH + 1) for sign in (-1, 1)]
    keys = (_threads(lines) << _POSITION_BITS) + np.array([line.position for line in lines])
    order = np.argsort(keys)
    wanted = keys[:, None] + np.array(steps)
    at = np.searchsorted(keys, wanted, sorter=order).clip(max=len(lines) - 1)
    found = order[at]
    return np.where(keys[found] == wanted, found, NOBODY)


def beside(values: Floats, places: npt.NDArray[np.int64]) -> Floats:
    """Return the values of each line's neighbours, (lines, 2 * `REACH`, ...); 0 for nobody."""
    padded = np.concatenate([values, np.zeros((1, *values.shape[1:]), values.dtype)])
    found: Floats = padded[places]
    return found


def sittings(lines: Sequence[Line], sent: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the number of each line's sitting: a run within a chat with no gap above two hours.

    `sent`: when each was said, in seconds.
    """
    threads = _threads(lines)
    positions = np.array([line.position for line in lines])
    order = np.lexsort((positions, sent, threads))
    gaps = np.diff(sent[order]).round(6)  # as exact as the times: microseconds
    ends = (np.diff(threads[order]) != 0) | (gaps > SITTING_GAP.total_seconds())
    found = np.zeros(len(lines), np.int64)
    found[order[1:]] = ends.cumsum()
    return found


def _threads(lines: Sequence[Line]) -> npt.NDArray[np.int64]:
    """Return a number for the thread of each line."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(line.thread_id, len(numbers)) for line in lines], np.int64)
