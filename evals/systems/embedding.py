"""The embedder of a run, with a record of what a system had embedded while it ingested."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from evals.systems.system import Vectors
from memory.domain.recalls import Embedded
from memory.ports.recall import Embedder


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Which embedder the settings name: a model behind an endpoint, or MiniLM where it is None."""

    model: str | None = None
    api_key: str = field(default="", repr=False)
    base_url: str = ""

    async def load(self) -> Embedder:
        """Load the embedder. As `graph.models.choice` does, without importing the product for it.

        Raises:
            EmbedderUnavailable: its model or its endpoint is not to be had.
        """
        if self.model is None:
            from memory.minilm.embedder import MiniLmEmbedder

            return await asyncio.to_thread(MiniLmEmbedder)
        from memory.openai.embeddings import open_openai

        return await open_openai(self.model, self.api_key, self.base_url)


class RecordingEmbedder:
    """An embedder; while `recording` it keeps the texts that it is asked for."""

    def __init__(self, embedder: Embedder, loop: asyncio.AbstractEventLoop) -> None:
        self._embedder = embedder
        self._loop = loop
        self.recording = False
        self.texts: list[str] = []

    @classmethod
    async def load(cls, embeddings: Embeddings) -> RecordingEmbedder:
        """Load an embedder, and use it once.

        Raises:
            EmbedderUnavailable: its model or its endpoint is not to be had.
        """
        embedder = await embeddings.load()
        await embedder.embed(["warm up"])
        return cls(embedder, asyncio.get_running_loop())

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
        if self.recording:
            self.texts += texts
        return await self._embedder.embed(texts)

    @property
    def token_space(self) -> str:
        """Identity of the vectors of pieces."""
        return self._embedder.token_space

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed texts and their pieces, in order."""
        if self.recording:
            self.texts += texts
        return await self._embedder.read(texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Embed texts from another thread than the event loop's."""
        from memory.minilm.embedder import MiniLmEmbedder

        given = list(texts)
        if isinstance(self._embedder, MiniLmEmbedder):
            if self.recording:
                self.texts += given
            # Not through the loop: a hop there and back is no system's fault.
            rows: Vectors = self._embedder.embed_array(given).tolist()
            return rows
        future = asyncio.run_coroutine_threadsafe(self.embed(given), self._loop)
        return [list(vector) for vector in future.result()]

    async def seconds_alone(self, texts: Sequence[str]) -> float:
        """Return how long it takes to embed texts in one call, with nothing else going on."""
        started = time.perf_counter()
        await self._embedder.embed(texts)
        return time.perf_counter() - started
