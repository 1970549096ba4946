"""What any memory has to beat: the last turns, plain BM25, and the embedder alone."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from evals.recall.cases import CaseTurn
from evals.systems.system import Found, System, tokens_of
from memory.ports.recall import Embedder
from memory.text.chunks import split_for_embedding

WINDOW_TURNS = 50

# Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
K1 = 1.2
B = 0.75

_WORD = re.compile(r"\w+")


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
        return tokens_of(self._turns)


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


BASELINES: dict[str, Callable[[Embedder], System]] = {
    "window": lambda _: Window(),
    "bm25": lambda _: PlainBm25(),
    "dense": Dense,
}
