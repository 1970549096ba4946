"""What stands behind the head of a WhatsApp line: who wrote it and what. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from channels.exports.whatsapp import wording
from channels.exports.whatsapp.dates import MARKS
from channels.text import MAX_NAME_LENGTH, clean_name, clean_text

MAX_TEXT_CHARS = 65_536
"""Of one message; what is longer is cut. Source: WhatsApp takes no longer message."""
OWN_MARK = "\u200e"
"""Stands before words that iOS's WhatsApp wrote itself."""
_MARKS = re.compile(f"[{MARKS}]+")
_UNKNOWN_CONTACT = re.compile(r"~\s*")


class Sender(NamedTuple):
    """Who wrote a message: the name to show, and the name as written, which tells apart."""

    name: str
    name_as_written: str


NOBODY = Sender("", "")


class Content(NamedTuple):
    """What a message says, once the app's own words are read."""

    text: str
    is_system: bool
    is_deleted: bool


@lru_cache(maxsize=4096)
def sender_of(written: str) -> Sender:
    """Return the sender of a name as it stands in the file.

    A `~` in front marks somebody outside the address book; it is not part of the name.
    """
    plain = clean_name(written)
    return Sender(_UNKNOWN_CONTACT.sub("", plain, count=1) if plain[:1] == "~" else plain, plain)


def split(rest: str) -> tuple[str, str]:
    """Split what follows a head into the sender's name as written and the text.

    Returns:
        An empty name for a line that nobody wrote.
    """
    name, colon, text = rest.partition(": ")
    if not colon or "\n" in name:
        # A text that begins with a line break leaves the name alone on its line.
        first, line_break, text = rest.partition("\n")
        name, colon, more = first.rstrip().partition(":")
        if not colon or more:
            return "", rest
        text = line_break + text
    if len(name) > MAX_NAME_LENGTH or not name.strip() or wording.quotes_a_colon(name):
        return "", rest
    return name, text


def without_marks(text: str) -> str:
    """Drop direction marks and what no store can keep."""
    return text if text.isascii() and "\0" not in text else clean_text(_MARKS.sub("", text))


def read(text: str, has_sender: bool) -> Content:
    """Read a whole message.

    Args:
        text: Behind the name, all its lines, direction marks still in it.
        has_sender: Whether a name stood before it.
    """
    plain = without_marks(text).strip()
    if not has_sender or not plain:
        return Content(plain, is_system=not has_sender, is_deleted=False)
    if not _may_be_the_apps(plain, text):
        return Content(plain, is_system=False, is_deleted=False)
    plain = wording.without_edited(plain)
    if not plain:
        return Content(plain, is_system=False, is_deleted=False)
    if len(plain) <= wording.LONGEST_NOTICE and wording.is_deleted(plain):
        return Content("", is_system=False, is_deleted=True)
    is_marked = OWN_MARK in text
    media = wording.media_in(plain, is_marked)
    if media is not None:
        return Content(media, is_system=False, is_deleted=False)
    is_notice = text.startswith(OWN_MARK) and wording.is_notice(plain)
    return Content(plain, is_system=is_notice, is_deleted=False)


def _may_be_the_apps(plain: str, text: str) -> bool:
    """Tell quickly whether the app may have written part of it: most messages are people's."""
    return OWN_MARK in text or len(plain) < 120 or plain[-1:] == ">" or "(" in plain[:260]
