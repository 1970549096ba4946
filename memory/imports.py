"""The port of imported histories: which files were taken in, how far, and who may hear them.

Like `memory.ports`, every method is scoped to one tenant (C8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from memory.domain import ChatRef


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What is to be imported: a file's content by its hash, and how it is read.

    `reading` names the options that decide what an entry is. `contact_id` is whose memory it
    becomes, `speaker` the name under which that person speaks in the file (empty: does not).
    `total` counts the entries of the file.
    """

    tenant: str
    digest: str
    kind: str
    file_name: str
    reading: str
    contact_id: str
    speaker: str
    chats: tuple[tuple[ChatRef, str], ...] = field(default=())
    """Each chat with its anchor."""
    total: int = 0


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far an import has come.

    The first `position` entries are recorded and indexed; those before `reached` may be recorded
    and not indexed. `new` messages were not in the ledger before, `facts` became active.
    """

    import_id: int
    kind: str
    file_name: str
    reading: str
    contact_id: str
    speaker: str
    anchors: tuple[str, ...]
    total: int
    position: int
    reached: int
    new: int
    facts: int
    began_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Extent:
    """What some chats hold: messages, the contacts who wrote them, the first and the last time.

    The times are None when there is no message.
    """

    messages: int
    people: int
    first: datetime | None
    last: datetime | None


class Imports(Protocol):
    """The imports of a tenant, each file once."""

    async def find(self, tenant: str, digest: str) -> ImportState | None:
        """Return the import of a file; None when it was never begun."""
        ...

    async def begin(self, plan: ImportPlan) -> ImportState:
        """Note an import and that its contact may hear its chats; one already noted stays."""
        ...

    async def reach(self, import_id: int, reached: int) -> None:
        """Note that entries up to `reached` are about to be recorded."""
        ...

    async def advance(self, import_id: int, position: int, facts: int) -> None:
        """Note that all entries up to `position` are recorded and indexed, and new facts."""
        ...

    async def finish(self, import_id: int) -> None:
        """Note that an import is complete."""
        ...

    async def unfinished(self, tenant: str, anchors: Sequence[str], but: int) -> frozenset[str]:
        """Return those of the anchors that an import other than `but` has left unfinished."""
        ...

    async def listing(self, tenant: str) -> list[ImportState]:
        """Return a tenant's imports, the latest first."""
        ...

    async def extent(self, import_id: int) -> Extent:
        """Return what the chats of an import hold now."""
        ...
