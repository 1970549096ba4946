"""Keeps the readings of the latest messages: a correction has the lines before it read again."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from memory.domain.readings import Heard, Reading
from memory.ports.erasures import Cached
from memory.ports.reading import FactReader
from memory.text.latest import Latest

CAPACITY = 1024
"""Some batches of an import, whose corrections are read before all of it is."""


class RecentReadings(FactReader, Cached):
    """A reader that asks another one only for messages that it has not just read.

    The other one says the same each time. What may correct earlier lines is always read.
    """

    def __init__(self, reader: FactReader, capacity: int = CAPACITY) -> None:
        self._reader = reader
        self._latest: Latest[Heard, Reading] = Latest(capacity)

    @property
    @override
    def version(self) -> str:
        return self._reader.version

    @override
    def clear(self) -> None:
        self._latest.clear()

    @override
    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        correcting = [heard for heard in messages if heard.earlier]
        alone = [heard for heard in messages if not heard.earlier]
        mended = iter(await self._reader.read(correcting) if correcting else ())
        read = iter(await self._latest.of(alone, self._reader.read))
        return [next(mended if heard.earlier else read) for heard in messages]

    @override
    async def reread(self, messages: Sequence[Heard]) -> list[Reading]:
        return await self.read(messages)

    @override
    async def close(self) -> None:
        await self._reader.close()
