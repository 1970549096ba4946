"""How much each piece of evidence speaks for keeping a clause.

Source of `WEIGHTS`: `scripts/fit_summaries.py` (ridge regression) on the 39 own episodes of
`datasets/summaries/train`, in November 2026; out of fold their summaries hold .79 of what they
were labelled with. `read` is set by hand: no facts are read of these episodes.
"""

from __future__ import annotations

from typing import Final

from memory.episodes.summaries.scoring import Evidence, Weights

WEIGHTS: Final = Weights(
    everywhere=Evidence(
        numbers=0.251,
        money=0.025,
        times=0.184,
        numerals=0.038,
        names=0.041,
        decides=0.142,
        promises=0.041,
        corrects=0.109,
        hedges=-0.053,
        chats=-0.079,
        own=0.005,
        you=-0.140,
        asks=0.083,
        is_open=0.058,
        wonders=0.255,
        due=0.056,
        answers=0.089,
        proposal=0.085,
        agent=-0.350,
        long_message=0.029,
        agent_long=-0.049,
        central=0.060,
        rare=0.009,
        stems=0.078,
        words=0.109,
        short=-0.041,
        first=0.056,
        last=-0.021,
        late=0.105,
        place=-0.049,
        opening=0.041,
        link=0.000,
        read=0.300,
        bias=-0.103,
    ),
    in_long=Evidence(
        numbers=-0.005,
        money=0.002,
        times=0.111,
        numerals=0.161,
        names=0.011,
        decides=0.042,
        promises=0.024,
        corrects=0.052,
        hedges=-0.037,
        chats=-0.002,
        own=-0.010,
        you=-0.046,
        asks=0.046,
        is_open=0.000,
        wonders=0.280,
        due=0.056,
        answers=-0.176,
        proposal=0.126,
        agent=-0.049,
        long_message=0.029,
        agent_long=-0.049,
        central=0.055,
        rare=-0.092,
        stems=-0.020,
        words=0.028,
        short=0.009,
        first=-0.024,
        last=0.000,
        late=0.136,
        place=-0.019,
        opening=-0.051,
        link=0.000,
        read=0.000,
        bias=-0.020,
    ),
)
