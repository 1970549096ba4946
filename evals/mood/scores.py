"""Scores of the `mood` suite from the label said of each message. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.mood.cases import MoodCase
from evals.mood.metrics import accuracy, by_label, macro_f1
from evals.suite.metrics import mean
from evals.suite.run import Figures, Item, SystemResult


@dataclass(frozen=True, slots=True)
class Labelled:
    """One message, the label it was given, and how sure that was (0 to 1)."""

    case: MoodCase
    found: str
    confidence: float


def score(labelled: Sequence[Labelled]) -> SystemResult:
    """Return the suite's figures over all messages, and by label."""
    true, found = [one.case.label for one in labelled], [one.found for one in labelled]
    metrics: Figures = {
        "messages": float(len(labelled)),
        "macro_f1": macro_f1(true, found),
        "accuracy": accuracy(true, found),
        "confidence_mean": mean([one.confidence for one in labelled]),
    }
    return SystemResult(metrics, {"label": by_label(true, found)}, [_item(one) for one in labelled])


def _item(one: Labelled) -> Item:
    right = float(one.case.label == one.found)
    return Item(
        case=one.case.id,
        item="message",
        groups={"label": one.case.label},
        scores={"accuracy": right},
        evidence=(one.case.label,),
        found=({"id": one.found, "score": round(one.confidence, 4)},),
    )
