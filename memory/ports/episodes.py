"""The port of a chat's episodes: what they rest on, how far they were read, and what was kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from memory.domain.chats import StoredMessage
from memory.domain.episodes import Episode, Summary


class Place(NamedTuple):
    """Where a message stands in its chat: by when it was sent, then by when it arrived."""

    at: datetime
    seq: int


def place_of(stored: StoredMessage) -> Place:
    """Return where a message stands."""
    return Place(stored.message.sent_at, stored.seq)


@dataclass(frozen=True, slots=True)
class Stretch:
    """An episode as it is kept.

    `after_gap`: silence came before it, or nothing. `digest` names its messages and their state;
    `summarized`: how many of them its summary covers, from the first. `vector_sum`: of all of their
    vectors, as `memory.episodes.sums` keeps it; empty where it is not known.
    """

    first_uid: str
    first: Place
    last_uid: str
    last: Place
    turns: int
    after_gap: bool
    is_open: bool
    digest: str = ""
    summarized: int = 0
    summary: Summary | None = None
    chunks: tuple[Summary, ...] = ()
    vector_sum: bytes = b""


@dataclass(frozen=True, slots=True)
class Course:
    """How far a chat was read.

    `version` rises whenever what was read changes. `stale`: of what was taken in, the first and the
    last moment at which something is not so any more. `reached`: the last message taken in.
    """

    version: int
    made_by: str
    reached: Place | None
    stale: tuple[datetime, datetime] | None
    tracker: bytes


@dataclass(frozen=True, slots=True)
class Look:
    """A chat's course, its open episode, and its messages from that one's first on, in order.

    Without an open episode: those after the last that was taken in.
    """

    course: Course
    held: Stretch | None
    said: Sequence[StoredMessage]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What takes the place of the episodes that begin from `since` on and before `until`.

    None: from the first, to the last. `clears_stale`: nothing of the course is stale any more.
    """

    stretches: Sequence[Stretch]
    made_by: str
    reached: Place | None
    tracker: bytes
    since: Place | None = None
    until: Place | None = None
    clears_stale: bool = False


class Episodes(Protocol):
    """Episodes of chats, beside the ledger: they go with their chat and change with its messages.

    Messages are those of contacts, the agent and the owner that are settled and not withheld.
    """

    async def look(self, tenant: str, thread_id: str, limit: int) -> Look | None:
        """Return where a chat stands, with at most `limit` messages; None: there is no such chat.

        What is said from then on, or unsaid, is noted for whoever keeps what they made of it.
        """
        ...

    async def said(
        self, tenant: str, thread_id: str, since: Place | None, until: Place, limit: int
    ) -> list[StoredMessage]:
        """Return a chat's messages from a place (None: the first) on and before another."""
        ...

    async def stretches(
        self, tenant: str, thread_id: str, last: int | None = None
    ) -> list[Stretch]:
        """Return a chat's episodes, or its `last` ones, in order of time."""
        ...

    async def keep(self, tenant: str, thread_id: str, version: int, rewrite: Rewrite) -> bool:
        """Keep what was made of a look; False, and nothing is kept, where that is outdated."""
        ...

    async def of_chat(self, tenant: str, thread_id: str, limit: int) -> list[Episode]:
        """Return a chat's episodes, the latest first."""
        ...

    async def of_anchors(
        self,
        tenant: str,
        anchors: Sequence[str],
        limit: int,
        before: str | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Episode]:
        """Return the episodes of all chats whose memory belongs to these anchors, latest first.

        `before`: the uid of a message; only episodes that began before it. None are, of one that is
        gone. Only those that began from `since` on and before `until`, where they are given.
        """
        ...

    async def over(self, tenant: str, uids: Collection[str]) -> list[Episode]:
        """Return the episodes that begin with these messages, are over and have a summary.

        In the order of the messages given.
        """
        ...

    async def vector_sums(
        self, tenant: str, uids: Collection[str], embedder: str
    ) -> Mapping[str, bytes]:
        """Return, of episodes by their first messages, the sums of vectors by this embedder."""
        ...

    async def silent(self, tenant: str, since: datetime, limit: int) -> list[str]:
        """Return the threads whose open episode ended before a moment."""
        ...

    async def digests(self, tenant: str, thread_id: str) -> Mapping[Place, str]:
        """Return each settled message of a chat by its place, as `UID:CHANGES`."""
        ...
