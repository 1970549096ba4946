"""Learn what kinds of thing questions ask for: `python -m scripts.fit_kinds [--out FILE]`.

From `datasets/recall/pairs`: what the reader of facts marks in a line is what the question that the
line answers asks for. A logistic model for each kind, on the question's vector. Figures are those
of a tenth of the pairs that nothing was learnt from.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory.domain.readings import Excerpt
from memory.facts.reading.kinds import kinds_in
from memory.facts.reading.labels import KEYS
from memory.minilm.reader import MiniLmReader
from memory.minilm.recall import RecallEmbedder
from memory.recall.ranking.known import FILE

ROOT = Path(__file__).resolve().parents[1]
RIDGE = 1e-4
STEPS = 300
HELD_OUT = 10
"""Every so manieth pair is kept for the figures."""

Floats = npt.NDArray[np.float64]


def main() -> None:
    """Read the pairs, fit, print the figures, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    files = sorted((ROOT / "datasets/recall/pairs").glob("*.jsonl"))
    pairs = [json.loads(row) for file in files for row in file.read_text("utf-8").splitlines()]
    # Noun labels stand for their key; the order is that of the labels.
    keys = list(dict.fromkeys(key.partition(".")[0] for key in KEYS))
    told = targets([pair["line"] for pair in pairs], keys)
    embedder = RecallEmbedder()
    vectors = asyncio.run(embedder.embed([pair["question"] for pair in pairs]))
    asked = np.array(vectors, np.float64)
    print(report(asked, told))
    weights, bias = fit(asked, told)
    np.savez_compressed(
        given.out,
        fingerprint=embedder.fingerprint,
        keys=keys,
        weights=weights.astype(np.float16),
        bias=bias.astype(np.float16),
    )


def targets(lines: Sequence[str], keys: Sequence[str]) -> Floats:
    """Return the chance that each line tells of each kind, (lines, kinds)."""
    marked = MiniLmReader().read_now([Excerpt(line) for line in lines])
    kinds = [kinds_in(spans, ()) for spans in marked]
    return np.array([[each.get(key, 0.0) for key in keys] for each in kinds])


def fit(asked: Floats, told: Floats) -> tuple[Floats, Floats]:
    """Return weights (width, kinds) and a bias for each kind, by Adam over all pairs at once."""
    share = told.mean(0).clip(1e-3, 1 - 1e-3)
    weights = np.zeros((asked.shape[1] + 1, told.shape[1]))
    weights[-1] = np.log(share / (1 - share))
    rows = np.hstack([asked, np.ones((len(asked), 1))])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = rows.T @ (1 / (1 + np.exp(-(rows @ weights))) - told) / len(rows)
        slope[:-1] += RIDGE * weights[:-1]
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights -= 0.3 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return weights[:-1], weights[-1]


def report(asked: Floats, told: Floats) -> str:
    """Return how often the likeliest kind of an unseen question is one that its line tells of."""
    unseen = np.arange(len(asked)) % HELD_OUT == 0
    weights, bias = fit(asked[~unseen], told[~unseen])
    chances = 1 / (1 + np.exp(-(asked[unseen] @ weights + bias)))
    best = chances.argmax(1)
    is_right = told[unseen][np.arange(len(best)), best] > 0
    lines = []
    for least in (0.0, 0.2, 0.5):
        sure = chances.max(1) >= least
        right = is_right[sure].mean()
        lines.append(f"chance >= {least}: {sure.sum():4} questions, {right:.3f} right")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
