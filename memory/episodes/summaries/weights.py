"""How much each piece of evidence speaks for keeping a clause.

Source of `WEIGHTS`: `scripts/fit_summaries.py` (ridge regression) on the 31 own episodes of
`datasets/summaries/train`, in November 2026. Out of fold, in eight folds, summaries hold .79 of
what they were labelled with. `read` is set by hand: no facts are read of these episodes.
"""

from __future__ import annotations

from typing import Final

from memory.episodes.summaries.scoring import Evidence

WEIGHTS: Final = Evidence(
    numbers=0.202,
    money=0.007,
    times=0.185,
    numerals=0.076,
    names=0.070,
    decides=0.171,
    promises=0.064,
    corrects=0.142,
    hedges=-0.051,
    chats=-0.097,
    own=-0.019,
    you=-0.138,
    asks=0.058,
    is_open=0.097,
    wonders=0.273,
    due=0.021,
    answers=0.061,
    proposal=0.077,
    agent=-0.349,
    long_message=0.028,
    agent_long=-0.076,
    central=0.092,
    rare=-0.025,
    stems=0.064,
    words=0.095,
    short=-0.047,
    first=0.046,
    last=-0.035,
    late=0.141,
    place=-0.041,
    opening=0.036,
    link=0.000,
    read=0.300,
    bias=-0.083,
)
