"""What is left open between people, and what of a chat it is read from (T1). Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from memory.domain.open_loops import LoopKind, OpenLoop, Vector

__all__ = ["AGENT", "KINDS", "LoopKind", "OpenLoop", "Said", "Vector"]

KINDS: Final[tuple[LoopKind, ...]] = ("promise", "request", "question", "date")
AGENT: Final = "assistant"
"""Who has to act where it is the agent."""


class Said(NamedTuple):
    """A message of a chat, in the order of time; `at` is in the zone of whoever the chat is with.

    `speaker` tells people apart and is shown; the agent's is `AGENT`. `changes`: how often it was
    edited.
    """

    uid: str
    speaker: str
    text: str
    at: datetime
    changes: int = 0

    @property
    def is_agent(self) -> bool:
        """Whether the agent said it."""
        return self.speaker == AGENT
