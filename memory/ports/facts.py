"""Ports of facts, and of what people corrected in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from memory.domain.facts import Applied, ContactObservations, Fact, Observation, Stated


class FactStore(Protocol):
    """Deterministic facts with history (L2, L3). Two backends, one contract.

    Whatever writes does so in one transaction, and running it again changes nothing and returns
    the same.
    """

    async def active(
        self, tenant: str, contact_id: str, told_by: Collection[str] = ()
    ) -> list[Fact]:
        """Return active facts, by importance (highest first), then oldest first.

        `told_by`: with them, in the same order, what messages of these uids told that is not
        active, and was not outdone when it was told: what is over is `closed`.
        """
        ...

    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> list[Fact]:
        """Return every statement ever recorded, whatever became of it, in order of recording.

        `keys`: those of these keys alone. A fact that held, ended and holds again is there twice.
        Retractions are none: they are named by what they closed.
        """
        ...

    async def stated(self, tenant: str, contact_id: str, keys: Collection[str]) -> list[Stated]:
        """Return what a history of these keys states, each once, sorted; marked or not."""
        ...

    async def holders(self, tenant: str, ids: Collection[str]) -> dict[str, str]:
        """Return the contacts whose facts these are, by id; ids that are unknown are left out."""
        ...

    async def rows(self, tenant: str, contact_id: str) -> list[Fact]:
        """Return all that is stored of a contact: its history and its retractions, in order."""
        ...

    async def contacts(self, tenant: str) -> list[str]:
        """Return the contacts of whom anything is stored, sorted."""
        ...

    async def replace(
        self, tenant: str, contact_id: str, before: Sequence[Fact], after: Sequence[Fact]
    ) -> bool:
        """Let a contact's rows be `after`, in this order; False when they are no longer `before`.

        A row of `after` that another contact has becomes this contact's.
        """
        ...

    async def apply(
        self, tenant: str, contact_id: str, observations: Sequence[Observation], now: datetime
    ) -> Applied:
        """Apply one message's observations."""
        ...

    async def apply_many(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> Applied:
        """Apply many messages' observations: the same facts as `apply` message by message."""
        ...

    async def correct(
        self,
        tenant: str,
        contact_id: str,
        source_uid: str,
        observations: Sequence[Observation],
        now: datetime,
    ) -> Applied:
        """Let a message say this and nothing else; what only it had ended holds again.

        Without observations the message says nothing any more.
        """
        ...

    async def forget(self, tenant: str, contact_id: str) -> int:
        """Erase everything about a contact; return how many rows went."""
        ...


class Corrections(Protocol):
    """What people took back, or stated, of what is known of somebody: no message tells it.

    Kept with the ledger, by the message that did it, and erased with that one, so that a fact store
    made anew is corrected again.
    """

    async def keep(self, tenant: str, corrected: Sequence[Observation]) -> None:
        """Keep corrections; one of the same source, key and value stays as it was.

        Their source is named `<uid>/...`; of a message that the ledger does not have, none is kept.
        """
        ...

    async def of(self, tenant: str, contact_id: str) -> list[Observation]:
        """Return what was corrected of a contact, in order, with confidence 1.0."""
        ...

    async def undo(self, tenant: str, source_uid: str, at: datetime) -> list[Observation]:
        """Let what was corrected by this source count no more; return what that was, in order.

        Empty where it did not count any more, or the source is unknown.
        """
        ...

    async def contacts(self, tenant: str) -> list[str]:
        """Return the contacts of whom anything was corrected, sorted."""
        ...

    async def replies(
        self, tenant: str, contact_id: str, recalled: Collection[str]
    ) -> dict[str, str]:
        """Return the agent's replies that were shown any of these memories: text by uid."""
        ...

    async def unsay(
        self, tenant: str, left: Mapping[str, str | None], replies: Collection[str], act: str
    ) -> None:
        """Keep what was taken back out of prompts and searches; the transcript has it still.

        `left`: by message, what it shows from now on, or None: nothing, and it is no lesson either.
        With it go the replies of its turn, what quotes it, and what was looked for with it.
        `replies` are withheld, too. `act`: what a person did that takes it out.
        """
        ...

    async def kept_out(self, tenant: str, uids: Collection[str]) -> dict[str, list[str]]:
        """Return by uid which acts of people keep messages out whole; the others are left out."""
        ...

    async def resay(self, tenant: str, act: str) -> list[str]:
        """Reverse what `unsay` did for an act; return the uids of what is found again.

        What another act, or another reason, keeps out stays out. What was looked for with a
        message is not known any more.
        """
        ...
