"""Ports of what is derived of the ledger: the projections, and what each has still to take in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from typing import Protocol

from memory.domain.chats import Message
from memory.domain.drift import Compared
from memory.domain.projections import Arrears, Generation, Owed, ProjectionName, SetAside


class Projection(Protocol):
    """Something derived of the ledger. It may be brought in line by several workers at once."""

    @property
    def name(self) -> ProjectionName:
        """Under which its backlog is kept."""
        ...

    @property
    def fingerprint(self) -> str:
        """What makes its entries; another fingerprint needs another generation."""
        ...

    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        """Make what is derived of these items agree with the ledger as it is now.

        Doing it again changes nothing. Returns how many entries there are because of it.

        Raises:
            Transient: a store cannot be had; nothing is lost, and the same items come again.
        """
        ...

    async def project_said(self, tenant: str, messages: Sequence[Message], generation: int) -> int:
        """Take in messages as they were first said, which the caller has at hand.

        What is derived of anything else is left alone. Returns and raises as `project` does.
        """
        return 0

    def serve(self, generation: int) -> None:
        """Answer from this generation from now on, in this process.

        What is made anew in place, as facts are, has one generation: nothing is to be done.
        """
        return

    async def drop(self, kept: Collection[int]) -> None:
        """Delete what other generations left; see `serve`."""
        return

    def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        """Yield, page by page, the items that make all of it for a tenant."""
        ...

    async def parts(self, tenant: str) -> Sequence[str]:
        """Return the names of its parts, each of which is compared by itself."""
        return [""]

    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        """Compare a part with the ledger. What changes meanwhile may show as a difference."""
        ...


class Backlog(Protocol):
    """What projections have still to take in: an item a row, written with what it follows from.

    The ledger itself owes what it stores and changes, in the same transaction. Whoever takes an
    item has it for a while; then, or when its `owner`'s lock is free, others may have it.
    """

    async def register(self, projection: ProjectionName, fingerprint: str) -> Generation:
        """Return the generation that serves; one of an unrecorded fingerprint gets this one."""
        ...

    async def generations(self) -> list[Generation]:
        """Return every generation there is, oldest first."""
        ...

    async def owe(
        self, tenant: str, projections: Sequence[ProjectionName], items: Sequence[str]
    ) -> None:
        """Have items taken in, by all generations; one that is owed already is owed anew."""
        ...

    async def due(self, tenants: Sequence[str]) -> list[tuple[ProjectionName, int]]:
        """Return projections and generations with something to take."""
        ...

    async def take(
        self,
        projection: ProjectionName,
        generation: int,
        tenants: Sequence[str],
        owner: str,
        limit: int,
        *,
        early: bool = False,
    ) -> list[Owed]:
        """Take what is due, first what has been due longest; `early`: what is not due yet, too."""
        ...

    async def take_these(
        self,
        projection: ProjectionName,
        generation: int,
        tenant: str,
        owner: str,
        items: Sequence[str],
    ) -> list[Owed]:
        """Take these items where they are owed and nobody has them, due or not."""
        ...

    async def postpone(self, tenant: str, items: Sequence[str], wait_s: float) -> None:
        """Leave items that nobody has to the caller, who takes them in soon, for so long.

        What is owed to more than their recording, as after an edit, is due when it was.
        """
        ...

    async def done(
        self, projection: ProjectionName, generation: int, taken: Sequence[Owed]
    ) -> None:
        """Strike out what was taken. What was owed anew, or done by another meanwhile, is due.

        The other may have read the item later and written it earlier.
        """
        ...

    async def strike_out_said(
        self, projection: ProjectionName, tenant: str, uids: Sequence[str]
    ) -> None:
        """Strike out what a turn took in itself, for the generation that serves.

        What was edited since it was said is owed anew: the turn may have read what it said before.
        What somebody else has taken is left to them: they are still writing it.
        """
        ...

    async def give_back(
        self, projection: ProjectionName, generation: int, taken: Sequence[Owed]
    ) -> None:
        """Let others take what was taken."""
        ...

    async def set_aside(
        self, projection: ProjectionName, generation: int, taken: Owed, reason: str
    ) -> None:
        """Keep an item back that fails for good, until it is owed anew."""
        ...

    async def take_over(self) -> int:
        """Make due what was taken by owners who died; return how many items."""
        ...

    async def owed(
        self, projection: ProjectionName, generation: int, tenant: str, items: Sequence[str]
    ) -> set[str]:
        """Return those of the items that are still to be taken in and not set aside."""
        ...

    async def arrears(self, tenants: Sequence[str]) -> Mapping[ProjectionName, Arrears]:
        """Return how much waits for each projection that serves; a count ends at 10,000."""
        ...

    async def aside(self, tenants: Sequence[str], limit: int) -> list[SetAside]:
        """Return what was set aside, the oldest first."""
        ...
