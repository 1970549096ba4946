"""The words every layer speaks: chats, messages, facts, hits and receipts.

Standard library only. Everything is immutable; times are timezone-aware UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID, uuid5

_NAMESPACE = UUID("6f0b7c1e-4f0e-5b59-9d0c-1c7f7b1d2a10")

Category = Literal["identity", "preference", "constraint", "instruction"]
FactStatus = Literal["active", "closed", "rejected"]
TurnState = Literal["running", "done", "failed"]
DeliveryStatus = Literal["queued", "sending", "sent", "unknown", "failed", "expired"]
ChangeKind = Literal["edit", "revoke"]


class Actor(StrEnum):
    """Who spoke. Only a contact is ever answered, embedded or a source of facts (W4, W7)."""

    CONTACT = "contact"
    AGENT = "agent"
    OWNER = "owner"
    AUTOMATION = "automation"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class ChatRef:
    """One conversation on one channel account of one tenant."""

    tenant: str
    channel: str
    account: str
    chat_id: str
    topic: str = ""

    @property
    def thread_id(self) -> str:
        """LangGraph thread of this chat: a UUID that every process derives alike."""
        parts = (self.tenant, self.channel, self.account, self.chat_id, self.topic)
        return str(uuid5(_NAMESPACE, "\x1f".join(parts)))

    @property
    def group_anchor(self) -> str:
        """What is said in this chat belongs to this anchor, if it is a group."""
        return f"group:{self.channel}:{self.account}:{self.chat_id}"


# Channels whose message ids are unique within an account. There one message may come under two
# ids of its chat (a hidden and a phone id), so that the chat is no part of the key.
IDS_OF_ACCOUNT = frozenset({"waha"})


def message_uid(chat: ChatRef, message_id: str) -> str:
    """Return the stable key of a message (N1): over tenant, channel, account, chat and id.

    Never over the topic, which not every event of a message names; over the chat only where ids
    are unique within a chat alone.
    """
    scope = "" if chat.channel in IDS_OF_ACCOUNT else chat.chat_id
    parts = ("message", chat.tenant, chat.channel, chat.account, scope, message_id)
    return str(uuid5(_NAMESPACE, "\x1f".join(parts)))


@dataclass(frozen=True, slots=True)
class Quote:
    """What a message replies to, as far as the channel told us."""

    message_id: str
    text: str = ""
    sender_id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat, whatever channel it came by (W1).

    `contact_id` is channel-qualified (`waha:4915@c.us`, `web:me`): the counterpart in a direct
    chat, the participant in a group; empty for what no contact is behind. `is_owner` marks who may
    command the agent: the owner typing on the phone, and a contact listed as the owner. `key` is
    the uid under which it was stored, where its chat got another id since; else empty.
    """

    chat: ChatRef
    message_id: str
    actor: Actor
    sender_id: str
    contact_id: str
    text: str
    sent_at: datetime
    sender_name: str = ""
    is_group: bool = False
    from_me: bool = False
    mentions_agent: bool = False
    replies_to_agent: bool = False
    forwarded: bool = False
    is_owner: bool = False
    quote: Quote | None = None
    key: str = ""

    @property
    def uid(self) -> str:
        """Stable key over tenant, channel, account, chat and message id (N1)."""
        return self.key or message_uid(self.chat, self.message_id)

    @property
    def awaits_turn(self) -> bool:
        """Whether a turn has to look at it: a contact's message, or the owner's command."""
        is_command = self.actor is Actor.OWNER and self.text.lstrip().startswith("/")
        return self.actor is Actor.CONTACT or is_command

    @property
    def anchor(self) -> str:
        """What this message's memory belongs to: the group in a group, else the contact (W1)."""
        if self.is_group:
            return self.chat.group_anchor
        return f"contact:{self.contact_id}"


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as the ledger holds it.

    `seq` grows with the order of arrival over all chats, `position` counts within the chat from 1;
    `arrived_at` is when we got it, which may be long after it was sent. `changes` counts the edits
    and the revoke that took effect; the message's text is the current one, empty once revoked.
    """

    message: Message
    seq: int
    position: int
    arrived_at: datetime
    turn_id: str | None = None
    edited_at: datetime | None = None
    revoked_at: datetime | None = None
    changes: int = 0

    @property
    def uid(self) -> str:
        """The message's stable key."""
        return self.message.uid


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


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ids of one person on one channel: a hidden one and the one that stands for both."""

    tenant: str
    channel: str
    account: str
    alias: str
    canonical: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """Outcome of recording one message: its place in the ledger and whether it was new."""

    uid: str
    seq: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """One candidate fact read from one message.

    `confidence` and `importance` lie in 0..1. `retracts` closes matching facts instead of adding
    one (value `*` closes any value of the key). `anchor` is where it was said (its audience).
    """

    category: Category
    key: str
    value: str
    confidence: float
    importance: float
    source_uid: str
    stated_at: datetime
    anchor: str
    retracts: bool = False


@dataclass(frozen=True, slots=True)
class ContactObservations:
    """What one message told about one contact."""

    contact_id: str
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about a contact, bi-temporal: valid in the world, recorded in the store."""

    fact_id: str
    tenant: str
    contact_id: str
    category: Category
    key: str
    value: str
    confidence: float
    importance: float
    source_uid: str
    anchor: str
    status: FactStatus
    valid_from: datetime
    valid_to: datetime | None
    recorded_from: datetime
    recorded_to: datetime | None


@dataclass(frozen=True, slots=True)
class VectorItem:
    """A vector to index: an id, where it belongs, and nothing of its text."""

    item_id: str
    anchor: str
    vector: tuple[float, ...]
    metadata: Mapping[str, str | int | float | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: its chat's thread, its position there, its time and its speaker."""

    uid: str
    thread_id: str
    position: int
    sent_at: datetime
    sender_name: str


@dataclass(frozen=True, slots=True)
class Audible:
    """Whether more was said where one asks, and the `further` anchors that one may hear, too."""

    has_others: bool
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result: an id and its raw score, higher is better."""

    item_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory that entered a prompt, with its score parts (X3)."""

    kind: Literal["fact", "message", "quote"]
    item_id: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one reply was based on. `nodes` is the path the turn took through the graph."""

    turn_id: str
    reply_uid: str
    query: str
    recalled: tuple[Recalled, ...]
    nodes: tuple[str, ...]
    model: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """One run of the graph over the messages that it claimed."""

    turn_id: str
    chat: ChatRef
    state: TurnState
    reason: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class AuditLine:
    """What was decided about a message or a reply, without its text (N7).

    `detail` names rules, never what anybody said. `thread_id` and `turn_id` are empty where there
    is none.
    """

    tenant: str
    thread_id: str
    turn_id: str
    kind: Literal["gate", "input", "output", "command", "delivery"]
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

    `part` counts from 0 within the reply. `missed_at` is when the chat was first looked up for an
    attempt of open outcome and it was not there.
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


@dataclass(frozen=True, slots=True)
class Sighting:
    """A message of ours with a delivery's words, as the channel shows it in the chat."""

    message_id: str
    at: datetime
