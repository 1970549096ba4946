"""What is open between people, as it is kept and shown (T1). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

LoopKind = Literal["promise", "request", "question", "date"]
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """Something a message left open: who has to act, by which day, and how sure it is still open.

    `text` is the sentence. `confidence` (0 to 1) only falls, with what is said later. `number` is
    the message's place in its chat from 0; `replies` counts what others said since. `vector` is
    the sentence's.
    """

    uid: str
    kind: LoopKind
    speaker: str
    by: str
    text: str
    at: datetime
    due: date | None
    confidence: float
    number: int
    vector: Vector
    replies: int = 0
    changes: int = 0


@dataclass(frozen=True, slots=True)
class Loop:
    """Something a message left open.

    `speaker` said it, `by` has to act; `contact_id` is whom the chat, or in a group the message, is
    with. `said_at` is in the zone of whoever said it, `due` a day there. `confidence` (0 to 1): how
    sure it is that it is still open.
    """

    uid: str
    kind: LoopKind
    thread_id: str
    anchor: str
    contact_id: str
    speaker: str
    by: str
    text: str
    said_at: datetime
    due: date | None
    confidence: float

    def mark(self, now: datetime) -> str:
        """Return `overdue`, `due` (today, where it was said) or nothing."""
        today = now.astimezone(self.said_at.tzinfo).date()
        if self.due is None or self.due > today:
            return ""
        return "due" if self.due == today else "overdue"


def loop_to_json(loop: Loop, now: datetime) -> dict[str, Any]:  # Any: JSON
    """Return a loop as the API and the command line show it; `due_mark` is for the owner."""
    return {
        "message": loop.uid,
        "kind": loop.kind,
        "chat": loop.thread_id,
        "contact_id": loop.contact_id,
        "said_by": loop.speaker,
        "by": loop.by,
        "text": loop.text,
        "since": loop.said_at.isoformat(),
        "due": loop.due.isoformat() if loop.due else None,
        "due_mark": loop.mark(now),
        "confidence": round(loop.confidence, 3),
    }
