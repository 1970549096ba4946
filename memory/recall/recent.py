"""Keeps the vectors of the latest texts: a turn embeds its message for recall and for the index."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from memory.ports.recall import Embedder

CAPACITY = 256


class RecentVectors:
    """An embedder that asks another one only for texts that it has not just seen."""

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._vectors: OrderedDict[str, tuple[float, ...]] = OrderedDict()

    @property
    def fingerprint(self) -> str:
        """Identity of the vectors."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._embedder.dimension

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts; one vector each, in order."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        known = {text: self._vectors[text] for text in texts if text in self._vectors}
        if missing:
            fresh = await self._embedder.embed(missing)
            known.update(zip(missing, fresh, strict=True))
        for text in texts[-self._capacity :]:
            self._vectors[text] = known[text]
            self._vectors.move_to_end(text)
        while len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)
        return [known[text] for text in texts]
