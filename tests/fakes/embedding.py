"""What embedders of tests have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from memory.domain.recalls import Embedded


class WithoutPieces(ABC):
    """An embedder that gives a vector for a text and none for its pieces."""

    @property
    def token_space(self) -> str:
        """Empty: it gives no vectors of pieces."""
        return ""

    @abstractmethod
    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts; one vector each, in order."""

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed texts without their pieces, in order."""
        return [Embedded(vector) for vector in await self.embed(texts)]
