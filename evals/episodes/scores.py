"""Scores of the `episodes` suite from the boundaries found in each dialogue. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from evals.episodes.cases import Dialogue
from evals.episodes.metrics import Matches, exact, match, pk, windowdiff
from evals.suite.metrics import mean
from evals.suite.run import Figures, Item, SystemResult

AVERAGES = {
    "pk": "mean over dialogues",
    "windowdiff": "mean over dialogues",
    "precision": "boundaries of all dialogues pooled",
    "recall": "boundaries of all dialogues pooled",
    "f1": "boundaries of all dialogues pooled",
}


@dataclass(frozen=True, slots=True)
class Segmented:
    """One dialogue and the boundaries that were found in it."""

    case: Dialogue
    found: tuple[int, ...]


def score(segmented: Sequence[Segmented]) -> SystemResult:
    """Return the suite's figures over all dialogues, and by set."""
    groups: defaultdict[str, list[Segmented]] = defaultdict(list)
    for one in segmented:
        groups[one.case.set].append(one)
    by = {name: figures(group) for name, group in sorted(groups.items())}
    return SystemResult(
        figures(segmented),
        {"set": by},
        [_item(one) for one in segmented],
        {"averages": AVERAGES},
    )


def figures(segmented: Sequence[Segmented]) -> Figures:
    """Return the metrics over some dialogues.

    `pk` and `windowdiff` are means over dialogues; a dialogue too short for them counts in
    neither. Precision, recall and F1 pool the boundaries of all dialogues.
    """
    wrong = [pk(len(one.case.turns), one.case.boundaries, one.found) for one in segmented]
    differing = [
        windowdiff(len(one.case.turns), one.case.boundaries, one.found) for one in segmented
    ]
    pooled = Matches(0, 0, 0)
    for one in segmented:
        counted = match(one.case.boundaries, set(one.found) - set(one.case.either))
        pooled = Matches(
            pooled.right + counted.right, pooled.found + counted.found, pooled.true + counted.true
        )
    precision, recall, f1 = exact(pooled)
    return {
        "dialogues": float(len(segmented)),
        "pk": mean([one for one in wrong if one is not None]),
        "windowdiff": mean([one for one in differing if one is not None]),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def _item(one: Segmented) -> Item:
    turns = one.case.turns
    own = figures([one])
    return Item(
        case=one.case.case_id,
        item="dialogue",
        groups={"set": one.case.set},
        scores={"pk": own["pk"], "windowdiff": own["windowdiff"], "f1": own["f1"]},
        evidence=tuple(turns[index].id for index in one.case.boundaries),
        found=tuple({"id": turns[index].id} for index in one.found),
    )
