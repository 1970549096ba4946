"""The port of generations that are built to replace those that serve."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.domain.projections import ProjectionName


@dataclass(frozen=True, slots=True)
class Building:
    """A generation that is built. `is_enrolled`: everything there was is written down as owed."""

    projection: ProjectionName
    number: int
    is_enrolled: bool


class Rebuilds(Protocol):
    """Generations that are built beside those that serve, and take their places."""

    async def begin(self, wanted: Mapping[ProjectionName, str]) -> list[Building]:
        """Return what is being built under these fingerprints; begun where it is not yet.

        From now on it is owed whatever is stored or changed. What was begun under another
        fingerprint is given up.
        """
        ...

    async def enrol(
        self, building: Building, items: AsyncIterator[tuple[str, Sequence[str]]]
    ) -> None:
        """Write down items, by tenant, that make all of it; interrupted, it is to be done again."""
        ...

    async def waiting(self, building: Sequence[Building]) -> int:
        """Return how many items are still to be taken in and not set aside."""
        ...

    async def serve(self, building: Sequence[Building]) -> bool:
        """Let these serve, and drop those that served before; False while anything waits.

        Raises:
            RebuildReplaced: one of them was given up for another.
        """
        ...
