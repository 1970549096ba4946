"""Which clauses a summary takes up: what they add, for the words that they cost. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Final

import numpy as np

from memory.episodes.features import Vector
from memory.episodes.summaries.scoring import Evidence, Weighed, Weights

COST: Final = 0.5
"""What length costs: a clause's gain is divided by its words to this power."""
SAME: Final = 0.92
"""Cosine of two messages from which the later one says the same."""
LEAST: Final = 0.15
"""What a clause gains at least, else it is left out though there were room."""
_SHARED: Final = 0.7
"""How much of a clause's gain goes with the share of its words that stand in chosen ones."""
_SAID: Final = 2
"""Words that it costs to say who says it."""


def gain(evidence: Evidence, weights: Weights) -> float:
    """Return how much of what matters a clause is likely to hold."""
    whole = _sum(evidence, weights.everywhere)
    if evidence.long_message or evidence.agent_long:
        whole += _sum(evidence, weights.in_long)
    return whole


def _sum(evidence: Evidence, weights: Evidence) -> float:
    whole: float = sum(map(mul, evidence, weights))
    return whole


def gains_of(weighed: Sequence[Weighed], weights: Weights) -> list[float]:
    """Return what each clause gains; nothing, where it was put right."""
    return [0.0 if each.is_past else gain(each.evidence, weights) for each in weighed]


def choose(
    weighed: Sequence[Weighed],
    gains: Sequence[float],
    budget: int,
    vectors: Sequence[Vector] | None = None,
) -> list[int]:
    """Return the indexes of the clauses to take up, in their order; their words fit the budget."""
    open_ = {at for at, value in enumerate(gains) if value > LEAST}
    told: set[str] = set()
    chosen: list[int] = []
    left = budget
    while open_:
        best, at = 0.0, -1
        for each in sorted(open_):
            clause = weighed[each].clause
            cost = clause.words + _SAID
            if clause.words + _SAID > left:
                open_.discard(each)
                continue
            known = len(clause.stems & told) / len(clause.stems) if clause.stems else 1.0
            worth = gains[each] * (1 - _SHARED * known) / cost**COST
            if worth > best:
                best, at = worth, each
        if at < 0:
            break
        open_.discard(at)
        if vectors is not None and _is_said(at, chosen, weighed, vectors):
            continue
        chosen.append(at)
        told |= weighed[at].clause.stems
        left -= weighed[at].clause.words + _SAID
    return sorted(chosen)


def _is_said(
    at: int, chosen: Sequence[int], weighed: Sequence[Weighed], vectors: Sequence[Vector]
) -> bool:
    """Tell whether another message that says the same is taken up already."""
    here = weighed[at].clause.message
    others = {weighed[each].clause.message for each in chosen} - {here}
    return any(_cosine(vectors[here], vectors[other]) > SAME for other in others)


def _cosine(one: Vector, other: Vector) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length else 0.0
