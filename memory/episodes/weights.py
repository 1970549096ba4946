"""How much each piece of evidence speaks for a new topic.

Source of `WEIGHTS` and `BIAS`: `scripts/fit_episodes.py` (logistic regression) on one half of
DialSeg711, 355 dialogues drawn by seed 5, in November 2026. What it learnt of wording (`asked` to
`goes_on`) counts half: at full weight that half gains less than .01 in Pk, while chunks of chats
of another kind, put together at random, lose .05. On the other half: Pk .133, WindowDiff .155, F1
.805 (on the half learnt from .115, .133 and .838).
"""

from __future__ import annotations

from typing import Final

from memory.episodes.features import Features

VERSION: Final = "topics/2"
"""Names what decides where episodes begin: they are made again where it changes."""

WEIGHTS: Final = Features(
    broad=-0.12,
    near=-0.91,
    first=-1.05,
    after=0.67,
    before=0.14,
    shared=-5.79,
    length=1.41,
    length_before=1.35,
    asked=-0.70,
    asks=-0.73,
    opens=1.19,
    closed=0.72,
    goes_on=-1.78,
    start=-2.03,
)
BIAS: Final = -4.02

ASIDE: Final = 2.5
"""What an aside (`by the way`) adds. Set by hand on own dialogues: DialSeg711 has none."""

THRESHOLD: Final = -0.7
"""Score above which a gap is a boundary: best F1 and Pk within .01 of the best on that half."""

# What is usual in English chats, and the weight it has against the chat's own: as many gaps, as
# many turns. The first keep the start of a chat sane; the second take out what a chat's vectors
# have in common, which in languages that the model hardly knows is nearly everything.
PRIOR_MEAN: Final = 0.2
PRIOR_DEVIATION: Final = 0.2
PRIOR_GAPS: Final = 8.0
PRIOR_TURNS: Final = 12.0
