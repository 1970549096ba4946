"""Ports of erasing a person: the ledger's own part, and asking each store for what is left."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from memory.domain.erasures import AskedBy, Erasure, ErasureExtent, Looked, Needles


@dataclass(frozen=True, slots=True)
class Erased:
    """An erasure that is committed, and what to look for afterwards."""

    erasure_id: str
    needles: Needles


class Erasures(Protocol):
    """What the ledger's database holds of a person, and its removal as a whole."""

    async def extent(self, tenant: str, contact_id: str) -> ErasureExtent:
        """Return what there is of a person, and which chats have to stand still for its removal."""
        ...

    async def erase(
        self,
        tenant: str,
        contact_id: str,
        asked_by: AskedBy,
        held: Collection[str],
        facts: Collection[str] = (),
    ) -> Erased | None:
        """Remove it in one transaction, with tombstones and a receipt; others follow the backlog.

        The caller holds the locks of the threads `held`, and knows ids of `facts` about them. None,
        and nothing is changed, where another chat has come up since, a reply is just being sent,
        somebody is just deriving something of it, or a LangGraph server runs a turn of theirs: a
        moment later it can be done. So, too, where another erasure came first and left nothing.
        """
        ...

    async def needles(self, tenant: str, contact_id: str) -> Needles:
        """Return what a person's memory can be found by; no texts."""
        ...

    async def probed(
        self, tenant: str, erasure_id: str, places: int, left: Mapping[str, int]
    ) -> None:
        """Note what was found in so many places."""
        ...

    async def count(self, tenant: str, erasure_id: str, counts: Mapping[str, int]) -> None:
        """Note what went from other stores, beside what went from this one."""
        ...

    async def receipt(self, tenant: str, erasure_id: str) -> Erasure | None:
        """Return a receipt with what is owed now; None where there is none."""
        ...

    async def receipts(self, tenant: str, limit: int) -> list[Erasure]:
        """Return the latest receipts, newest first."""
        ...


class Traces(Protocol):
    """A store that can be asked whether it holds anything of somebody."""

    @property
    def store(self) -> str:
        """What it is called in a receipt."""
        ...

    async def look(self, tenant: str, needles: Needles) -> Looked:
        """Look for it everywhere, whatever it was stored under.

        Raises:
            StoreUnavailable: the store cannot be asked.
        """
        ...


class Cached(Protocol):
    """What keeps copies in this process, to be quicker."""

    def clear(self) -> None:
        """Forget them; they are read anew when they are needed."""
        ...
