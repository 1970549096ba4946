"""What the `recall` suite compares: a system takes a conversation in and ranks its turns.

Another system joins with a class that has `name`, `ingest` and `search`, and an entry in
`BASELINES`.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evals.recall.cases import CaseTurn
from memory.ports.recall import Embedder
from memory.text.chunks import estimate_tokens, split_for_embedding

WINDOW_TURNS = 50
SHOWN_TURNS = 10  # as many as the product puts into a prompt

# Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
K1 = 1.2
B = 0.75

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Found:
    """A search's answer: turn ids, best first, and how sure the system is that they answer.

    `confidence` only compares within one system; None where it does not tell. `parts`: what a
    turn's rank was made of, by turn id, where the system tells.
    """

    ids: tuple[str, ...]
    confidence: float | None
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class System(Protocol):
    """A memory under test, for one conversation at a time."""

    async def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Take a whole conversation in, in order."""
        ...

    async def search(self, query: str, k: int) -> Found:
        """Return at most `k` turns."""
        ...

    async def context_tokens(self, query: str, found: Found) -> int:
        """Estimate how many tokens of a prompt the memory for this query would take."""
        ...


class Window:
    """The last 50 turns, newest first, whatever the question: an agent without memory."""

    def __init__(self) -> None:
        self._turns: list[CaseTurn] = []

    async def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Keep the last turns."""
        self._turns = list(turns[-WINDOW_TURNS:])

    async def search(self, query: str, k: int) -> Found:
        """Return the window; `k` does not shorten it, the metrics cut."""
        del query, k
        shown = self._turns[::-1]
        return Found(tuple(turn.id for turn in shown), 0.0)

    async def context_tokens(self, query: str, found: Found) -> int:
        """Return the size of the whole window."""
        del query, found
        return _tokens(self._turns)


class PlainBm25:
    """BM25 over every turn: lower-cased words, no stems, no stop words."""

    def __init__(self) -> None:
        self._turns: list[CaseTurn] = []
        self._counts: list[Counter[str]] = []
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        self._average = 1.0

    async def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Count words."""
        self._turns = list(turns)
        self._counts = [Counter(_WORD.findall(turn.text.casefold())) for turn in turns]
        for index, counts in enumerate(self._counts):
            for word in counts:
                self._postings[word].append(index)
        self._average = max(sum(c.total() for c in self._counts) / max(len(turns), 1), 1.0)

    async def search(self, query: str, k: int) -> Found:
        """Rank by BM25 with Lucene's idf, which is never negative."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in set(_WORD.findall(query.casefold())):
            places = self._postings.get(word, [])
            idf = math.log(1 + (len(self._turns) - len(places) + 0.5) / (len(places) + 0.5))
            for index in places:
                tf, length = self._counts[index][word], self._counts[index].total()
                norm = K1 * (1 - B + B * length / self._average)
                scores[index] += idf * tf * (K1 + 1) / (tf + norm)
        best = sorted(scores, key=lambda index: (-scores[index], index))[:k]
        top = scores[best[0]] if best else 0.0
        return Found(tuple(self._turns[index].id for index in best), top)

    async def context_tokens(self, query: str, found: Found) -> int:
        """Return the size of the best turns."""
        del query
        return _shown_tokens(self._turns, found)


class Dense:
    """Cosine of the product's embedder over every turn; a long turn counts by its best chunk."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._turns: list[CaseTurn] = []
        self._owners: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._vectors: npt.NDArray[np.float32] = np.empty((0, 0), np.float32)

    async def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Embed every turn."""
        self._turns = list(turns)
        chunks = [
            (index, piece)
            for index, turn in enumerate(turns)
            if turn.text.strip()
            for piece in split_for_embedding(turn.text)
        ]
        vectors = await self._embedder.embed([piece for _, piece in chunks])
        self._owners = np.array([index for index, _ in chunks], np.int64)
        self._vectors = np.array(vectors, np.float32)

    async def search(self, query: str, k: int) -> Found:
        """Rank by cosine."""
        if not len(self._owners):
            return Found((), 0.0)
        (vector,) = await self._embedder.embed([query])
        scores = np.full(len(self._turns), -1.0, np.float32)
        np.maximum.at(scores, self._owners, self._vectors @ np.array(vector, np.float32))
        best = np.argsort(-scores, kind="stable")[:k]
        return Found(tuple(self._turns[index].id for index in best), float(scores[best[0]]))

    async def context_tokens(self, query: str, found: Found) -> int:
        """Return the size of the best turns."""
        del query
        return _shown_tokens(self._turns, found)


BASELINES: dict[str, Callable[[Embedder], System]] = {
    "window": lambda _: Window(),
    "bm25": lambda _: PlainBm25(),
    "dense": Dense,
}


def _shown_tokens(turns: Sequence[CaseTurn], found: Found) -> int:
    shown = set(found.ids[:SHOWN_TURNS])
    return _tokens([turn for turn in turns if turn.id in shown])


def _tokens(turns: Sequence[CaseTurn]) -> int:
    return sum(estimate_tokens(turn.text) for turn in turns)
