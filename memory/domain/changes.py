"""What becomes known late: edits, revokes, and what could not be read. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.domain.chats import ChatRef

ChangeKind = Literal["edit", "revoke"]


@dataclass(frozen=True, slots=True)
class Change:
    """An edit or a revoke of an earlier message (X1).

    `message_id` is its target, `action_id` the change's own id: a redelivery has the same one.
    `author_ids` are all known ids of who made it; `from_me` says that our own account did.
    """

    chat: ChatRef
    message_id: str
    kind: ChangeKind
    action_id: str
    text: str
    author_ids: tuple[str, ...]
    from_me: bool
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Revision:
    """What a message said before one change, in order of arrival from 1."""

    number: int
    kind: ChangeKind
    text_before: str
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class RawEvent:
    """An authentic webhook that could not be read: `size` in bytes, delivered `times` times."""

    event_id: str
    tenant: str
    channel: str
    account: str
    received_at: datetime
    reason: str
    size: int
    times: int
