"""Whose account a full export of Telegram Desktop is: the file begins with it."""

from __future__ import annotations

from pathlib import Path

import ijson
from ijson.common import JSONError

from channels.exports.files import reading
from channels.text import clean_name

_CHATS = ("chats", "left_chats", "messages")


def account_name(path: Path) -> str:
    """Return the display name of the account's owner; empty where the file does not tell.

    Only what stands before the chats is read: a single chat's export tells nothing there.

    Raises:
        ExportError: the file cannot be read.
    """
    names = {"first_name": "", "last_name": ""}
    with reading(path), path.open("rb") as file:
        try:
            for prefix, event, value in ijson.parse(file):
                if not prefix and event == "map_key" and value in _CHATS:
                    break
                parent, _, key = prefix.partition(".")
                if parent == "personal_information" and key in names and event == "string":
                    names[key] = value
        except (JSONError, ValueError):
            return ""
    return clean_name(f"{names['first_name']} {names['last_name']}".strip())
