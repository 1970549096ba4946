"""Learn which facts messages ask for: `python -m scripts.fit_facts_asked [--out FILE]`.

From `datasets/questions/train`, a file a hand. A softmax on a message's vector and its words.
Figures are those of each hand's messages by the other's, beside what wording alone tells.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from graph.models.offline.glossed import asked_anyhow, asks_unmarked
from graph.models.offline.speech import questions
from memory.minilm.recall import RecallEmbedder
from memory.recall.facts_asked import (
    FILE,
    LIKELY,
    VECTOR,
    WORD,
    Asked,
    FactsAsked,
    Floats,
    words_of,
)

ROOT: Final = Path(__file__).resolve().parents[1]
RIDGE: Final = 3e-4
STEPS: Final = 400
MOMENTUM: Final = 0.9
LEAST_SEEN: Final = 4
"""A word, or two in a row, that fewer messages have is not looked at."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message and what it asks for: kinds of fact, `other` or `statement`."""

    hand: str
    language: str
    asks: tuple[str, ...]
    text: str
    words: tuple[str, ...]

    @property
    def is_fact(self) -> bool:
        """Whether it asks for a fact of who writes it."""
        return self.asks not in (("other",), ("statement",))


def main() -> None:
    """Read the messages, print the figures, fit all of them, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    said = written()
    embedder = RecallEmbedder()
    vectors = np.array(asyncio.run(embedder.embed([each.text for each in said])), np.float32)
    print(report(said, vectors, embedder.fingerprint))
    model = fit(said, vectors, embedder.fingerprint)
    np.savez_compressed(
        given.out,
        fingerprint=model.fingerprint,
        kinds=model.kinds,
        words="\n".join(model.places),
        weights=model.weights.astype(np.float16),
    )


def written() -> list[Said]:
    """Return the messages to learn from."""
    return [
        Said(
            file.stem,
            row["language"],
            tuple(row["keys"]) or (row["kind"],),
            row["text"],
            tuple(words_of(row["text"])),
        )
        for file in sorted((ROOT / "datasets/questions/train").glob("*.jsonl"))
        for row in map(json.loads, file.read_text("utf-8").splitlines())
    ]


def fit(said: Sequence[Said], vectors: Floats, fingerprint: str) -> FactsAsked:
    """Return what tells the kinds that these messages ask for, by Nesterov's steps."""
    counts = Counter(word for each in said for word in each.words)
    words = sorted(word for word, seen in counts.items() if seen >= LEAST_SEEN)
    places = {word: number for number, word in enumerate(words)}
    kinds = sorted({kind for each in said for kind in each.asks})
    rows = np.zeros((len(said), vectors.shape[1] + len(words) + 1), np.float32)
    rows[:, : vectors.shape[1]] = VECTOR * vectors
    rows[:, -1] = 1
    wanted = np.zeros((len(said), len(kinds)), np.float32)
    for row, target, each in zip(rows, wanted, said, strict=True):
        row[[vectors.shape[1] + places[word] for word in each.words if word in places]] = WORD
        target[[kinds.index(kind) for kind in each.asks]] = 1 / len(each.asks)
    step = 4 / float((rows * rows).sum(1).mean())
    weights = np.zeros((rows.shape[1], len(kinds)), np.float32)
    moved = weights
    for _ in range(STEPS):
        ahead = weights + MOMENTUM * moved
        scores = rows @ ahead
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        slope = rows.T @ (chances - wanted) / len(said) + RIDGE * ahead
        moved = ahead - step * slope - weights
        weights = weights + moved
    return FactsAsked(fingerprint, tuple(kinds), places, weights)


def report(said: Sequence[Said], vectors: Floats, fingerprint: str) -> str:
    """Return figures of each hand by the other's messages, in all and by language."""
    learnt: list[tuple[Said, Asked]] = []
    for hand in sorted({each.hand for each in said}):
        is_own = [each.hand == hand for each in said]
        others = [each for each in said if each.hand != hand]
        model = fit(others, vectors[np.logical_not(is_own)], fingerprint)
        learnt += [
            (each, model.of([vector.tolist()], each.words))
            for each, vector in zip(said, vectors, strict=True)
            if each.hand == hand
        ]
    lines = [_figures("wording alone", [(each, _by_wording(each.text)) for each in said])]
    lines.append(_figures("learnt", learnt))
    for language in dict.fromkeys(each.language for each in said):
        some = [each for each in learnt if each[0].language == language]
        lines.append(_figures(f"learnt, {language}", some))
    return "\n".join(lines)


def _by_wording(text: str) -> Asked:
    asked = questions(text) or ([text] if asks_unmarked(text) else [])
    keys = {key.partition(":")[0] for each in asked for key in asked_anyhow(each).keys}
    return dict.fromkeys(keys, 1.0)


def _figures(name: str, found: Sequence[tuple[Said, Asked]]) -> str:
    shares: dict[str, list[bool]] = {"right": [], "wrong": [], "other": [], "statement": []}
    for said, chances in found:
        asked = {kind for kind, chance in chances.items() if chance >= LIKELY}
        if said.is_fact:
            shares["right"].append(bool(asked & set(said.asks)))
            shares["wrong"].append(bool(asked) and not asked & set(said.asks))
        else:
            shares[said.asks[0]].append(bool(asked))
    told = ", ".join(f"{what} {np.mean(which):.3f}" for what, which in shares.items())
    return f"{name}: {told}"


if __name__ == "__main__":
    main()
