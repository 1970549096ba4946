"""How well predicted labels meet the true ones. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evals.suite.metrics import mean
from evals.suite.run import Figures


def by_label(true: Sequence[str], found: Sequence[str]) -> dict[str, Figures]:
    """Return precision, recall, F1 and support of every label that is true or was found, sorted.

    A label that is never found has no precision, one that is never true no recall.
    """
    right = Counter(one for one, other in zip(true, found, strict=True) if one == other)
    there, said = Counter(true), Counter(found)
    return {
        label: {
            "precision": right[label] / said[label] if said[label] else None,
            "recall": right[label] / there[label] if there[label] else None,
            "f1": 2 * right[label] / (there[label] + said[label]),
            "support": float(there[label]),
        }
        for label in sorted(there.keys() | said.keys())
    }


def macro_f1(true: Sequence[str], found: Sequence[str]) -> float | None:
    """Return the plain mean of the F1 of all labels that are true or were found; None of nothing.

    Source: macro-averaged F1 (Manning, Raghavan & Schuetze, Introduction to Information
    Retrieval, 13.6).
    """
    return mean([one["f1"] for one in by_label(true, found).values() if one["f1"] is not None])


def accuracy(true: Sequence[str], found: Sequence[str]) -> float | None:
    """Return the share of right labels; None of nothing."""
    return mean([float(one == other) for one, other in zip(true, found, strict=True)])
