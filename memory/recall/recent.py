"""Keeps the vectors of the latest texts: a turn embeds its message for recall and for the index."""

from __future__ import annotations

from collections.abc import Sequence

from memory.domain.recalls import Embedded
from memory.ports.recall import Embedder
from memory.text.latest import Latest

CAPACITY = 1024
"""Some batches of an import: vectors and token vectors are taken in one after the other."""


class RecentVectors:
    """An embedder that asks another one only for texts that it has not just seen."""

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._latest: Latest[str, Embedded] = Latest(capacity)

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
        self._latest.clear()

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts; one vector each, in order."""
        return [each.vector for each in await self.read(texts)]

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed texts and their pieces, in order."""
        return await self._latest.of(texts, self._embedder.read)
