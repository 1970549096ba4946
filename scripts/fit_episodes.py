"""Fit what speaks for a new topic: `python -m scripts.fit_episodes CASES [--seed S]`.

CASES is a case file of the `episodes` suite. One half of its dialogues, drawn by the seed, is
learnt from; figures are printed for both halves. What it prints as weights goes into
`memory/episodes/weights.py`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evals.episodes.cases import Dialogue, load_dialogues
from evals.episodes.scores import Segmented, figures
from memory.episodes import Tracker, Turn, segment, segmenting
from memory.episodes.features import AFTER, Features
from memory.minilm.embedder import MiniLmEmbedder

Floats = npt.NDArray[np.float64]
Read = tuple[Dialogue, list[Turn]]

# How people word a change of topic differs between kinds of chat more than similarity does: what
# is learnt of wording counts half, the rest is fitted around it.
WORDING = ("asked", "asks", "opens", "closed", "goes_on")
WORDING_COUNTS = 0.5
RIDGE = 2.0
STEPS = 30


def main() -> None:
    """Fit on one half, print weights and the figures of both halves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    (file,) = load_dialogues([arguments.cases])
    read = embed(file.cases)
    random.Random(arguments.seed).shuffle(read)  # noqa: S311 - a split, no secret
    learnt, held_out = read[: len(read) // 2], read[len(read) // 2 :]
    evidence, is_boundary = examples(learnt)
    first, _ = fit(evidence, is_boundary, {})
    fixed = {name: first[Features._fields.index(name)] * WORDING_COUNTS for name in WORDING}
    weights, bias = fit(evidence, is_boundary, fixed)
    for name, weight in zip(Features._fields, weights, strict=True):
        print(f"    {name}={weight:.2f},")
    print(f"BIAS: Final = {bias:.2f}\n\nwith the weights that are installed now:")
    print("learnt from:", shown(learnt))
    print("held out:   ", shown(held_out))


def embed(cases: Sequence[Dialogue]) -> list[Read]:
    """Embed all turns of all dialogues."""
    texts = sorted({turn.text for case in cases for turn in case.turns})
    vectors = dict(zip(texts, MiniLmEmbedder().embed_array(texts), strict=True))
    return [(case, [Turn(vectors[one.text], one.text) for one in case.turns]) for case in cases]


def examples(read: Sequence[Read]) -> tuple[Floats, Floats]:
    """Return the evidence at every gap, and 1 where a segment begins; true boundaries are known."""
    rows: list[Features] = []
    labels: list[bool] = []

    def decide(tracker: Tracker, true: set[int]) -> Tracker:
        gap = segmenting.weigh(tracker, tracker.decided)
        rows.append(gap.evidence)
        labels.append(gap.index in true)
        tracker = segmenting.account(tracker, gap)
        return segmenting.begin(tracker, gap.index) if gap.index in true else tracker

    for case, turns in read:
        tracker, true = Tracker(), set(case.boundaries)
        for turn in turns:
            tracker = segmenting.take_in(tracker, turn)
            while tracker.count - tracker.decided >= AFTER:
                tracker = decide(tracker, true)
        while tracker.decided < tracker.count:
            tracker = decide(tracker, true)
    return np.array(rows, dtype=np.float64), np.array(labels, dtype=np.float64)


def fit(evidence: Floats, labels: Floats, fixed: dict[str, float]) -> tuple[Floats, float]:
    """Fit a logistic regression by Newton's method; weights of `fixed` stay as they are.

    Source: iteratively reweighted least squares (Hastie, Tibshirani & Friedman, The Elements of
    Statistical Learning, 4.4.1), with a ridge on the weights of standardised features.
    """
    free = [i for i, name in enumerate(Features._fields) if name not in fixed]
    given = np.array([fixed.get(name, 0.0) for name in Features._fields])
    spread = evidence[:, free].std(axis=0) + 1e-9
    design = np.column_stack([evidence[:, free] / spread, np.ones(len(labels))])
    offset = evidence @ given
    ridge = np.append(np.full(len(free), RIDGE), 0.0)
    found = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(design @ found + offset)))
        gradient = design.T @ (chance - labels) + ridge * found
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(ridge)
        found = found - np.linalg.solve(curvature, gradient)
    weights = given.copy()
    weights[free] = found[:-1] / spread
    return weights, float(found[-1])


def shown(read: Sequence[Read]) -> str:
    """Return the figures of the installed weights as one line."""
    measured = figures([Segmented(case, tuple(segment(turns))) for case, turns in read])
    return "  ".join(f"{name} {value:.3f}" for name, value in measured.items() if value is not None)


if __name__ == "__main__":
    main()
