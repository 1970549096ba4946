"""How much each piece of evidence speaks for keeping a clause.

Source of `WEIGHTS`: `scripts/fit_summaries.py` (ridge regression) on the 31 own episodes of
`datasets/summaries/train`, in November 2026. Out of fold, in eight folds, summaries hold .79 of
what they were labelled with. `read` is set by hand: no facts are read of these episodes.
"""

from __future__ import annotations

from typing import Final

from memory.episodes.summaries.scoring import Evidence

WEIGHTS: Final = Evidence(
    numbers=0.205,
    money=0.003,
    times=0.185,
    numerals=0.075,
    names=0.069,
    decides=0.162,
    promises=0.076,
    corrects=0.142,
    hedges=-0.051,
    chats=-0.097,
    own=-0.021,
    you=-0.139,
    asks=0.058,
    is_open=0.096,
    wonders=0.273,
    due=0.031,
    answers=0.061,
    proposal=0.081,
    agent=-0.350,
    long_message=0.029,
    agent_long=-0.076,
    central=0.092,
    rare=-0.023,
    stems=0.067,
    words=0.093,
    short=-0.054,
    first=0.046,
    last=-0.035,
    late=0.142,
    place=-0.040,
    opening=0.043,
    link=0.000,
    read=0.300,
    bias=-0.088,
)
