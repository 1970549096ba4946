"""Keeps the vectors of the latest texts: a turn embeds its message for recall and for the index."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from memory.domain.recalls import Embedded
from memory.ports.recall import Embedder

CAPACITY = 1024
"""Some batches of an import: vectors and token vectors are taken in one after the other."""


class RecentVectors:
    """An embedder that asks another one only for texts that it has not just seen."""

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._read: OrderedDict[str, Embedded] = OrderedDict()

    @property
    def fingerprint(self) -> str:
        """Identity of the vectors."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._embedder.dimension

    @property
    def token_space(self) -> str:
        """Identity of the vectors of pieces."""
        return self._embedder.token_space

    def clear(self) -> None:
        """Forget the texts and their vectors."""
        self._read.clear()

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts; one vector each, in order."""
        return [each.vector for each in await self.read(texts)]

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed texts and their pieces, in order."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._read))
        known = {text: self._read[text] for text in texts if text in self._read}
        if missing:
            fresh = await self._embedder.read(missing)
            known.update(zip(missing, fresh, strict=True))
        for text in texts[-self._capacity :]:
            self._read[text] = known[text]
            self._read.move_to_end(text)
        while len(self._read) > self._capacity:
            self._read.popitem(last=False)
        return [known[text] for text in texts]
