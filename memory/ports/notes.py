"""Port of what people wrote by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memory.domain.notes import MemoryKind, Note, Place


class Notes(Protocol):
    """Lines of the ledger that are notes. They are derived of nothing: no rebuild touches them.

    A note is erased with its line, and moves with the contact or the chat that the line belongs to.
    """

    async def keep(self, tenant: str, uid: str, kind: MemoryKind) -> None:
        """Let a line of the ledger be a note, once."""
        ...

    async def near(self, tenant: str, anchor: str, limit: int) -> list[Note]:
        """Return the notes that may surface at an anchor, newest first; those of the tenant too."""
        ...

    async def every(self, tenant: str) -> list[Note]:
        """Return all notes of a tenant, oldest first."""
        ...

    async def forget(self, tenant: str, uids: Sequence[str], at: datetime) -> int:
        """Let notes hold no more; return how many did until now."""
        ...

    async def place(self, tenant: str, channel: str, account: str, chat_id: str) -> Place | None:
        """Return a chat; None where the ledger has none of that name."""
        ...
