"""Imports: what a file is, and how far it has come. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from memory.domain.chats import ChatRef


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

    @property
    def source(self) -> str:
        """What the file is called among what may have been erased."""
        return f"import:{self.digest}"


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far an import has come.

    The first `position` entries are recorded, and so owed to every projection. `new` messages were
    not in the ledger before, `facts` became active.
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
    new: int
    facts: int
    began_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Extent:
    """What some chats hold: messages, the contacts who wrote them, the first and the last time.

    The times are None when there is no message. `long` counts messages of which a prompt shows the
    beginning alone.
    """

    messages: int
    people: int
    first: datetime | None
    last: datetime | None
    long: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """What tells one message of a chat from the others: its id, who wrote it, and when."""

    message_id: str
    sender: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class KnownChat:
    """A chat that was imported before.

    `head` are its first lines that people wrote, and that were not deleted, in order of time;
    `last` is when its last one was.
    """

    anchor: str
    head: tuple[Line, ...]
    last: datetime
