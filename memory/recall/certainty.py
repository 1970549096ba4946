"""How certain it is that what a search found answers the question, and which line. Pure.

Only the score of the best line and the cosine of the closest one tell anything of it, and not much:
what nobody ever said is asked for in words that the chat is full of (docs/retrieval.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from memory.domain.recalls import Recalled
from memory.recall.ranking.features import Pool

_SCORE: Final = 0.531
_COSINE: Final = 2.613
_BIAS: Final = -4.605
"""Of a logistic model, to which what was said and what never was count the same, however many
questions ask for either. Source: the training chats (docs/retrieval.md)."""
_FEW: Final = 9.0
_FEWEST: Final = 15
"""Divided by the lines that there are, at least so many, it is added to the odds: among few lines
scores are lower. Of 16 lines the odds are .54 too low, of 51 .21 (docs/retrieval.md)."""
_BESIDE: Final = ("used", "later", "follows", "follows_now", "attended")
"""Parts of a score that tell nothing of it: that a line was told before, came later, or answers
better than the others."""
UNCERTAIN: Final = 0.4
"""With less, a prompt says that nothing certain was found."""
LEAST: Final = 0.01
"""Nothing is taken to be more certain either way."""


def certainty_of(best: Sequence[Recalled], pool: Pool) -> float | None:
    """Return the chance, in 0..1, that what was found answers; None where no vector tells it.

    Args:
        best: The lines as they were ranked, best first.
        pool: What they were chosen from.
    """
    if not pool.cosines:
        return None
    if not best:
        return LEAST
    score = max(each.score - sum(each.parts.get(n, 0.0) for n in _BESIDE) for each in best)
    odds = _SCORE * score + _COSINE * max(pool.cosines.values()) + _BIAS
    odds += _FEW / max(len(pool.lines), _FEWEST)
    return min(max(round(1 / (1 + math.exp(-odds)), 2), LEAST), 1 - LEAST)


def chances(found: Sequence[Recalled]) -> dict[str, float]:
    """Return how likely each message answers, if one of those that were found does, by its id.

    A softmax over their scores, which is what the score's weights are fitted as; no less than
    `LEAST`.
    """
    scores = {each.item_id: each.score for each in found if each.kind == "message"}
    best = max(scores.values(), default=0.0)
    weights = {uid: math.exp(score - best) for uid, score in scores.items()}
    whole = sum(weights.values())
    return {uid: max(round(weight / whole, 2), LEAST) for uid, weight in weights.items()}


def is_uncertain(certainty: float | None) -> bool:
    """Tell whether a search found nothing certain; where nobody can tell, it is not said."""
    return certainty is not None and certainty < UNCERTAIN


def log_odds(certainty: float) -> float:
    """Return the logarithm of a chance's odds, bounded."""
    held = min(max(certainty, LEAST), 1 - LEAST)
    return math.log(held / (1 - held))
