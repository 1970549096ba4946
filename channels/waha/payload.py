"""WAHA's webhooks as they come over the wire, typed at the edge.

Engines (WEBJS, NOWEB, GOWS) disagree about which fields exist, so almost everything is optional;
a field that exists must have a type some engine has been seen to send.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from channels.wire import LATEST_S, Wire
from channels.wire import parse_body as parse_body
from channels.wire import read as read

_MILLISECONDS_FROM = 1e11
"""Values from here on are milliseconds: as seconds they would lie beyond the year 5138."""


# Wire values are whatever JSON holds, hence Any in the validators below.
def _jid(value: Any) -> Any:
    """Accept `{_serialized}` and `{user, server}` where an id is expected."""
    if not isinstance(value, dict):
        return value
    if "_serialized" in value:
        return value["_serialized"]
    user, server = value.get("user"), value.get("server")
    if isinstance(user, str) and isinstance(server, str):
        return f"{user}@{server}"
    return value


def _seconds(value: Any) -> float | None:
    """Accept seconds or milliseconds as a number or a numeric string."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("is no number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ValueError("is no number") from None
    if not math.isfinite(number):
        raise ValueError("is no number")
    number = number / 1000 if number >= _MILLISECONDS_FROM else number
    if not 0 <= number <= LATEST_S:
        raise ValueError("is outside the years 1970 to 9999")
    return number


def _object(value: Any) -> Any:
    """Read raw engine data that is no object as none at all: its shape is nobody's contract."""
    return value if isinstance(value, dict) else {}


def _reply(value: Any) -> Any:
    """Accept a reply given as the bare id alone; empty means there is none."""
    if isinstance(value, str):
        return {"id": value} if value else None
    return value or None if isinstance(value, dict) else value


def _cards(value: Any) -> Any:
    """Count contact cards; their content is not read."""
    return len(value) if isinstance(value, list) else value


Jid = Annotated[str | None, BeforeValidator(_jid)]
Seconds = Annotated[float | None, BeforeValidator(_seconds)]
Raw = Annotated[dict[str, Any], BeforeValidator(_object)]


class Me(Wire):
    """Our own account, as far as the session is logged in."""

    id: Jid = None
    lid: Jid = None
    jid: Jid = None
    name: str | None = Field(default=None, alias="pushName")


class Envelope(Wire):
    """What surrounds every event. `timestamp` comes in milliseconds and is read as seconds."""

    event: str
    timestamp: Seconds = None
    me: Me | None = None
    payload: dict[str, Any]


class Media(Wire):
    """A file that came with a message. `url` is None when it was not downloaded."""

    url: str | None = None
    mimetype: str | None = None
    filename: str | None = None


class ReplyTo(Wire):
    """What a message replies to; every part may be absent."""

    id: Jid = None
    participant: Jid = None
    body: str | None = None
    media: Media | None = None
    data: Raw = Field(default_factory=dict, alias="_data")


class MessagePayload(Wire):
    """Payload of `message` and `message.any`."""

    id: Jid = None
    timestamp: Seconds = None
    from_me: bool | None = Field(default=None, alias="fromMe")
    source: str | None = None
    participant: Jid = None
    body: str | None = None
    has_media: bool | None = Field(default=None, alias="hasMedia")
    media: Media | None = None
    location: dict[str, Any] | None = None
    cards: Annotated[int | None, BeforeValidator(_cards)] = Field(default=None, alias="vCards")
    reply_to: Annotated[ReplyTo | None, BeforeValidator(_reply)] = Field(
        default=None, alias="replyTo"
    )
    data: Raw = Field(default_factory=dict, alias="_data")


class AckPayload(Wire):
    """Payload of `message.ack` and `message.ack.group`; GOWS leaves `ack` null."""

    id: Jid = None
    participant: Jid = None
    ack: int | None = None
    name: str | None = Field(default=None, alias="ackName")


class Reaction(Wire):
    """The reaction itself; empty text takes an earlier one back."""

    text: str | None = None
    message_id: Jid = Field(default=None, alias="messageId")


class ReactionPayload(Wire):
    """Payload of `message.reaction`."""

    id: Jid = None
    timestamp: Seconds = None
    from_me: bool | None = Field(default=None, alias="fromMe")
    participant: Jid = None
    reaction: Reaction = Field(default_factory=Reaction)


class EditPayload(Wire):
    """Payload of `message.edited`: `id` names the edit, not the message."""

    id: Jid = None
    edited_id: Jid = Field(default=None, alias="editedMessageId")
    from_me: bool | None = Field(default=None, alias="fromMe")
    participant: Jid = None
    timestamp: Seconds = None
    body: str | None = None


class RevokedBy(Wire):
    """The revoking action. Its other fields are not read."""

    id: Jid = None
    participant: Jid = None


class RevokePayload(Wire):
    """Payload of `message.revoked`."""

    after: RevokedBy | None = None
    before: RevokedBy | None = None
    revoked_id: Jid = Field(default=None, alias="revokedMessageId")


class Member(Wire):
    """One participant a group event is about."""

    id: Jid = None


class Group(Wire):
    """The group a group event is about."""

    id: Jid = None
    subject: str | None = None


class GroupPayload(Wire):
    """Payload of the `group.v2.*` events."""

    group: Group
    type: str | None = None
    timestamp: Seconds = None
    participants: tuple[Member, ...] | None = None


class CallPayload(Wire):
    """Payload of the `call.*` events."""

    id: str
    caller: Jid = Field(default=None, alias="from")
    timestamp: Seconds = None


class StatusPayload(Wire):
    """Payload of `session.status`."""

    status: str | None = None
