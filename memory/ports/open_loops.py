"""The port of what is open in chats: how far each was read, what was found, what is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from memory.domain.chats import StoredMessage
from memory.domain.open_loops import Loop, OpenLoop


class Reach(NamedTuple):
    """The last message of a chat that was read: when it was sent, and its place of arrival."""

    at: datetime
    seq: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Where a chat stands, and what came since, in the order of time.

    `version` rises with whatever is said. `is_stale`: something read before is not so any more.
    `tracker` is JSON; None where nothing was read.
    """

    version: int
    made_by: str
    is_stale: bool
    reached: Reach | None
    tracker: Mapping[str, Any] | None
    loops: Sequence[OpenLoop]
    said: Sequence[StoredMessage]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is to be kept of a chat: all of its loops, and how far it was read."""

    made_by: str
    reached: Reach | None
    tracker: Mapping[str, Any] | None
    loops: Sequence[OpenLoop]


class OpenLoops(Protocol):
    """Open loops of chats, beside the ledger; they go with their messages.

    Messages are those of contacts, the agent and the owner that are settled and not withheld.
    """

    async def read(
        self, tenant: str, thread_id: str, since: datetime, limit: int, *, anew: bool = False
    ) -> Reading | None:
        """Return where a chat stands, with at most the last `limit` messages sent after `since`.

        Those that were read are left out, unless it is read `anew`. None: there is no such chat.
        """
        ...

    async def keep(self, tenant: str, thread_id: str, version: int, kept: Kept) -> bool:
        """Keep what was made of a reading; False, and nothing is kept, where that is outdated."""
        ...

    async def listed(
        self,
        tenant: str,
        *,
        contact_id: str = "",
        thread_id: str = "",
        limit: int = 200,
    ) -> list[Loop]:
        """Return what is open, of one contact or in one chat where told, what is due first."""
        ...

    async def due(self, tenant: str, now: datetime) -> dict[str, int]:
        """Return by contact how much is due or overdue at a moment; who has nothing is left out.

        The day is that of whoever said it.
        """
        ...

    async def unsettled(
        self, tenant: str, thread_id: str, since: datetime
    ) -> tuple[int, set[str], bool]:
        """Return how many loops a chat has, whose messages changed, and if all is read.

        What was said before `since` need not be.
        """
        ...
