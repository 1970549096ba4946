"""How present a line is, by when it was said and how often and how lately answers used it. Pure.

What was needed often and lately is likely to be needed again, and the odds fall with a power of the
time since. Source: Anderson & Schooler 1991, "Reflections of the environment in memory"
(doi:10.1111/j.1467-9280.1991.tb00174.x); base-level activation of ACT-R, B = ln(sum of t^-d), in
the form that needs only the number of uses and the times of the first and the last one: Petrov
2006, "Computationally efficient approximation of the base-level learning equation in ACT-R", with
k = 1. With d = 1/2 that is ln(1 / sqrt(last) + 2 (n - 1) / (sqrt(first) + sqrt(last))).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.domain.recalls import Line

Floats = npt.NDArray[np.float32]
Times = npt.NDArray[np.float64]

YOUNGEST: Final = 0.001
"""Shares of the time that lines span: whatever is younger counts as this old."""
_SPAN_S: Final = 86_400.0
"""A chat of less than a day is taken to be one of a day."""
_FULL: Final = -0.5 * np.log(YOUNGEST)


def presence(lines: Sequence[Line], sent: Times, now: float) -> tuple[Floats, Floats]:
    """Return how new each line is, and what its uses add to that, both in 0..1.

    Ages are shares of the time from the first of the lines until now, so that a chat of years fades
    as one of weeks does. A line as old as the first one is 0 new; to be said counts as a use.

    Args:
        lines: Lines with `uses` and `used_at`.
        sent: When each was said, in seconds.
        now: The time at which is asked, in seconds.
    """
    if not lines:
        return np.zeros(0, np.float32), np.zeros(0, np.float32)
    span = max(now - float(sent.min()), _SPAN_S)
    said = ((now - sent) / span).clip(YOUNGEST, 1)
    uses = np.array([line.uses for line in lines], np.float64)
    used_at = np.array([line.used_at.timestamp() if line.used_at else now for line in lines])
    last = np.where(uses > 0, np.clip((now - used_at) / span, YOUNGEST, said), said)
    alone = -0.5 * np.log(said)
    active = np.log(1 / np.sqrt(last) + 2 * uses / (np.sqrt(said) + np.sqrt(last)))
    added = ((active - alone) / _FULL).clip(0, 1)
    return (alone / _FULL).astype(np.float32), added.astype(np.float32)
