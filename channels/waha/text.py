"""What a WhatsApp message says: its text, or a placeholder for what came instead. Pure."""

from __future__ import annotations

from channels.text import clean_text
from channels.waha import engine_data
from channels.waha.payload import Media, MessagePayload

_JPEG_THUMBNAIL = "/9j/"
_VCARD = "BEGIN:VCARD"


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
