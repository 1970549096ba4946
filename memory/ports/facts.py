"""The port of facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memory.domain.facts import ContactObservations, Fact, Observation


class FactStore(Protocol):
    """Deterministic facts with history (L2, L3). Two backends, one contract."""

    async def active(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return active facts, by importance (highest first), then oldest first."""
        ...

    async def apply(
        self, tenant: str, contact_id: str, observations: Sequence[Observation], now: datetime
    ) -> list[Fact]:
        """Apply one message's observations in one transaction; return the facts that became active.

        Applying the same observations again changes nothing.
        """
        ...

    async def apply_many(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> list[Fact]:
        """Apply many messages' observations in order, in one transaction.

        The same outcome as `apply` message by message. Returns the facts that became active.
        """
        ...

    async def history(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return every fact ever recorded, rejected ones included, oldest first."""
        ...

    async def retract(
        self, tenant: str, contact_id: str, fact_ids: Sequence[str], now: datetime
    ) -> int:
        """Close active facts whose source is gone; return how many were active."""
        ...

    async def join(self, tenant: str, source: str, target: str, now: datetime) -> int:
        """Give one contact's facts, history included, to another; return how many moved.

        One transaction. Where both hold a value for one slot, the rules of supersession decide as
        if both had been told to one contact. The anchor of a direct chat moves along.
        """
        ...

    async def rename(self, tenant: str, old_anchor: str, new_anchor: str) -> int:
        """Give an anchor's facts another anchor; return how many there were."""
        ...

    async def forget(self, tenant: str, contact_id: str) -> int:
        """Erase everything about a contact; return how many facts went."""
        ...
