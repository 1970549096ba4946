"""Learn what speaks for keeping a clause: `python -m scripts.fit_summaries FILE... [--folds N]`.

The files are episodes of the `summaries` suite. A clause's target is the weight of the items that
it holds, in part where it holds a part; weights are by ridge regression, for all messages and what
is added in long ones. Figures are printed out of fold: each episode's summary by weights that were
learnt from the others. What it prints as weights goes into `memory/episodes/summaries/weights.py`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.summaries.cases import SummaryCase, load_summary_cases
from evals.summaries.scores import Summarized, score, stands
from memory.episodes.summaries import summarize
from memory.episodes.summaries.clauses import clauses_of
from memory.episodes.summaries.scoring import Evidence, Weights, weigh

Floats = npt.NDArray[np.float64]

RIDGE = 60.0
WHOLE = 1.5
"""A clause that holds a weighty item whole counts more than two that hold half of light ones."""
FOLDS = 8


def main() -> None:
    """Print the figures out of fold, then the weights by all episodes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--folds", type=int, default=FOLDS)
    parser.add_argument("--ridge", type=float, default=RIDGE)
    given = parser.parse_args()
    cases = [case for file in load_summary_cases(given.cases) for case in file.cases]
    result = score(out_of_fold(cases, given.folds, given.ridge))
    print({name: round(value or 0, 3) for name, value in result.metrics.items()})
    for values in result.by.values():
        print({name: round(each["held"] or 0, 3) for name, each in values.items()})
    for name, weights in fit(cases, given.ridge)._asdict().items():
        print(f"    {name}=Evidence(")
        for field, weight in weights._asdict().items():
            print(f"        {field}={weight:.3f},")
        print("    ),")


def out_of_fold(cases: Sequence[SummaryCase], folds: int, ridge: float) -> list[Summarized]:
    """Summarize each episode by weights that were learnt from the other folds."""
    order = list(range(len(cases)))
    random.Random(13).shuffle(order)  # noqa: S311 - a split, no secret
    found = []
    for fold in range(folds):
        held_out = {order[at] for at in range(fold, len(order), folds)}
        weights = fit([case for at, case in enumerate(cases) if at not in held_out], ridge)
        for at in sorted(held_out):
            text = summarize(cases[at].said(), weights=weights).text
            found.append(Summarized(cases[at], text))
    return found


def fit(cases: Sequence[SummaryCase], ridge: float) -> Weights:
    """Return the weights that tell best what clauses of these episodes hold."""
    rows, targets = zip(*(examples(case) for case in cases), strict=True)
    evidence, wanted = np.concatenate(rows), np.concatenate(targets)
    penalty = ridge * np.eye(evidence.shape[1])
    bias = len(Evidence._fields) - 1
    penalty[bias, bias] = 0.0  # free
    found = np.linalg.solve(evidence.T @ evidence + penalty, evidence.T @ wanted)
    weights = [float(each) for each in found]
    return Weights(Evidence(*weights[: bias + 1]), Evidence(*weights[bias + 1 :]))


def examples(case: SummaryCase) -> tuple[Floats, Floats]:
    """Return the evidence of an episode's clauses, a row each, and what they hold."""
    said = case.said()
    weighed = weigh(said, clauses_of(said), ())
    rows = [each.evidence for each in weighed]
    evidence = np.array(rows, dtype=np.float64)
    is_long = np.array([[each.long_message or each.agent_long] for each in rows], np.float64)
    held = [_held(case, said[each.clause.message].uid, each.clause.text) for each in weighed]
    return np.hstack([evidence, evidence * is_long]), np.array(held) ** WHOLE


def _held(case: SummaryCase, turn: str, text: str) -> float:
    plain = text.casefold()
    whole = 0.0
    for item in case.items:
        if turn in item.turns:
            parts = [any(stands(form, plain) for form in forms) for forms in item.holds]
            whole += item.weight * sum(parts) / len(parts)
    return whole


if __name__ == "__main__":
    main()
