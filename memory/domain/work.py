"""What waits to be done: turns, chats with work, replies on their way out. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from memory.domain.breaker import Breaker
from memory.domain.chats import ChatRef, Message, StoredMessage

TurnState = Literal["running", "done", "failed"]


DeliveryStatus = Literal["queued", "sending", "sent", "unknown", "failed", "expired", "dismissed"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One run of the graph over the messages that it claimed."""

    turn_id: str
    chat: ChatRef
    state: TurnState
    reason: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Claim:
    """What a turn has claimed of its chat, and the chat's newest lines; each oldest first.

    `said` are the messages of the sender whom the turn is about, `along` those of others that it
    had claimed before it was interrupted; `window` has what a prompt may show.
    """

    said: tuple[StoredMessage, ...] = ()
    along: tuple[StoredMessage, ...] = ()
    window: tuple[StoredMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditLine:
    """What was decided about a message or a reply, without its text (N7).

    `detail` names rules, never what anybody said. `thread_id` and `turn_id` are empty where there
    is none.
    """

    tenant: str
    thread_id: str
    turn_id: str
    kind: Literal["gate", "input", "output", "command", "delivery", "memory"]
    outcome: str
    detail: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """What one sender of a chat has written that no turn has claimed yet.

    `newest` is the last message of it; `first_at` and `last_at` are times of arrival. `is_command`:
    an owner's command is among it.
    """

    newest: Message
    first_at: datetime
    last_at: datetime
    is_command: bool


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How many chats wait for a worker, now or later, and how many are being worked on."""

    waiting: int
    running: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """One text on its way to a channel: a reply, or a part of a long one, in the channel's markup.

    `part` counts from 0 within the turn. `missed_at` is when the chat was first looked up for an
    attempt of open outcome and it was not there. `account_failures` is how many attempts of its
    account had failed in a row when this one was begun.
    """

    delivery_id: str
    chat: ChatRef
    reply_uid: str
    text: str
    status: DeliveryStatus
    attempts: int
    created_at: datetime
    part: int = 0
    reply_to: str = ""
    sent_message_id: str = ""
    attempted_at: datetime | None = None
    missed_at: datetime | None = None
    account_failures: int = 0


def delivery_to_json(delivery: Delivery) -> dict[str, str | int | None]:
    """Return a delivery as a JSON object, without its text."""
    return {
        "delivery_id": delivery.delivery_id,
        "channel": delivery.chat.channel,
        "account": delivery.chat.account,
        "chat_id": delivery.chat.chat_id,
        "status": delivery.status,
        "attempts": delivery.attempts,
        "attempted_at": delivery.attempted_at.isoformat() if delivery.attempted_at else None,
    }


class AccountRef(NamedTuple):
    """One account of ours on a channel."""

    tenant: str
    channel: str
    account: str

    @classmethod
    def of(cls, chat: ChatRef) -> AccountRef:
        """Return the account that a chat is held on."""
        return cls(chat.tenant, chat.channel, chat.account)


@dataclass(frozen=True, slots=True)
class Room:
    """How many deliveries may be taken: in all, and of an account with those it has under way."""

    in_all: int = 1
    per_account: int = 1
    under_way: Mapping[AccountRef, int] = field(default_factory=dict)


ONE = Room()


@dataclass(frozen=True, slots=True)
class FailingAccount:
    """An account whose breaker is open, and how many of its deliveries wait."""

    account: AccountRef
    breaker: Breaker
    waiting: int


@dataclass(frozen=True, slots=True)
class Sighting:
    """A message of ours with a delivery's words, as the channel shows it in the chat."""

    message_id: str
    at: datetime
