"""Where a text may be cut so that a reader minds least. Pure."""

from __future__ import annotations

import re
import unicodedata

_MIN_FILL = 4
"""A border counts when what precedes it fills at least 1/4 of the room. By choice."""
_MAX_CLUSTER = 64
"""Code points that are looked back over for the start of a character as it is seen. Family emoji
take 11; only hostile text takes more. By choice."""

_SENTENCE = re.compile(r"(?:[.!?…][\"'”’»)\]*_]*(?=\s)|[。！？][」』”’）]*)")
_SPACE = re.compile(r"\s")
_ZWJ = "\u200d"


def text_cut(text: str, end: int) -> int:
    """Return where to cut a text of which at most `end` characters fit: 1 to `end`.

    After a paragraph, else a line, else a sentence, else a word, else between two characters as
    they are seen.

    Args:
        text: The text; longer than `end`.
        end: Characters that fit, at least 1.
    """
    floor = max(1, end // _MIN_FILL)
    for border in ("\n\n", "\n"):
        if (at := text.rfind(border, floor, end + len(border))) > 0:
            return at
    sentences = [found.end() for found in _SENTENCE.finditer(text, 0, end + 1)]
    if (at := max((at for at in sentences if at <= end), default=0)) >= floor:
        return at
    for at in range(end, 0, -1):
        if _SPACE.match(text, at) and text[:at].strip():
            return at
    return hard_cut(text, end)


def line_cut(text: str, end: int) -> int:
    """Return where to cut code: at the last line break that fits, else between characters."""
    at = text.rfind("\n", 1, end + 1)
    return at if at > 0 else hard_cut(text, end)


def hard_cut(text: str, end: int) -> int:
    """Return the last place up to `end` that splits no accent, flag or joined emoji."""
    for at in range(end, max(0, end - _MAX_CLUSTER), -1):
        if not _joins(text, at):
            return at
    return end


def _joins(text: str, at: int) -> bool:
    """Whether the characters before and after a place make one."""
    if at >= len(text):
        return False
    after, before = text[at], text[at - 1]
    if _is_flag_letter(after) and _is_flag_letter(before):
        run = at
        while run and _is_flag_letter(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    return (
        before == _ZWJ
        or after == _ZWJ
        or unicodedata.category(after) in ("Mn", "Mc", "Me")
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U000e0020" <= after <= "\U000e007f"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
