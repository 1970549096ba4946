"""What is left of a message when something that it told is forgotten. Pure.

Gone are the sentences that hold the value, and those that name its kind: after “My dog is Rex” is
taken back, “I have a dog” would still tell it. What is left of other things stays. Of a sentence
that tells something else, too, only the clause goes, where both stand alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memory.facts.meant import names_kind
from memory.text.clauses import clauses, end_of, standing_alone
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
    stays = list(staying)
    as_yet = {_plain(clause) for part in sentences(shown) for clause in clauses(part)}
    held = [_holding(parts, each) for each in gone]
    if not all(held):
        return ""
    at = set[int]().union(*held)
    others = set[int]().union(*(_holding(parts, each) for each in stays))
    named = {
        number
        for number, part in enumerate(parts)
        if number not in others and any(names_kind(each.key, part) for each in gone)
    }
    left, begin = "", 0
    for number, part in enumerate(parts):
        if number in at:
            kept = _clauses_left(part, begin, gone, stays)
        else:
            kept = [] if number in named else clauses(part)
        left += _joined([each for each in kept if _plain(each) in as_yet], part)
        begin += len(part)
    return left.strip() if _WORD.search(left) else ""


def _clauses_left(
    part: str, begin: int, gone: Sequence[Stated], staying: Sequence[Stated]
) -> list[str]:
    """Return the clauses of a sentence that tell what stays, and nothing of what is gone."""
    cut = clauses(part)
    if len(cut) == 1:
        return []
    here = [_within(each, begin, len(part)) for each in gone]
    told = [_holding(cut, each) for each in here]
    # A value that no clause holds alone stands in several: which, nobody knows.
    if any(holds(part, each.value) and not held for each, held in zip(here, told, strict=True)):
        return []
    others = set[int]().union(*(_holding(cut, _within(each, begin, len(part))) for each in staying))
    at = others - set[int]().union(*told)
    return [clause for number, clause in enumerate(cut) if number in at]


def _within(stated: Stated, begin: int, length: int) -> Stated:
    """Return what is told with its place in a sentence that begins there; none outside of it."""
    if stated.span is None or stated.span[1] <= begin or begin + length <= stated.span[0]:
        return stated._replace(span=None)
    return stated._replace(span=(stated.span[0] - begin, stated.span[1] - begin))


def _joined(kept: Sequence[str], sentence: str) -> str:
    """Return what is left of a sentence as one, with its end; whole where all of it is."""
    if not kept or "".join(kept) == sentence:
        return "".join(kept)
    first, *rest = kept
    begun = standing_alone(first)
    body = begun[:1].upper() + begun[1:] + "".join(each.rstrip(".!… \n") for each in rest)
    return body + (end_of(sentence) or " ")


def _plain(clause: str) -> str:
    return standing_alone(clause).casefold()


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
