"""Learn which facts messages ask for: `python -m scripts.fit_facts_asked [--out FILE]`.

From `datasets/questions/train`, a file a hand, and from messages of `datasets/facts/reader`, which
tell something or talk of something. A softmax on a message's vector and its words. Figures are
those of each hand's messages by the other's, beside what wording alone tells, and of statements by
voices that nothing is learnt from.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from graph.models.offline.glossed import asked_anyhow, asks_unmarked
from graph.models.offline.learnt import LIKELY_UNMARKED
from graph.models.offline.speech import questions
from memory.minilm.recall import RecallEmbedder
from memory.recall.facts_asked import (
    FILE,
    LIKELY,
    STATEMENT,
    VECTOR,
    WORD,
    Asked,
    FactsAsked,
    Floats,
    words_of,
)
from memory.text.words import has_question_mark
from scripts.reader.corpus import language_of, split_by_voice
from scripts.reader.notation import Labelled, read_folder

ROOT: Final = Path(__file__).resolve().parents[1]
RIDGE: Final = 3e-4
STEPS: Final = 400
MOMENTUM: Final = 0.9
LEAST_SEEN: Final = 4
"""A word, or two in a row, that fewer messages have is not looked at."""
TELLING: Final = 1_500
IDLE: Final = 300
HELD: Final = 400
"""Messages a language that tell a fact of who writes them, and that tell none, to learn from; and
that tell one, of other voices, to judge by."""
SHARE: Final = 0.2
"""What all of these count beside all that were written to ask or not to."""
CHARS: Final = range(9, 200)


@dataclass(frozen=True, slots=True)
class Said:
    """A message and what it asks for: kinds of fact, `other` or `statement`.

    `hand`: whose it is, empty where it was not written for this.
    """

    hand: str
    language: str
    asks: tuple[str, ...]
    text: str
    words: tuple[str, ...]

    @property
    def is_fact(self) -> bool:
        """Whether it asks for a fact of who writes it."""
        return self.asks not in (("other",), (STATEMENT,))


def main() -> None:
    """Read the messages, print the figures, fit all of them, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    told, held = statements()
    said = [*written(), *told]
    embedder = RecallEmbedder()
    vectors = np.array(asyncio.run(embedder.embed([each.text for each in said])), np.float32)
    print(report(said, vectors, embedder.fingerprint))
    model = fit(said, vectors, embedder.fingerprint)
    beside = asyncio.run(embedder.embed([each.text for each in held]))
    asked = [model.of([vector], each.words) for each, vector in zip(held, beside, strict=True)]
    print(_figures("statements of other voices", list(zip(held, asked, strict=True))))
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


def statements() -> tuple[list[Said], list[Said]]:
    """Return messages that ask nothing, to learn from and to judge by, no matter of which voice."""
    folder = ROOT / "datasets/facts/reader"
    told, held = split_by_voice(list(read_folder(folder)), folder)
    draw = np.random.default_rng(0)
    telling, idle = _drawn(told, TELLING, draw, tells=True), _drawn(told, IDLE, draw, tells=False)
    return [*telling, *idle], _drawn(held, HELD, draw, tells=True)


def _drawn(
    messages: Sequence[Labelled], most: int, draw: np.random.Generator, *, tells: bool
) -> list[Said]:
    """Return so many messages of each language, without a question mark."""
    by_language: dict[str, list[Labelled]] = defaultdict(list)
    for each in messages:
        stated = any(m.status == "stated" and not (m.holder or m.is_vague) for m in each.marks)
        fits = stated if tells else not each.marks
        if fits and not has_question_mark(each.text) and len(each.text) in CHARS:
            by_language[language_of(each.voice)].append(each)
    return [
        Said("", language, (STATEMENT,), each.text, tuple(words_of(each.text)))
        for language, some in sorted(by_language.items())
        for each in (some[n] for n in draw.permutation(len(some))[:most])
    ]


def fit(said: Sequence[Said], vectors: Floats, fingerprint: str) -> FactsAsked:
    """Return what tells the kinds that these messages ask for, by Nesterov's steps."""
    counts = Counter(word for each in said if each.hand for word in each.words)
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
    is_written = np.array([bool(each.hand) for each in said])
    count = np.where(is_written, 1 / is_written.sum(), SHARE / max(1, (~is_written).sum()))
    count = (count / count.sum()).astype(np.float32)
    step = 4 / float((rows * rows).sum(1) @ count)
    weights = np.zeros((rows.shape[1], len(kinds)), np.float32)
    moved = weights
    for _ in range(STEPS):
        ahead = weights + MOMENTUM * moved
        scores = rows @ ahead
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        slope = rows.T @ ((chances - wanted) * count[:, None]) + RIDGE * ahead
        moved = ahead - step * slope - weights
        weights = weights + moved
    return FactsAsked(fingerprint, tuple(kinds), places, weights)


def report(said: Sequence[Said], vectors: Floats, fingerprint: str) -> str:
    """Return figures of each hand by the other's messages, in all and by language."""
    learnt: list[tuple[Said, Asked]] = []
    for hand in sorted({each.hand for each in said} - {""}):
        is_own = [each.hand == hand for each in said]
        others = [each for each in said if each.hand != hand]
        model = fit(others, vectors[np.logical_not(is_own)], fingerprint)
        learnt += [
            (each, model.of([vector.tolist()], each.words, asks=has_question_mark(each.text)))
            for each, vector in zip(said, vectors, strict=True)
            if each.hand == hand
        ]
    by_hand = [(each, _by_wording(each.text)) for each in said if each.hand]
    lines = [_figures("wording alone", by_hand)]
    lines.append(_figures("learnt", learnt))
    for language in dict.fromkeys(each.language for each, _ in learnt):
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
        least = LIKELY if has_question_mark(said.text) else LIKELY_UNMARKED
        asked = {kind for kind, chance in chances.items() if chance >= least}
        if said.is_fact:
            shares["right"].append(bool(asked & set(said.asks)))
            shares["wrong"].append(bool(asked) and not asked & set(said.asks))
        else:
            shares[said.asks[0]].append(bool(asked))
    told = ", ".join(f"{what} {np.mean(which):.3f}" for what, which in shares.items() if which)
    return f"{name}: {told}"


if __name__ == "__main__":
    main()
