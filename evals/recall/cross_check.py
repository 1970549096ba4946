"""`--cross-check`: ragas' id-based recall and precision beside ours, on every question.

Both compute the same thing from the same ids, so any difference is a defect, here or there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from evals.recall.scores import Answered
from evals.suite.metrics import found_fraction, found_precision
from evals.suite.run import Failure, Figures

KS = (5, 10)
SHOWN_K = 10
TOLERANCE = 1e-9


class IdJudge(Protocol):
    """ragas' implementation of recall and precision over ids."""

    async def recall(self, found: Sequence[str], evidence: Sequence[str]) -> float | None:
        """Return the share of the evidence that was found."""
        ...

    async def precision(self, found: Sequence[str], evidence: Sequence[str]) -> float | None:
        """Return the share of what was found that is evidence; None if nothing was found."""
        ...


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One question on which a metric of theirs differs from ours."""

    case: str
    question: str
    metric: str
    ours: float | None
    ragas: float | None


@dataclass(slots=True)
class CrossCheck:
    """What the comparison gave: the answers with their figures, and where they differ."""

    answered: list[Answered] = field(default_factory=list)
    questions: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:  # Any: a JSON object
        """Return the part of a system's JSON that tells of it."""
        return {
            "questions": self.questions,
            "disagreements": [asdict(each) for each in self.disagreements],
        }

    def failures(self, system: str) -> list[Failure]:
        """Return each disagreement as a failure of its case."""
        return [
            Failure(
                each.case,
                system,
                f"question {each.question}: {each.metric} is {each.ours}, by ragas {each.ragas}",
            )
            for each in self.disagreements
        ]


async def cross_check(answered: Sequence[Answered], judge: IdJudge) -> CrossCheck:
    """Score every question that has evidence by both; those without are passed on as they are."""
    result = CrossCheck()
    for one in answered:
        if not one.question.evidence:
            result.answered.append(one)
            continue
        result.questions += 1
        at = {k: await _compare(one, k, judge, result.disagreements) for k in KS}
        result.answered.append(replace(one, judged={**one.judged, **at[SHOWN_K]}))
    return result


async def _compare(
    one: Answered, k: int, judge: IdJudge, disagreements: list[Disagreement]
) -> Figures:
    found, evidence = one.ids[:k], one.question.evidence
    ours = {
        f"frac@{k}": found_fraction(one.ids, evidence, k),
        f"precision@{k}": found_precision(one.ids, evidence, k),
    }
    theirs = {
        f"frac@{k}": await judge.recall(found, evidence),
        f"precision@{k}": await judge.precision(found, evidence),
    }
    disagreements += [
        Disagreement(one.case_id, one.question.id, name, ours[name], theirs[name])
        for name in ours
        if not _agree(ours[name], theirs[name])
    ]
    return {
        f"precision@{k}": ours[f"precision@{k}"],
        f"ragas_context_recall@{k}": theirs[f"frac@{k}"],
        f"ragas_context_precision@{k}": theirs[f"precision@{k}"],
    }


def _agree(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= TOLERANCE
