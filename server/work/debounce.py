"""When a sender's messages become a turn (N3): times come in, seconds go out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory.domain.chats import ChatRef
from memory.domain.work import Waiting

if TYPE_CHECKING:
    from graph.stores import Stores


@dataclass(frozen=True, slots=True)
class Debounce:
    """How long to wait for more of the same sender, milliseconds.

    A turn starts `quiet_ms` after the last message, and `longest_ms` after the first at the latest.
    """

    quiet_ms: int
    longest_ms: int

    def wait_s(self, waiting: Waiting, now: datetime) -> float:
        """Return how many seconds are left until a turn starts; 0 when it is due.

        An owner's command does not wait. Neither does what seems to arrive further in the future
        than anything waits: then a clock was put back, or another machine's is ahead.
        """
        since_last = (now - waiting.last_at).total_seconds()
        since_first = (now - waiting.first_at).total_seconds()
        left = min(self.quiet_ms / 1000 - since_last, self.longest_ms / 1000 - since_first)
        is_clock_wrong = -since_last > self.longest_ms / 1000
        return 0.0 if waiting.is_command or is_clock_wrong else max(left, 0.0)


async def debounce_for(stores: Stores, chat: ChatRef) -> Debounce:
    """Return how a chat is debounced, as its policy says."""
    policy = await stores.memory.policies.resolve(chat)
    return Debounce(policy.debounce_ms, policy.debounce_max_ms)
