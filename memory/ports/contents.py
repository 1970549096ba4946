"""The port of what the ledger gives to projections, as a whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from memory.domain.chats import StoredMessage


class Contents(Protocol):
    """What contacts said, as far as anything is derived of it.

    Nothing is derived of what is withheld or empty, nor of what waits for a turn or is in one.
    """

    async def tenants(self) -> list[str]:
        """Return whose memory the ledger holds, sorted."""
        ...

    async def contacts(self, tenant: str) -> list[str]:
        """Return the contacts who said anything, sorted."""
        ...

    async def anchors(self, tenant: str) -> list[str]:
        """Return the anchors in which contacts said anything, sorted."""
        ...

    def threads(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        """Yield the threads of all chats, page by page, in no order."""
        ...

    def uids(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        """Yield the uids of all that contacts said, page by page, in order of arrival."""
        ...

    def said_by(self, tenant: str, contact_id: str) -> AsyncGenerator[Sequence[StoredMessage]]:
        """Yield what a contact said, page by page, in order of arrival."""
        ...

    def said_in(
        self, tenant: str, anchors: Sequence[str]
    ) -> AsyncGenerator[Sequence[StoredMessage]]:
        """Yield what was said in anchors, page by page, in no order."""
        ...
