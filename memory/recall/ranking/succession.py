"""Which lines came later about the same thing as those that fit best. Pure.

"The show is on the 18th" has the words of the question, and "25th then" has none: what is true now
is often said in fewer words than what was true before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

FIRST: Final = 30
"""Of so many lines, best first, it is looked at which came later."""
FOLLOWS: Final = "follows"
FOLLOWS_NOW: Final = "follows_now"


def succession(
    scores: npt.NDArray[np.floating],
    sent: npt.NDArray[np.float64],
    directions: Floats,
    *,
    is_now: bool,
) -> Mapping[str, Floats]:
    """Return how much of what was said before each line is about the same, in 0..1.

    A line that is likely to answer counts for more, one that is not among the first for nothing.

    Args:
        scores: Of each line; a softmax over them is how likely each answers.
        sent: When each was said, in seconds.
        directions: What each is about, (lines, width), as `late.directions` has it.
        is_now: Whether the question asks for what is true now; `follows_now` is 0 otherwise.
    """
    found = np.zeros(len(scores), np.float32)
    first = np.argsort(-scores, kind="stable")[:FIRST]
    if len(first) and directions.size:
        chance = np.exp(scores[first] - scores[first[0]])
        chance /= chance.sum()
        about = directions[first]
        # No product by BLAS: its result would depend on how many threads it has.
        alike = np.einsum("aw,bw->ab", about, about).clip(0)
        is_later = sent[first][:, None] < sent[first][None, :]
        found[first] = (chance[:, None] * alike * is_later).sum(0)
    return {FOLLOWS: found, FOLLOWS_NOW: found * is_now}
