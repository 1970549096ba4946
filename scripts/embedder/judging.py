"""Judge the embedder by chats that it does not learn from: how much evidence is among ten lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from scripts.embedder.batches import Floats, Ints
from scripts.embedder.pages import Pieces, Tokenized

FOUND: Final = 10
NEIGHBOUR: Final = 0.9
"""What a piece of the line before or after counts."""
LENGTHS: Final = (16, 24, 32, 48, 72, 112, 176, 256)
"""What texts are filled up to; each is compiled once."""
ROUND_PIECES: Final = 1536

Embed = Callable[[Ints], tuple[Floats, Floats, Floats]]
"""Makes of pieces, (texts, pieces), what `network.Embedded` has, as NumPy's."""
Figures = dict[str, dict[str, float]]
"""Shares of evidence by group of languages, `en` or `other`, and by way of ranking."""


class Read(NamedTuple):
    """A text: its dense vector, a vector for each piece of its own, and how salient each is."""

    dense: Floats
    tokens: Floats
    salience: Floats


class Lines(NamedTuple):
    """Lines to rank: (lines, 384), the vectors of all their pieces, where each line's begin."""

    dense: Floats
    tokens: Floats
    starts: npt.NDArray[np.int64]


def judge(embed: Embed, chats: Sequence[Tokenized], rarity: Floats) -> Figures:
    """Return the share of each question's evidence among the first ten lines, the mean of all.

    Ranked by the dense vectors (`dense`), by token vectors (`late`), and by those where a line's
    neighbours count, too (`window`). Questions that nothing answers or that ask for an agent's
    words are left out.
    """
    shares: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for chat in chats:
        lines, questions = arranged(read(embed, chat.lines)), read(embed, chat.questions)
        group = "en" if chat.page.language == "en" else "other"
        hidden = ~_searched(chat)
        for asked, pieces, question in zip(
            chat.page.questions, chat.questions, questions, strict=True
        ):
            if not asked.evidence or asked.category == "agent" or len(pieces) < 3:
                continue
            weights = rarity[pieces[1:-1]] * question.salience
            for way, scores in rankings(question, weights / weights.sum(), lines):
                scores[hidden] = -9.0
                shares[group, way].append(found(scores, asked.evidence))
    figures: Figures = {}
    for (group, way), each in sorted(shares.items()):
        figures.setdefault(group, {})[way] = round(float(np.mean(each)), 3)
    return figures


def arranged(lines: Sequence[Read]) -> Lines:
    """Return the vectors of lines as arrays; a line without a word has one vector of zeros."""
    nothing: Floats = np.zeros((1, lines[0].tokens.shape[1]), np.float32)
    tokens = [line.tokens if len(line.tokens) else nothing for line in lines]
    starts = np.cumsum([0, *map(len, tokens)])[:-1]
    return Lines(np.stack([line.dense for line in lines]), np.concatenate(tokens), starts)


def rankings(question: Read, weights: Floats, lines: Lines) -> Iterator[tuple[str, Floats]]:
    """Yield the ways of ranking with the scores of the lines.

    `weights`: of the question's pieces, their sum 1.
    """
    yield "dense", lines.dense @ question.dense
    best: Floats = np.maximum.reduceat(lines.tokens @ question.tokens.T, lines.starts, axis=0)
    yield "late", best @ weights
    beside = np.pad(best, ((1, 1), (0, 0)))
    near = NEIGHBOUR * np.maximum(beside[:-2], beside[2:])
    yield "window", np.maximum(best, near) @ weights


def found(scores: Floats, evidence: Sequence[int]) -> float:
    """Return which share of the evidence is among the ten lines with the highest scores."""
    return len({*np.argsort(-scores)[:FOUND].tolist()} & {*evidence}) / len(evidence)


def read(embed: Embed, texts: Sequence[Pieces]) -> list[Read]:
    """Return each text as vectors, those of similar length read at once."""
    result: dict[int, Read] = {}
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number, pieces in enumerate(texts):
        groups[next(length for length in LENGTHS if length >= len(pieces))].append(number)
    for length, numbers in groups.items():
        height = max(4, ROUND_PIECES // length)
        for start in range(0, len(numbers), height):
            some = numbers[start : start + height]
            ids = np.zeros((height, length), np.int32)
            for row, number in enumerate(some):
                ids[row, : len(texts[number])] = texts[number]
            dense, tokens, salience = embed(ids)
            for row, number in enumerate(some):
                end = len(texts[number]) - 1
                result[number] = Read(dense[row], tokens[row, 1:end], salience[row, 1:end])
    return [result[number] for number in range(len(texts))]


def _searched(chat: Tokenized) -> npt.NDArray[np.bool_]:
    """Tell which lines are searched: a contact's that have a word."""
    has_word = np.array([len(pieces) > 2 for pieces in chat.lines], bool)
    searched: npt.NDArray[np.bool_] = np.array(chat.page.said, bool) & has_word
    return searched
