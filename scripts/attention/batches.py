"""Batches of questions, each with the lines that its evidence must stand out from."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from memory.recall.ranking.attention import ASKED, NEAR, OWN, READ, likest
from scripts.attention.packed import Ints, Pools

QUESTIONS = 8
FURTHER = 6
"""Of the lines of a question so many are drawn from beyond those that are read."""
MOST_MISSED = 8
"""Of evidence that is not among those that are read, so many lines come in."""


class Batch(NamedTuple):
    """Questions, each with as many lines.

    asked: (questions, 20, 64); weights: (questions, 20), 0 where there is no piece.
    pieces: Of each line and of those beside it, (questions, lines, 64, 64); is_there: which are.
    scores: What each line scores without attention; is_evidence, is_line: (questions, lines).
    """

    asked: np.ndarray
    weights: np.ndarray
    pieces: np.ndarray
    is_there: np.ndarray
    scores: np.ndarray
    is_evidence: np.ndarray
    is_line: np.ndarray


class Batches:
    """Batches in random order, the same for the same seed."""

    def __init__(self, pools: Pools, seed: int) -> None:
        """Draw from these pools."""
        self._pools = pools
        self._random = Random(seed)  # noqa: S311

    def __len__(self) -> int:
        """How many batches one epoch has."""
        return self._pools.questions // QUESTIONS

    def stream(self, count: int) -> Iterator[Batch]:
        """Yield so many batches, every question once before any comes again."""
        while count > 0:
            order = list(range(self._pools.questions))
            self._random.shuffle(order)
            for start in range(0, min(len(self), count) * QUESTIONS, QUESTIONS):
                yield self._batch(order[start : start + QUESTIONS])
            count -= len(self)

    def _batch(self, questions: list[int]) -> Batch:
        rows = [self._question(number) for number in questions]
        return Batch(*(np.stack(column) for column in zip(*rows, strict=True)))

    def _question(self, number: int) -> tuple[np.ndarray, ...]:
        pools = self._pools
        start, end = pools.pool_starts[number : number + 2]
        scores, truth = pools.scores[start:end], pools.is_evidence[start:end]
        asked = np.zeros((ASKED, pools.asked.shape[1]), np.int8)
        weights = np.zeros(ASKED, np.float32)
        first, last = pools.asked_starts[number : number + 2]
        kept = np.sort(np.argsort(-pools.weights[first:last], kind="stable")[:ASKED])
        asked[: len(kept)] = pools.asked[first:last][kept]
        weights[: len(kept)] = pools.weights[first:last][kept]
        chosen = self._chosen(scores, truth)
        pieces, is_there = self._pieces(pools.lines[start:end][chosen], asked, weights)
        blank = READ - len(chosen)
        return (
            asked,
            weights,
            np.pad(pieces, ((0, blank), (0, 0), (0, 0))),
            np.pad(is_there, ((0, blank), (0, 0))),
            np.pad(scores[chosen], (0, blank)),
            np.pad(truth[chosen], (0, blank)),
            np.arange(READ) < len(chosen),
        )

    def _chosen(self, scores: np.ndarray, truth: np.ndarray) -> Ints:
        """Return the numbers of the lines to learn from, `READ` at most."""
        order = np.argsort(-scores, kind="stable")
        first = order[: READ - FURTHER].tolist()
        rest = order[READ - FURTHER :].tolist()
        first += self._random.sample(rest, min(FURTHER, len(rest)))
        missed = [n for n in order.tolist() if truth[n] and n not in first][:MOST_MISSED]
        evidence = [n for n in first if truth[n]] + missed
        others = [n for n in first if not truth[n]]
        return np.array((evidence + others)[:READ])

    def _pieces(
        self, lines: Ints, asked: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the pieces of lines and of those beside each, and which there are."""
        pools, vectors = self._pools, asked.astype(np.float32)
        found = np.zeros((len(lines), OWN + 2 * NEAR, pools.pieces.shape[1]), np.int8)
        is_there = np.zeros(found.shape[:2], np.bool_)
        for row, line in enumerate(lines.tolist()):
            parts = (
                (0, likest(self._of(line), vectors, weights)),
                (OWN, self._of(pools.before[line])[-NEAR:]),
                (OWN + NEAR, self._of(pools.behind[line])[:NEAR]),
            )
            for start, part in parts:
                found[row, start : start + len(part)] = part
                is_there[row, start : start + len(part)] = True
        return found, is_there

    def _of(self, line: int) -> np.ndarray:
        if line < 0:
            return self._pools.pieces[:0]
        start, end = self._pools.line_starts[line : line + 2]
        return self._pools.pieces[start:end]
