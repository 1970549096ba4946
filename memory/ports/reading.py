"""Ports of reading: who marks values in messages, and who reads facts from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory.domain.readings import Excerpt, Heard, Reading, Span


class SpanReader(Protocol):
    """Marks what messages say of people, by a model that runs here."""

    @property
    def version(self) -> str:
        """Names what was learnt: `reader/1`."""
        ...

    @property
    def threshold(self) -> float:
        """The confidence from which a span is right often enough to be kept, in 0..1."""
        ...

    async def read(self, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        """Return the spans of each message, in its order; the same for the same message."""
        ...


class FactReader(Protocol):
    """Reads what messages tell of people, whichever way they came in."""

    @property
    def version(self) -> str:
        """Names how it reads: facts read another way are to be read again."""
        ...

    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells, in order; nothing of what its sender may not tell."""
        ...
