"""WhatsApp ids: one spelling for users, and the parts of WAHA's message ids. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from channels.errors import MalformedPayload

MAX_ID_LENGTH = 300
"""Characters. Four times the longest id seen; what is longer is no id but an attack on indexes."""

_DEVICE = re.compile(r"[.:]\d+(?:[.:]\d+)?$")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class MessageId:
    """The parts of `{fromMe}_{chat}_{bare}[_{participant}]`; `participant` may be empty.

    A note to oneself ends with `_in` or `_out` instead, which is not kept.
    """

    from_me: bool
    chat: str
    bare: str
    participant: str


def canonical_jid(value: str) -> str:
    """Return an id in one spelling: `@c.us` for users, no device suffix, no surrounding space.

    A bare phone number (`+4915...`) becomes a user. Anything without an `@` is left alone.
    """
    value = value.strip()
    user, at, server = value.rpartition("@")
    if not at:
        digits = value.removeprefix("+")
        return f"{digits}@c.us" if digits.isascii() and digits.isdigit() else value
    server = server.lower()
    if server == "s.whatsapp.net":
        server = "c.us"
    if server in {"c.us", "lid"}:
        user = _DEVICE.sub("", user) or user
    return f"{user}@{server}"


def parse_message_id(value: str, field: str) -> MessageId:
    """Split a serialized message id.

    Raises:
        MalformedPayload: It has not three or four parts, or a part cannot be what it should be.
    """
    check_id(value, field)
    parts = value.split("_")
    if len(parts) > 3 and parts[-1] in {"in", "out"}:
        parts.pop()
    if len(parts) not in {3, 4}:
        raise MalformedPayload(field, "is not {fromMe}_{chat}_{id}[_{participant}]")
    flag, chat, bare = parts[:3]
    participant = parts[3] if len(parts) == 4 else ""
    if flag not in {"true", "false"}:
        raise MalformedPayload(field, "does not start with true_ or false_")
    if not chat.rpartition("@")[0] or not bare:
        raise MalformedPayload(field, "lacks a chat or a message id")
    if participant and "@" not in participant:
        raise MalformedPayload(field, "ends with a participant that is no WhatsApp id")
    return MessageId(
        flag == "true", canonical_jid(chat), bare, canonical_jid(participant) if participant else ""
    )


def bare_message_id(value: str, field: str) -> str:
    """Return the bare id of a serialized or already bare message id.

    Raises:
        MalformedPayload: It is empty, too long or holds characters no id has.
    """
    check_id(value, field)
    return parse_message_id(value, field).bare if "@" in value else value


def told_message_id(value: str | None) -> str:
    """Return the bare id of a message that an event is about; empty where none can be read."""
    try:
        return bare_message_id(value or "", "id")
    except MalformedPayload:
        return ""


def check_id(value: str, field: str) -> str:
    """Return an id that is fit for a key.

    Raises:
        MalformedPayload: It is empty, too long or holds blanks, controls or half a character.
    """
    if not value:
        raise MalformedPayload(field, "is empty")
    if len(value) > MAX_ID_LENGTH:
        raise MalformedPayload(field, f"is longer than {MAX_ID_LENGTH} characters")
    if _UNPRINTABLE.search(value):
        raise MalformedPayload(field, "holds blanks or control characters")
    return value


def spellings(ids: Iterable[str], lids: Mapping[str, str]) -> frozenset[str]:
    """Return ids in one spelling, joined by their hidden or their phone form where `lids` has it.

    Args:
        ids: Ids in any spelling.
        lids: Hidden id (`@lid`) to phone id (`@c.us`), both canonical.
    """
    known = {canonical_jid(value) for value in ids if value}
    hidden = {lid for lid, phone in lids.items() if phone in known}
    phones = {lids[value] for value in known if value in lids}
    return frozenset(known | hidden | phones)
