"""Fit what speaks for a new topic: `python -m scripts.fit_episodes DIALOGUES BOUNDS`.

DIALOGUES is a case file of the `episodes` suite, of which one half, drawn by seed, is learnt from;
BOUNDS names, for chats of `datasets/recall/train`, the messages that begin a topic. Stretches of
the pages and sittings of the chats, spliced, are learnt from as well. Each source is held out by
itself, chats and pages by thirds; the last network, of all that may be learnt from, goes into
`memory/episodes/network.npz`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evals.episodes.cases import load_dialogues
from evals.episodes.metrics import Matches, exact
from memory.episodes import EPISODE_GAP_H, Tracker, Turn, segment, segmenting, weights
from memory.episodes.cues import read_cues
from memory.episodes.features import AFTER, Features, Vector
from memory.minilm.recall import RecallEmbedder
from memory.text.chunks import split_for_embedding

Floats = npt.NDArray[np.float64]

RECALL: Final = Path("datasets/recall")
SEED: Final = 5
FOLDS: Final = 3
SPLICED: Final = 70
"""Dialogues spliced of each third of the chats; of the pages, three times as many."""
PARTS: Final = (3, 7)
TURNS: Final = (5, 25)
NETWORKS: Final = 3
HIDDEN: Final = 24
EPOCHS: Final = 30
BATCH: Final = 512
RATE: Final = 3e-3
DECAY: Final = 3e-4
OF_A_SOURCE: Final = 5_000


class Case(NamedTuple):
    """Turns, where topics begin, and gaps that count neither way."""

    turns: list[Turn]
    begins: frozenset[int]
    soft: frozenset[int] = frozenset()


class Stretches(NamedTuple):
    """Stretches of one chat or page, which others of its language may be spliced to."""

    language: str
    stretches: list[list[Turn]]


Learnt = dict[str, list[Case]]


def main() -> None:
    """Fit each third by the others, print figures; fit all and write the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dialogues", type=Path)
    parser.add_argument("bounds", type=Path)
    arguments = parser.parse_args()
    read = _Reader()
    dialogues = read.dialogues(arguments.dialogues)
    chats = read.chats(arguments.bounds)
    pages = read.pages()
    random.Random(SEED).shuffle(dialogues)  # noqa: S311 - a split, no secret
    half = len(dialogues) // 2
    held: Learnt = {"dialogues": dialogues[half:]}
    folds = [_fold(chats, pages, number) for number in range(FOLDS)]
    for number, fold in enumerate(folds):
        others = _merged(each for at, each in enumerate(folds) if at != number)
        _install(_fitted({"dialogues": dialogues[:half], **others}))
        for source, cases in fold.items():
            print(f"{source}, third {number}: {_figures(cases)}", flush=True)
        if not number:
            print(f"dialogues, other half: {_figures(held['dialogues'])}", flush=True)
    _install(_fitted({"dialogues": dialogues[:half], **_merged(folds)}))
    print(f"all; dialogues, other half: {_figures(held['dialogues'])}")


