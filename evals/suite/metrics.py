"""Metrics over ranked ids and plain samples. Pure; a metric without samples is None, never zero."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def found_fraction(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Return the share of the evidence among the first `k` ids, 0..1. Evidence is not empty.

    Source: recall at k (Manning, Raghavan & Schuetze, Introduction to Information Retrieval, 8.4).
    """
    return len(set(ranked[:k]) & set(evidence)) / len(set(evidence))


def found_all(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Return 1 when every piece of evidence is among the first `k` ids, else 0."""
    return float(set(evidence) <= set(ranked[:k]))


def found_precision(ranked: Sequence[str], evidence: Collection[str], k: int) -> float | None:
    """Return the share of evidence among the first `k` distinct ids, 0..1; None if there are none.

    The divisor is how many there are, at most `k`: a system that finds less is not punished for it.
    Source: precision at k (Manning, Raghavan & Schuetze, Introduction to Information Retrieval,
    8.4), with the divisor of ragas' `IDBasedContextPrecision`.
    """
    shown = set(ranked[:k])
    return len(shown & set(evidence)) / len(shown) if shown else None


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """Return 1 / rank of the first piece of evidence, counted from 1; 0 when there is none.

    Source: Voorhees, The TREC-8 Question Answering Track Report (1999).
    """
    for rank, one in enumerate(ranked, start=1):
        if one in evidence:
            return 1 / rank
    return 0.0


def ranks_above(ranked: Sequence[str], current: Collection[str], stale: Collection[str]) -> float:
    """Return 1 when the best current id stands above every stale one, else 0.

    An id that was not found stands below all that were; no current id found gives 0.
    """
    first_current = next((i for i, one in enumerate(ranked) if one in current), None)
    first_stale = next((i for i, one in enumerate(ranked) if one in stale), len(ranked))
    return float(first_current is not None and first_current < first_stale)


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """Return the chance that a positive's score exceeds a negative's; ties count one half.

    None unless there are samples of both.
    Source: Hanley & McNeil, The Meaning and Use of the Area under a ROC Curve (1982); by rank sums.
    """
    if not positives or not negatives:
        return None
    scores = sorted([(s, 1) for s in positives] + [(s, 0) for s in negatives])
    rank_sum = 0.0
    start = 0
    while start < len(scores):
        end = start
        while end < len(scores) and scores[end][0] == scores[start][0]:
            end += 1
        middle = (start + 1 + end) / 2
        rank_sum += middle * sum(label for _, label in scores[start:end])
        start = end
    n = len(positives)
    return (rank_sum - n * (n + 1) / 2) / (n * len(negatives))


def mean(samples: Sequence[float]) -> float | None:
    """Return the arithmetic mean; None of nothing."""
    return math.fsum(samples) / len(samples) if samples else None


def percentile(samples: Sequence[float], share: float) -> float | None:
    """Return the sample at or above `share` (0..1) of all, by nearest rank; None of nothing.

    Source: the nearest-rank definition of a percentile.
    """
    if not samples:
        return None
    ordered = sorted(samples)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def thinned(samples: Sequence[float], most: int = 200) -> list[float]:
    """Return at most `most` of the samples, in order, evenly spread over their ranks.

    The smallest and the largest stay, so that a distribution can be drawn from few numbers.
    """
    ordered = sorted(samples)
    if len(ordered) > most:
        step = (len(ordered) - 1) / (most - 1)
        ordered = [ordered[round(rank * step)] for rank in range(most)]
    return [round(one, 4) for one in ordered]
