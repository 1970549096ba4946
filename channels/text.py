"""Making what a channel brings fit to store and to log. Pure."""

from __future__ import annotations

import re

MAX_NAME_LENGTH = 100
"""Characters of a sender's name that are kept; WhatsApp allows 25, Telegram 64 for each of two."""

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


def clean_text(text: str) -> str:
    """Replace what Postgres cannot store (NUL, half a surrogate pair) by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: spaces, control and direction characters at most."""
    return not _CONTROL.sub(" ", text).strip()


def clean_name(name: str) -> str:
    """Make a name one plain line: control and direction characters become a space."""
    return " ".join(clean_text(_CONTROL.sub(" ", name)).split())[:MAX_NAME_LENGTH]


def safe_word(value: str | None) -> str:
    """Return a channel's keyword, made safe for a log line; `unknown` when it has none."""
    return re.sub(r"[^A-Za-z0-9._-]", "", value or "")[:60] or "unknown"
