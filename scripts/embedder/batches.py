"""Batches: questions of one page, and lines of it among which their evidence must be found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from scripts.embedder.pages import END, START, Pieces, Tokenized

QUESTIONS: Final = 24
QUESTION_PIECES: Final = 20
SHORT_PIECES: Final = 24
"""Texts are filled up to such sizes, or cut: shapes of batches are compiled."""
MOST_EVIDENCE: Final = 4
"""Of one question so many lines come into the batch for certain."""

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


class Shape(NamedTuple):
    """How many short and long lines a batch has, and how many pieces of a long one."""

    short: int
    long: int
    pieces: int


LINES: Final = Shape(48, 8, 64)
LETTERS: Final = Shape(8, 40, 128)
"""Of pages on which most lines are long."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions and lines of a page; rows of zeros are no lines.

    questions: Pieces, (24, 20).
    weights: How rare each of them is, 0 for what frames and fills, (24, 20).
    short, long: Pieces of lines, (48, 24) and (8, 64), or of another `Shape`.
    is_evidence: Which lines, short ones first, answer which question, (24, 56), or have done so.
    has_answer: Whether anything on the whole page does, (24,).
    """

    questions: Ints
    weights: Floats
    short: Ints
    long: Ints
    is_evidence: Flags
    has_answer: Flags


class Batches:
    """Batches of pages in random order, the same for the same seed.

    A page with fewer than 24 questions is left out.
    """

    def __init__(self, pages: Sequence[Tokenized], rarity: Floats, seed: int) -> None:
        self._pages = [page for page in pages if len(page.questions) >= QUESTIONS]
        self._rarity = rarity
        self._random = Random(seed)  # noqa: S311

    def __len__(self) -> int:
        """How many batches one epoch has."""
        return sum(-(-len(page.questions) // QUESTIONS) for page in self._pages)

    def epoch(self) -> Iterator[Batch]:
        """Yield batches with every question once; some fill a page's last batch up."""
        chosen = []
        for page in self._pages:
            order = list(range(len(page.questions)))
            self._random.shuffle(order)
            for start in range(0, len(order), QUESTIONS):
                some = order[start : start + QUESTIONS]
                some += self._random.sample(order, QUESTIONS - len(some))
                chosen.append((page, some))
        self._random.shuffle(chosen)
        for page, some in chosen:
            yield self._batch(page, some)

    def _batch(self, page: Tokenized, chosen: list[int]) -> Batch:
        asked = [page.page.questions[n] for n in chosen]
        answers = [(*each.evidence, *each.stale) for each in asked]
        shape = shape_of(page)
        short, long = self._lines(page, answers, shape)
        places = short + [-1] * (shape.short - len(short)) + long + [-1] * (shape.long - len(long))
        is_evidence = np.array([[place in answer for place in places] for answer in answers])
        has_answer = np.array([bool(answer) for answer in answers])
        questions = _rows([page.questions[n] for n in chosen], QUESTIONS, QUESTION_PIECES)
        rows = self._judgeable(~has_answer | is_evidence.any(1))
        return Batch(
            questions[rows],
            self._rarity[questions[rows]] * is_word(questions[rows]),
            _rows([page.lines[n] for n in short], shape.short, SHORT_PIECES),
            _rows([page.lines[n] for n in long], shape.long, shape.pieces),
            is_evidence[rows],
            has_answer[rows],
        )

    def _lines(
        self, page: Tokenized, answers: Sequence[Sequence[int]], shape: Shape
    ) -> tuple[list[int], list[int]]:
        """Return the numbers of short and of long lines: evidence first, then any that is searched.

        What an agent said often repeats what answers, and is no wrong answer.
        """
        evidence: set[int] = set()
        for answer in answers:
            evidence |= set(self._random.sample(answer, min(MOST_EVIDENCE, len(answer))))
        lengths = [len(line) for line in page.lines]
        said = page.page.said or [True] * len(lengths)
        rest = [n for n, size in enumerate(lengths) if n not in evidence and size > 2 and said[n]]
        self._random.shuffle(rest)
        first = [n for n in evidence if lengths[n] > 2]
        self._random.shuffle(first)
        short = [n for n in first + rest if lengths[n] <= SHORT_PIECES]
        long = [n for n in first + rest if lengths[n] > SHORT_PIECES]
        return short[: shape.short], long[: shape.long]

    def _judgeable(self, fits: Flags) -> list[int]:
        """Return rows to learn from: those of questions whose evidence found no room, replaced."""
        if fits.all():
            return list(range(len(fits)))
        kept = np.flatnonzero(fits).tolist()
        return kept + self._random.choices(kept, k=len(fits) - len(kept))


def shape_of(page: Tokenized) -> Shape:
    """Return the shape of a page's batches."""
    return LETTERS if median(map(len, page.lines)) > SHORT_PIECES else LINES


def padded(pieces: Pieces, length: int) -> Pieces:
    """Return a text's pieces filled up with zeros, or cut so that they still end as a text does."""
    if len(pieces) > length:
        return [*pieces[: length - 1], END]
    return pieces + [0] * (length - len(pieces))


def is_word(ids: Ints) -> Flags:
    """Tell which pieces are the text's own: neither its frame nor padding."""
    own: Flags = (ids != 0) & (ids != START) & (ids != END)
    return own


def _rows(texts: Sequence[Pieces], height: int, width: int) -> Ints:
    rows = np.zeros((height, width), np.int32)
    for row, pieces in enumerate(texts):
        rows[row] = padded(pieces, width)
    return rows
