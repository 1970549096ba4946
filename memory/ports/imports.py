"""The port of imports."""

from __future__ import annotations

from typing import Protocol

from memory.domain.imports import Extent, ImportPlan, ImportState, KnownChat


class Imports(Protocol):
    """The imports of a tenant, each file once."""

    async def find(self, tenant: str, digest: str) -> ImportState | None:
        """Return the import of a file; None when it was never begun."""
        ...

    async def begin(self, plan: ImportPlan) -> ImportState:
        """Note an import and that its contact may hear its chats; one already noted stays.

        Raises:
            ImportErased: what it brought was erased with its person.
        """
        ...

    async def advance(self, tenant: str, import_id: int, position: int, facts: int) -> None:
        """Note that all entries up to `position` are recorded, and new facts.

        Raises:
            ImportErased: it was erased with its person meanwhile.
        """
        ...

    async def finish(self, tenant: str, import_id: int) -> None:
        """Note that an import is complete."""
        ...

    async def listing(self, tenant: str) -> list[ImportState]:
        """Return a tenant's imports, the latest first."""
        ...

    async def extent(self, tenant: str, import_id: int) -> Extent:
        """Return what the chats of an import hold now."""
        ...

    async def known_chats(self, tenant: str, kind: str, lines: int) -> list[KnownChat]:
        """Return the chats that imports of a kind brought and that hold a line, `lines` of each."""
        ...
