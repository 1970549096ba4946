"""Lines in their threads: what stands beside each, and which sitting it is of. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.domain.recalls import Line

REACH: Final = 3
"""So many positions to each side a line has neighbours."""
SITTING_GAP: Final = timedelta(hours=2)
NOBODY: Final = -1

Floats = npt.NDArray[np.float32]


def neighbours(lines: Sequence[Line]) -> npt.NDArray[np.int64]:
    """Return where each line's neighbours are, (lines, 2 * `REACH`), nearest first.

    The one before comes before the one behind; `NOBODY` where there is none among the lines.
    """
    at = {(line.thread_id, line.position): index for index, line in enumerate(lines)}
    steps = [sign * step for step in range(1, REACH + 1) for sign in (-1, 1)]
    return np.array(
        [
            [at.get((line.thread_id, line.position + step), NOBODY) for step in steps]
            for line in lines
        ],
        np.int64,
    ).reshape(len(lines), 2 * REACH)


def beside(values: Floats, places: npt.NDArray[np.int64]) -> Floats:
    """Return the values of each line's neighbours, (lines, 2 * `REACH`, ...); 0 for nobody."""
    padded = np.concatenate([values, np.zeros((1, *values.shape[1:]), values.dtype)])
    found: Floats = padded[places]
    return found


def sittings(lines: Sequence[Line]) -> npt.NDArray[np.int64]:
    """Return the number of each line's sitting: a run within a chat with no gap above two hours."""
    order = sorted(
        range(len(lines)),
        key=lambda n: (lines[n].thread_id, lines[n].sent_at, lines[n].position),
    )
    found = np.zeros(len(lines), np.int64)
    number = 0
    for before, after in pairwise(order):
        one, other = lines[before], lines[after]
        number += one.thread_id != other.thread_id or other.sent_at - one.sent_at > SITTING_GAP
        found[after] = number
    return found
