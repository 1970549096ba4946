"""Who said what where: chats, actors, messages and the ids they go by. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from uuid import UUID, uuid5

from memory.domain.channels import traits_of

_NAMESPACE = UUID("6f0b7c1e-4f0e-5b59-9d0c-1c7f7b1d2a10")

STUDIO = ("web", "studio")
"""Channel and account of what a LangGraph server runs; a chat is called as its thread there."""

READ_CHARS = 65_536
"""Characters of one text that the indexes see. The ledger keeps all of it, however long it is."""


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
        return _derived((self.tenant, self.channel, self.account, self.chat_id, self.topic))

    @property
    def group_anchor(self) -> str:
        """What is said in this chat belongs to this anchor, if it is a group."""
        return f"group:{self.channel}:{self.account}:{self.chat_id}"


def local_contact(name: str) -> str:
    """Return the contact id of a person at this machine: in the terminal, the page or Studio."""
    return f"web:{name}"


def contact_named(name: str) -> str:
    """Return a contact's id: one of a channel is named with it, others sit at this machine."""
    return name if ":" in name else local_contact(name)


def message_uid(chat: ChatRef, message_id: str) -> str:
    """Return the stable key of a message (N1): over tenant, channel, account, chat and id.

    Never over the topic, which not every event of a message names; over the chat only where ids
    are unique within a chat alone.
    """
    scope = "" if traits_of(chat.channel).has_account_ids else chat.chat_id
    return _derived(("message", chat.tenant, chat.channel, chat.account, scope, message_id))


@lru_cache(maxsize=8_192)  # a turn asks for the ids of its forty messages five times over
def _derived(parts: tuple[str, ...]) -> str:
    return str(uuid5(_NAMESPACE, "\x1f".join(parts)))


def is_uid(text: str) -> bool:
    """Tell whether a text can be a message's uid."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True


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

    `is_command`, `withheld` and `teaches` are decided once, when the message comes in
    (`transcript.intake`): a command is carried out by code, or refused; what is withheld enters no
    prompt, no search and no lesson, whatever happens to it later; what does not teach is no source
    of facts.
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
    is_command: bool = False
    withheld: bool = False
    teaches: bool = True

    @property
    def uid(self) -> str:
        """Stable key over tenant, channel, account, chat and message id (N1)."""
        return self.key or message_uid(self.chat, self.message_id)

    @property
    def awaits_turn(self) -> bool:
        """Whether a turn has to look at it: a contact's message, or the owner's command."""
        return self.actor is Actor.CONTACT or (self.actor is Actor.OWNER and self.is_command)

    @property
    def may_instruct(self) -> bool:
        """Whether the sender may command the agent."""
        return self.is_owner or self.actor is Actor.OWNER

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
    `said`: all that it said, where somebody had a part of that forgotten; else None.
    """

    message: Message
    seq: int
    position: int
    arrived_at: datetime
    turn_id: str | None = None
    edited_at: datetime | None = None
    revoked_at: datetime | None = None
    changes: int = 0
    said: str | None = None

    @property
    def uid(self) -> str:
        """The message's stable key."""
        return self.message.uid

    @property
    def in_full(self) -> Message:
        """The message with what was forgotten of it: for the transcript, and facts that stay."""
        return self.message if self.said is None else replace(self.message, text=self.said)

    @property
    def withheld(self) -> bool:
        """Whether it enters no prompt, no search and no lesson."""
        return self.message.withheld


@dataclass(frozen=True, slots=True)
class Recorded:
    """Outcome of recording one message: its place in the ledger and whether it was new."""

    uid: str
    seq: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ids of one person on one channel: a hidden one and the one that stands for both."""

    tenant: str
    channel: str
    account: str
    alias: str
    canonical: str
