"""Summaries by position and by TextRank, of the sentences that the product chooses from. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from memory.domain.episodes import Spoken
from memory.episodes.features import words_of
from memory.episodes.summaries.clauses import sentences_of, word_count

DAMPING: Final = 0.85
ROUNDS: Final = 50
MAX_SENTENCES: Final = 2_000


class Sentence(NamedTuple):
    """A sentence of an episode, and who says it."""

    speaker: str
    text: str


def sentences_in(said: Sequence[Spoken]) -> list[Sentence]:
    """Return the sentences of an episode, in order."""
    found = [Sentence(one.speaker, text) for one in said for text in sentences_of(one.text)]
    return [one for one in found if word_count(one.text)][:MAX_SENTENCES]


def lead(said: Sequence[Spoken], words: int) -> str:
    """Return an episode's first sentences, of so many words."""
    found = sentences_in(said)
    return _told(found, range(len(found)), words)


def lead_last(said: Sequence[Spoken], words: int) -> str:
    """Return its first and its last sentences, half the words each."""
    found = sentences_in(said)
    first = _told(found, range(len(found)), words // 2)
    return f"{first} {_told(found, reversed(range(len(found))), words - words // 2)}"


def textrank(said: Sequence[Spoken], words: int) -> str:
    """Return the sentences most like the others, of so many words.

    Source: Mihalcea & Tarau, TextRank: Bringing Order into Text (2004): PageRank over sentences,
    joined by the words they share over the sum of their lengths' logarithms.
    """
    found = sentences_in(said)
    if not found:
        return ""
    bags = [words_of(one.text) for one in found]
    like = np.zeros((len(found), len(found)))
    for at, bag in enumerate(bags):
        for other in range(at):
            length = math.log(len(bag) + 1) + math.log(len(bags[other]) + 1)
            like[at, other] = like[other, at] = len(bag & bags[other]) / length if length else 0
    sums = like.sum(axis=1, keepdims=True)
    moves = np.divide(like, sums, out=np.zeros_like(like), where=sums > 0)
    rank = np.ones(len(found))
    for _ in range(ROUNDS):
        rank = (1 - DAMPING) + DAMPING * (moves.T @ rank)
    order = sorted(range(len(found)), key=lambda at: (-float(rank[at]), at))
    return _told(found, order, words)


BASELINES: Final[dict[str, Callable[[Sequence[Spoken], int], str]]] = {
    "lead": lead,
    "lead+last": lead_last,
    "textrank": textrank,
}


def _told(found: Sequence[Sentence], order: Iterable[int], words: int) -> str:
    """Return sentences, the first in `order` first taken, told in theirs; the last is cut."""
    taken: dict[int, str] = {}
    left = words
    for at in order:
        speaker, text = found[at]
        line = f"{speaker}: {text}"
        if left <= 0:
            break
        taken[at] = line if word_count(line) <= left else " ".join(line.split()[:left])
        left -= word_count(line)
    return " ".join(taken[at] for at in sorted(taken))
