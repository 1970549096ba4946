"""Port of what the owner marked of what is known."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple, Protocol

from memory.domain.facts import Fact, Mark


class Marks(Protocol):
    """Marks on facts of contacts, each by a line of the ledger, whatever the facts are stored in.

    A mark is erased with its line, and moves with the contact that the line is about.
    """

    async def put(self, tenant: str, mark: Mark) -> None:
        """Keep a mark, once; none whose line the ledger does not have."""
        ...

    async def of(self, tenant: str, contact_ids: Collection[str]) -> dict[str, list[Mark]]:
        """Return the marks that count, oldest first, by contact; who has none is left out."""
        ...

    async def end(self, tenant: str, acts: Collection[str], at: datetime) -> None:
        """Let the marks that these acts made count no more."""
        ...


class Known(NamedTuple):
    """Facts of a contact, in the order of the question, and the marks that count, oldest first.

    Where there are no facts, marks may be left out.
    """

    facts: list[Fact]
    marks: list[Mark]


class KnownFacts(Protocol):
    """Reads facts together with the marks of their contact."""

    async def active(self, tenant: str, contact_id: str, told_by: Collection[str] = ()) -> Known:
        """Return what `FactStore.active` does, with marks."""
        ...

    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> Known:
        """Return what `FactStore.history` does, with marks."""
        ...
