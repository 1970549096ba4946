"""How much the evidence speaks for a new topic: a small network, and what it takes for granted.

Source: `network.npz`, by `scripts/fit_episodes.py`; what it learns from and how well it does is in
`docs/episodes.md`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.episodes.features import Features
from memory.npz import opened

VERSION: Final = "topics/3"
"""Names what decides where episodes begin: they are made again where it changes."""
FILE: Final = Path(__file__).with_name("network.npz")

THRESHOLD: Final = 0.4
"""Score above which a gap is a boundary: fewer of them are found, and more of those are right."""
THRESHOLD_OF_SHORT: Final = 0.6
"""The same where it would leave two short turns alone, sent nobody knows when."""
ASIDE: Final = 1.0
"""What an aside (`by the way`) adds to what was learnt of it, set by hand: few were learnt from."""
FARTHEST: Final = 5.0
"""Evidence farther from the mean, in deviations, counts as this far."""

# What is usual in English chats, and the weight it has against the chat's own: as many gaps, as
# many turns. The first keep the start of a chat sane; the second take out what a chat's vectors
# have in common, which in languages that the model hardly knows is nearly everything.
PRIOR_MEAN: Final = 0.2
PRIOR_DEVIATION: Final = 0.2
PRIOR_GAPS: Final = 8.0
PRIOR_TURNS: Final = 12.0


def score_of(evidence: Features) -> float:
    """Return the log odds that a new topic begins here."""
    means, spreads, inner, bias, outer, base = network()
    given = np.clip((np.array(evidence, np.float32) - means) / spreads, -FARTHEST, FARTHEST)
    return float(np.tanh(given @ inner + bias) @ outer + base[0])


@cache
def network() -> tuple[npt.NDArray[np.float32], ...]:
    """Return means and spreads of the evidence, the inner layer, its bias, the outer, its base."""
    with opened(FILE) as packed:
        names = ("means", "spreads", "inner", "bias", "outer", "base")
        return tuple(packed[name].astype(np.float32) for name in names)
