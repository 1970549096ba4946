"""The port of how often answers used what was said."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol


class UseCount(NamedTuple):
    """How many answers used a message, and when the last of them was given."""

    times: int
    last_at: datetime


class Uses(Protocol):
    """Counted from receipts, each turn once, and kept beside the ledger: they go with the message.

    Only what contacts said counts, while it may be shown, and only what answers used since it was
    last edited.
    """

    async def count(self, tenant: str, uids: Collection[str]) -> int:
        """Count the uses of these messages anew; return how many of them have any."""
        ...

    async def counted(self, tenant: str, uids: Collection[str]) -> Mapping[str, UseCount]:
        """Return what receipts say of these messages; those that none names are left out."""
        ...

    async def kept(self, tenant: str, uids: Collection[str]) -> Mapping[str, UseCount]:
        """Return what is kept of these messages; those of which nothing is are left out."""
        ...

    def named(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        """Yield, page by page, the uids that a receipt names, or of which a count is kept."""
        ...
