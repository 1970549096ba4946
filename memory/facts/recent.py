"""Keeps the spans of the latest excerpts: a correction has the lines before it read again."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from memory.domain.readings import Excerpt, Span
from memory.ports.erasures import Cached
from memory.ports.reading import SpanReader
from memory.text.latest import Latest

CAPACITY = 1024
"""Some batches of an import, whose corrections are read before all of it is."""


class RecentSpans(SpanReader, Cached):
    """A span reader that asks another one only for excerpts that it has not just seen."""

    def __init__(self, reader: SpanReader, capacity: int = CAPACITY) -> None:
        self._reader = reader
        self._latest: Latest[Excerpt, list[Span]] = Latest(capacity)

    @property
    @override
    def version(self) -> str:
        return self._reader.version

    @property
    @override
    def threshold(self) -> float:
        return self._reader.threshold

    @override
    def clear(self) -> None:
        self._latest.clear()

    @override
    async def read(self, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        return await self._latest.of(excerpts, self._reader.read)
