"""What one message of a Telegram export says. Pure.

Source: https://core.telegram.org/import-export and Telegram Desktop's `export_output_json.cpp`.
"""

from __future__ import annotations

from typing import Any

from channels.text import clean_name, clean_text, safe_word

Message = dict[str, Any]  # as it came: read field by field, since versions differ

_KINDS = {
    "sticker": "[Sticker]",
    "voice_message": "[Voice Message]",
    "video_message": "[Video]",
    "video_file": "[Video]",
    "audio_file": "[Audio]",
    "animation": "[Animation]",
}
# In this order: a venue has both a place and a location.
_FIELDS = {
    "photo": "[Image]",
    "contact_information": "[Contact Card]",
    "place_name": "[Location]",
    "location_information": "[Location]",
    "poll": "[Poll]",
    "todo_list": "[Checklist]",
    "game_title": "[Game]",
    "invoice_information": "[Invoice]",
    "giveaway_information": "[Giveaway]",
    "paid_stars_amount": "[Media]",
    "file": "[Document]",
}
_NAMED = ("[Document]", "[Audio]", "[Video]", "[Image]")
_LISTED = 10
"""Names that a service line repeats, at most."""


def content_of(message: Message) -> str:
    """Return the text, after a placeholder for what came with it."""
    text = text_of(message.get("text")) or text_of(message.get("text_entities"))
    placeholder = _placeholder(message)
    if not placeholder:
        return text
    detail = _detail(placeholder, message)
    first = f"{placeholder} {detail}" if detail else placeholder
    return f"{first}\n{text}" if text else first


def text_of(value: object) -> str:
    """Join a text, which comes as a string, or as a list of strings and entities."""
    if isinstance(value, list):
        value = "".join(_part(part) for part in value)
    return clean_text(value).strip() if isinstance(value, str) else ""


def service_line(message: Message) -> str:
    """Return a line for what happened in a chat, like `Anna [invite members: Ben, Carla]`."""
    action = safe_word(str(message.get("action") or "")).replace("_", " ")
    members = message.get("members")
    listed = members if isinstance(members, list) else []
    details = [clean_name(name) for name in listed if isinstance(name, str)]
    title = message.get("title") or message.get("new_title")
    if isinstance(title, str):
        details.insert(0, clean_name(title))
    what = f"[{action}: {', '.join(details[:_LISTED])}]" if details else f"[{action}]"
    actor = message.get("actor")
    return f"{clean_name(actor)} {what}" if isinstance(actor, str) and actor else what


def _part(part: object) -> str:
    if isinstance(part, dict):
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _placeholder(message: Message) -> str:
    kind = message.get("media_type")
    if kind is not None:
        return _KINDS.get(kind, "[Media]") if isinstance(kind, str) else "[Media]"
    found = next((name for field, name in _FIELDS.items() if message.get(field) is not None), "")
    if found == "[Document]" and str(message.get("mime_type")).startswith("image/"):
        return "[Image]"
    return found


def _detail(placeholder: str, message: Message) -> str:
    """Return what tells one such thing from another: a file's name, a question, a place."""
    parts: tuple[object, ...] = ()
    if placeholder == "[Sticker]":
        parts = (message.get("sticker_emoji"),)
    elif placeholder == "[Contact Card]":
        contact = message["contact_information"]
        if isinstance(contact, dict):
            parts = (contact.get("first_name"), contact.get("last_name"))
    elif placeholder == "[Poll]" and isinstance(message["poll"], dict):
        parts = (text_of(message["poll"].get("question")),)
    elif placeholder == "[Location]":
        parts = (message.get("place_name"), message.get("address"))
    elif placeholder == "[Game]":
        parts = (message.get("game_title"),)
    elif placeholder == "[Audio]" and message.get("title"):
        parts = (message.get("performer"), message.get("title"))
    elif placeholder in _NAMED:
        parts = (_file_name(message),)
    return clean_name(" ".join(part for part in parts if isinstance(part, str)))


def _file_name(message: Message) -> str:
    """Return the name a sender gave; Telegram's own names of photos and videos say nothing."""
    name = message.get("file_name")
    if isinstance(name, str):
        return name
    path = message.get("file")
    is_own = message.get("media_type") is None and isinstance(path, str) and "/" in path
    return str(path).rpartition("/")[2] if is_own else ""
