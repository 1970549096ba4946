"""The port of what contacts are like: marks of their messages, and what these come to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from memory.domain.contacts import ContactRow, Mark, Marked


class KeptMark(NamedTuple):
    """A mark as it is kept, with what of its message it was made of, by what.

    `name` is what the speaker is called there, `channel` where it was said.
    """

    uid: str
    changes: int
    made_by: str
    marked: Marked
    name: str
    channel: str


class ContactStates(Protocol):
    """Kept beside the ledger: marks go when their messages go."""

    async def of(self, tenant: str, contact_ids: Collection[str]) -> Mapping[str, ContactRow]:
        """Return what is kept of these contacts, by id; those of whom nothing is are left out."""
        ...

    async def listing(
        self, tenant: str, words: str, after: str, limit: int
    ) -> Sequence[ContactRow]:
        """Return at most `limit` contacts whose id comes after `after`, by id.

        Only those whose name or id holds `words`, whatever their case; all where it is empty.
        """
        ...

    async def contacts(self, tenant: str) -> list[str]:
        """Return the contacts of whom anything is kept, sorted."""
        ...

    async def keep(self, tenant: str, rows: Sequence[ContactRow]) -> set[str]:
        """Keep contacts whose `version` is still that of what is kept; return which these were.

        A row that nothing is kept of yet has the version 0.
        """
        ...

    async def drop(self, tenant: str, contact_id: str) -> None:
        """Forget what a contact's messages came to."""
        ...

    async def mark(
        self, tenant: str, made_by: str, entries: Sequence[tuple[str, int, Mark]]
    ) -> None:
        """Keep marks, by uid and the message's `changes`, in place of others.

        That of a later state of a message stays. One of a message that is gone is left out.
        """
        ...

    async def unmark(self, tenant: str, uids: Collection[str]) -> None:
        """Remove the marks of these messages."""
        ...

    async def marks_until(self, tenant: str, contact_id: str, at: datetime, seq: int) -> int:
        """Return how many of `marks_of` there are up to a message, itself among them."""
        ...

    def marks_of(self, tenant: str, contact_id: str) -> AsyncGenerator[Sequence[KeptMark]]:
        """Yield, page by page in the order of time, the marks of what a contact said and holds.

        Those of what a message said before an edit, or of one that is withheld, are left out.
        """
        ...
