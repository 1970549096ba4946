"""What a channel's webhook can become besides a message."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.domain.chats import ChatRef, Message


@dataclass(frozen=True, slots=True)
class Ack:
    """How far a message of ours got. `level` is -1 (error) to 4 (played); None when not told."""

    chat: ChatRef
    message_id: str
    level: int | None
    name: str
    participant_id: str = ""


@dataclass(frozen=True, slots=True)
class SystemEvent:
    """Something that happened in a chat; `message` is its line for the transcript.

    `about`: the id of the message that it is about, where it is about one and names it.
    """

    event: str
    message: Message
    about: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A new text for an earlier message. `action_id` names the edit, `message_id` its target."""

    chat: ChatRef
    message_id: str
    action_id: str
    text: str
    sender_id: str
    from_me: bool
    edited_at: datetime | None


@dataclass(frozen=True, slots=True)
class Revoke:
    """An earlier message was deleted for everyone. `action_id` may equal `message_id`."""

    chat: ChatRef
    message_id: str
    action_id: str
    sender_id: str
    from_me: bool
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChatMoved:
    """A chat got another id, e.g. a Telegram group that became a supergroup."""

    old: ChatRef
    new: ChatRef


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to store. `reason` is fit for a log: it holds no text of anyone."""

    reason: str


Inbound = Message | Ack | SystemEvent | Edit | Revoke | ChatMoved | Ignored
