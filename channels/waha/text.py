"""What a WhatsApp message says: its text, or a placeholder for what came instead. Pure."""

from __future__ import annotations

import re

from channels.waha import engine_data
from channels.waha.payload import Media, MessagePayload

MAX_NAME_LENGTH = 100
"""Characters of a sender's name that are kept; WhatsApp allows 25."""

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
_JPEG_THUMBNAIL = "/9j/"
_VCARD = "BEGIN:VCARD"


def clean_text(text: str) -> str:
    """Replace what Postgres cannot store (NUL, half a surrogate pair) by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def clean_name(name: str) -> str:
    """Make a name one plain line: control and direction characters become a space."""
    return " ".join(clean_text(_CONTROL.sub(" ", name)).split())[:MAX_NAME_LENGTH]


def text_of(payload: MessagePayload) -> str:
    """Return what was written, else a placeholder for what came instead, else nothing."""
    body = clean_text(payload.body or "")
    # WEBJS puts a thumbnail or the card itself into the body.
    is_content = body.startswith(_VCARD) or (
        bool(payload.location) and body.startswith(_JPEG_THUMBNAIL)
    )
    if body.strip() and not is_content:
        return body
    if payload.location:
        return "[Location]"
    if payload.cards or body.startswith(_VCARD):
        return "[Contact Card]"
    named = engine_data.placeholder(payload.data)
    if named:
        return named
    return media_placeholder(payload.media) if payload.media or payload.has_media else ""


def media_placeholder(media: Media | None) -> str:
    """Name a file by its type; `[Media]` when even that is unknown."""
    mimetype = ((media.mimetype if media else "") or "").lower()
    if mimetype.startswith("image/webp"):
        return "[Sticker]"
    kinds = {"image": "[Image]", "audio": "[Voice Message]", "video": "[Video]"}
    fallback = "[Document]" if mimetype or (media and media.filename) else "[Media]"
    return kinds.get(mimetype.partition("/")[0], fallback)
