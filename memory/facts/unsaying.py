"""What is left of a message when something that it told is forgotten. Pure.

Gone are the sentences that hold the value, and those that name its kind: after “My dog is Rex” is
taken back, “I have a dog” would still tell it. What is left of other things stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memory.facts.meant import names_kind
from memory.text.excerpts import sentences

_WORD: Final = re.compile(r"\w")


class Stated(NamedTuple):
    """What a message tells: a key and its value, and where the value stands, if that is known."""

    key: str
    value: str
    span: tuple[int, int] | None = None


def left_of(said: str, shown: str, gone: Sequence[Stated], staying: Iterable[Stated] = ()) -> str:
    """Return what a message may still show; nothing where no words are left of it.

    Args:
        said: All that it says.
        shown: What it shows as yet, where something was taken back before; else the same.
        gone: What is taken back. Where nobody knows how the message says it, all of it goes.
        staying: What it tells besides.
    """
    parts = sentences(said)
    as_yet = {part.strip() for part in sentences(shown)}
    held = [_holding(parts, each) for each in gone]
    if not all(held):
        return ""
    at = set[int]().union(*held)
    others = set[int]().union(*(_holding(parts, each) for each in staying))
    at |= {
        number
        for number, part in enumerate(parts)
        if number not in others and any(names_kind(each.key, part) for each in gone)
    }
    left = "".join(
        part for number, part in enumerate(parts) if number not in at and part.strip() in as_yet
    ).strip()
    return left if _WORD.search(left) else ""


def holds(text: str, value: str) -> bool:
    """Tell whether a text has a value, as words of its own."""
    return bool(_pattern(value).search(text)) if value.strip() else False


def _holding(parts: Sequence[str], stated: Stated) -> set[int]:
    """Return the numbers of the sentences in which a value stands."""
    found = {number for number, part in enumerate(parts) if holds(part, stated.value)}
    if stated.span is None:
        return found
    begin = 0
    for number, part in enumerate(parts):
        if begin < stated.span[1] and stated.span[0] < begin + len(part):
            found.add(number)
        begin += len(part)
    return found


def _pattern(value: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, value.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