class _Reader:
    """Reads what there is, each text embedded once."""

    def __init__(self) -> None:
        self._embedder = RecallEmbedder()
        self._vectors: dict[str, Vector] = {}

    def dialogues(self, path: Path) -> list[Case]:
        (file,) = load_dialogues([path])
        return [
            Case(self._turns([(t.text, None, "") for t in case.turns]), frozenset(case.boundaries))
            for case in file.cases
        ]

    def chats(self, bounds: Path) -> list[tuple[Case, Stretches]]:
        """Return each chat with its boundaries, and its sittings."""
        found = []
        for line in bounds.read_text(encoding="utf-8").splitlines():
            marked = json.loads(line)
            chat = json.loads((RECALL / f"train/{marked['chat_id']}.jsonl").read_text("utf-8"))
            said = [each for each in chat["turns"] if each["text"].strip()]
            turns = self._turns(
                [(e["text"], datetime.fromisoformat(e["timestamp"]), e["speaker"]) for e in said]
            )
            places = {each["id"]: place for place, each in enumerate(said)}
            begins, soft = (
                frozenset(places[uid] for uid in marked[kind] if places.get(uid))
                for kind in ("clear", "soft")
            )
            sittings = groupby(
                zip(said, turns, strict=True), key=lambda pair: str(pair[0]["session_id"])
            )
            parts = [[_bare(turn) for _, turn in pairs] for _, pairs in sittings]
            language = "en" if chat["lang"] == "en" else "others"
            stretches = Stretches(language, [part for part in parts if len(part) >= TURNS[0]])
            found.append((Case(turns, begins, soft), stretches))
        random.Random(SEED).shuffle(found)  # noqa: S311 - a split, no secret
        return found

    def pages(self) -> list[Stretches]:
        found = []
        for path in sorted((RECALL / "pages").glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                page = json.loads(line)
                texts = [(each["text"], None, "") for each in page["lines"] if each["text"].strip()]
                found.append(Stretches(page["lang"], [self._turns(texts)]))
        return found

    def _turns(self, said: Sequence[tuple[str, datetime | None, str]]) -> list[Turn]:
        fresh = sorted({text for text, _, _ in said} - self._vectors.keys())
        beginnings = [split_for_embedding(text)[0] for text in fresh]
        self._vectors.update(zip(fresh, self._embedder.embed_array(beginnings), strict=True))
        return [Turn(self._vectors[text], text, at, speaker) for text, at, speaker in said]


def _bare(turn: Turn) -> Turn:
    return Turn(turn.vector, turn.text)


def _fold(
    chats: Sequence[tuple[Case, Stretches]], pages: Sequence[Stretches], number: int
) -> Learnt:
    own = chats[number::FOLDS]
    return {
        "chats": [case for case, _ in own],
        "sittings": spliced([parts for _, parts in own], SPLICED, number),
        "pages": spliced(pages[number::FOLDS], SPLICED, FOLDS + number),
    }


def spliced(sources: Sequence[Stretches], count: int, seed: int) -> list[Case]:
    """Return dialogues of stretches of different sources in one language."""
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    cases: list[Case] = []
    for _ in range(count):
        language = draw.choice(sources).language
        there = [each for each in sources if each.language == language]
        turns: list[Turn] = []
        begins: list[int] = []
        last: Stretches | None = None
        for _ in range(draw.randint(*PARTS)):
            others = [each for each in there if each is not last]
            if not others:
                break
            last = draw.choice(others)
            whole = draw.choice(last.stretches)
            length = min(draw.randint(*TURNS), len(whole))
            start = draw.randrange(len(whole) - length + 1)
            begins.append(len(turns))
            turns += whole[start : start + length]
        cases.append(Case(turns, frozenset(begins[1:])))
    return cases


def _merged(folds: Iterable[Learnt]) -> Learnt:
    merged: Learnt = {}
    for fold in folds:
        for source, cases in fold.items():
            merged.setdefault(source, []).extend(cases)
    return merged


def examples(cases: Sequence[Case]) -> tuple[Floats, Floats]:
    """Return the evidence at every gap, and 1 where a topic begins; true boundaries are known.

    What silence decides is no example.
    """
    rows: list[Features] = []
    labels: list[bool] = []
    silence = timedelta(hours=EPISODE_GAP_H)

    def decide(tracker: Tracker, case: Case) -> Tracker:
        index = tracker.decided
        evidence = segmenting.evidence_of(tracker, index)
        if index not in case.soft:
            rows.append(evidence)
            labels.append(index in case.begins)
        tracker = segmenting.account(tracker, segmenting.gap_of(index, evidence))
        return segmenting.begin(tracker, index) if index in case.begins else tracker

    for case in cases:
        tracker = Tracker()
        for turn in case.turns:
            if turn.at and tracker.last_at and turn.at - tracker.last_at > silence:
                while tracker.decided < tracker.count:
                    tracker = decide(tracker, case)
                tracker = segmenting.afresh(tracker)
            tracker = segmenting.take_in(tracker, turn, read_cues(turn.text))
            while tracker.count - tracker.decided >= AFTER:
                tracker = decide(tracker, case)
        while tracker.decided < tracker.count:
            tracker = decide(tracker, case)
    return np.array(rows, dtype=np.float64), np.array(labels, dtype=np.float64)


def _fitted(learnt: Learnt) -> dict[str, Floats]:
    """Fit networks of several seeds and join them; each source weighs the same."""
    given = [examples(cases) for cases in learnt.values()]
    evidence = np.concatenate([rows for rows, _ in given])
    labels = np.concatenate([marks for _, marks in given])
    weight = np.concatenate([np.full(len(m), OF_A_SOURCE / len(m)) for _, m in given])
    means, spreads = evidence.mean(axis=0), evidence.std(axis=0) + 1e-6
    scaled = np.clip((evidence - means) / spreads, -weights.FARTHEST, weights.FARTHEST)
    each = [_network(scaled, labels, weight / weight.mean(), seed) for seed in range(NETWORKS)]
    inner, bias, outer, base = zip(*each, strict=True)
    return {
        "means": means,
        "spreads": spreads,
        "inner": np.concatenate(inner, axis=1),
        "bias": np.concatenate(bias),
        "outer": np.concatenate(outer) / NETWORKS,
        "base": np.mean(base, axis=0),
    }


def _network(given: Floats, labels: Floats, weight: Floats, seed: int) -> list[Floats]:
    """Fit one layer of tanh by Adam with a cosine schedule; return its four arrays.

    Source: Kingma & Ba, Adam (2015); Loshchilov & Hutter, SGDR (2017).
    """
    draw = np.random.default_rng(seed)
    width, batches = given.shape[1], -(-len(labels) // BATCH)
    values = [
        draw.normal(0, width**-0.5, (width, HIDDEN)),
        np.zeros(HIDDEN),
        draw.normal(0, 0.3 * HIDDEN**-0.5, HIDDEN),
        np.zeros(1),
    ]
    first, second = ([np.zeros_like(value) for value in values] for _ in range(2))
    for step in range(EPOCHS * batches):
        if step % batches == 0:
            order = draw.permutation(len(labels))
        chosen = order[(step % batches) * BATCH :][:BATCH]
        inputs = given[chosen]
        hidden = np.tanh(inputs @ values[0] + values[1])
        chance = 1 / (1 + np.exp(-(hidden @ values[2] + values[3])))
        error = weight[chosen] * (chance - labels[chosen]) / len(chosen)
        back = np.outer(error, values[2]) * (1 - hidden * hidden)
        slopes = [
            inputs.T @ back + DECAY * values[0],
            back.sum(axis=0),
            hidden.T @ error + DECAY * values[2],
            np.array([error.sum()]),
        ]
        rate = RATE * 0.5 * (1 + np.cos(np.pi * step / (EPOCHS * batches)))
        for at, slope in enumerate(slopes):
            first[at] = 0.9 * first[at] + 0.1 * slope
            second[at] = 0.999 * second[at] + 0.001 * slope * slope
            mean, square = (
                first[at] / (1 - 0.9 ** (step + 1)),
                second[at] / (1 - 0.999 ** (step + 1)),
            )
            values[at] = values[at] - rate * mean / (np.sqrt(square) + 1e-8)
    return values


def _install(network: dict[str, Floats]) -> None:
    means, spreads, inner, bias, outer, base = (
        network[name].astype(np.float32)
        for name in ("means", "spreads", "inner", "bias", "outer", "base")
    )
    np.savez_compressed(
        weights.FILE,
        means=means,
        spreads=spreads,
        inner=inner,
        bias=bias,
        outer=outer,
        base=base,
    )
    weights.network.cache_clear()


def _figures(cases: Sequence[Case]) -> str:
    """Return precision, recall and F1 of exact boundaries; soft ones count neither way."""
    total, short, episodes = Matches(0, 0, 0), 0, 0
    for case in cases:
        found = segment(case.turns)
        edges = [0, *found, len(case.turns)]
        short += sum(end - begin < 3 for begin, end in pairwise(edges))
        episodes += len(edges) - 1
        counted = set(found) - case.soft
        total = Matches(
            total.right + len(counted & case.begins),
            total.found + len(counted),
            total.true + len(case.begins),
        )
    precision, recall, f1 = (value or 0.0 for value in exact(total))
    return f"{precision:.3f} {recall:.3f} {f1:.3f}, {short / episodes:.3f} below three turns"


if __name__ == "__main__":
    main()
