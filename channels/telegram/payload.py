"""Telegram's updates as they come over the wire, typed at the edge.

Only what is read is typed; a field that exists must have the type the Bot API documents. What a
message carries besides text is told by which fields exist, so those are kept as they are.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from channels.wire import LATEST_S, Wire

# Strict: JSON has numbers and booleans of its own, so "7" or 1.0 is no id and 1 is no flag.
Id = Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
Seconds = Annotated[int, Field(strict=True, ge=0, le=LATEST_S)]
Units = Annotated[int, Field(strict=True, ge=0, lt=2**31)]
"""A place in a text, in UTF-16 code units."""
Flag = Annotated[bool, Field(strict=True)]


class Update(Wire):
    """What surrounds every event; its other key names the event."""

    update_id: Id


class User(Wire):
    """A person or a bot."""

    id: Id
    is_bot: Flag
    first_name: str = ""
    last_name: str | None = None
    username: str | None = None


class Chat(Wire):
    """A chat, or a chat in whose name someone posts."""

    id: Id
    type: Literal["private", "group", "supergroup", "channel"]
    title: str | None = None


class Entity(Wire):
    """A marked part of a text, e.g. a mention."""

    type: str
    offset: Units
    length: Units
    user: User | None = None


class TextQuote(Wire):
    """The part of a message that a reply picks out."""

    text: str


class Content(Wire):
    """What every message has, a replied one included; `raw` is all of it.

    One that the bot may not see any more has `date` 0 and nothing but its chat and id.
    """

    # No field may come in under the name it has here.
    model_config = ConfigDict(populate_by_name=False)

    message_id: Id
    chat: Chat
    date: Seconds
    sender: User | None = Field(default=None, alias="from")
    sender_chat: Chat | None = None
    text: str | None = None
    caption: str | None = None
    raw: dict[str, Any] = Field(exclude=True, repr=False)

    # Wire values are whatever JSON holds, hence Any.
    @model_validator(mode="before")
    @classmethod
    def _keep_raw(cls, value: Any) -> Any:
        return value | {"raw": value} if isinstance(value, dict) else value

    def has(self, field: str) -> bool:
        """Tell whether a field carries something. An empty object does: it marks an event."""
        return self.raw.get(field) not in (None, False, [])


class WireMessage(Content):
    """A message as far as it is read. A replied one tells of no reply of its own."""

    edit_date: Seconds | None = None
    message_thread_id: Id | None = None
    is_topic_message: Flag = False
    is_automatic_forward: Flag = False
    entities: tuple[Entity, ...] = ()
    caption_entities: tuple[Entity, ...] = ()
    reply_to_message: Content | None = None
    external_reply: dict[str, Any] | None = None
    quote: TextQuote | None = None
    migrate_to_chat_id: Id | None = None
    migrate_from_chat_id: Id | None = None


class Emoji(Wire):
    """A reaction; custom and paid ones have no character."""

    emoji: str | None = None


class Reaction(Wire):
    """Event `message_reaction`: what someone's reactions to a message were and are."""

    chat: Chat
    message_id: Id
    date: Seconds
    new_reaction: tuple[Emoji, ...]


class Member(Wire):
    """A member's standing, e.g. `administrator` or `kicked`."""

    status: str


class MemberChange(Wire):
    """Events `my_chat_member` and `chat_member`."""

    chat: Chat
    date: Seconds
    new_chat_member: Member


class Me(Wire):
    """The answer of `getMe`."""

    id: Id
    username: Annotated[str, Field(min_length=1)]
