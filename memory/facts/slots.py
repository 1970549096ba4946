"""Which values are the same, which exclude each other, and which ones a retraction means. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory.facts.predicates import predicate
from memory.facts.spellings import (
    ARTICLES,
    PEOPLE,
    PLACES,
    cleaned,
    is_short_name,
    singular,
    spelt_alike,
)

ANY_VALUE: Final = "*"

# Tastes and places are retracted as a whole: who dislikes tea may still like green tea, and who
# left York may live in New York.
_EXACT_RETRACTIONS = frozenset({"like", "dislike", "avoid", "allergy", "language"}) | PLACES
_REGIMES = (
    ("vegan", "végan", "веган"),
    ("vegetar", "végétar", "veggie", "вегетариан"),
    ("pescatar", "pescetar", "pesketar", "pescetár", "пескетариан"),
    ("eats everything", "eat everything", "everything", "omnivor", "meat eater", "всеяд"),
)

Slot = tuple[str, ...]
"""What can hold one value at a time: the key, or the key and what tells its values apart."""


@lru_cache(maxsize=8192)
def words_of(value: str) -> tuple[str, ...]:
    """Return what tells a value from others: its words without a leading article.

    Values without words, an emoji say, are told apart as they are written.
    """
    words = re.findall(r"\w+", value.casefold())
    while len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    return tuple(words) or (value.casefold().strip(),)


def overlap(one: str, other: str) -> bool:
    """Tell whether one of two values has all words of the other."""
    left, right = set(words_of(one)), set(words_of(other))
    return left <= right or right <= left


def slot_of(key: str, value: str) -> Slot:
    """Return the slot of a value: named diets that exclude each other share one."""
    known = predicate(key)
    if known is not None and not known.accumulates:
        return (key,)
    if key == "diet" and _regime(value) is not None:
        return (key, "")
    return (key, *spelt_alike(key, value))


def is_same(key: str, one: str, other: str) -> bool:
    """Tell whether two values of a key name one thing, the one more fully than the other.

    Of people and animals the first name is enough, of places what stands before a comma.
    """
    if spelt_alike(key, one) == spelt_alike(key, other):
        return True
    if key in PLACES:
        return "," in one + other and _is_start(one.split(","), other.split(","), key)
    if key in PEOPLE:
        short, long = sorted((cleaned(one), cleaned(other)), key=len)
        return bool(short) and short == long[: len(short)]
    return False


def is_fuller(key: str, one: str, other: str) -> bool:
    """Tell whether the first of two names of one thing says more."""
    return _fullness(key, one) > _fullness(key, other)


def _fullness(key: str, value: str) -> tuple[bool, int]:
    return (not is_short_name(key, value), len(cleaned(value)))


def _is_start(one: Sequence[str], other: Sequence[str], key: str) -> bool:
    short, long = sorted((one, other), key=len)
    return all(
        spelt_alike(key, a) == spelt_alike(key, b) for a, b in zip(short, long, strict=False)
    )


def is_meant(key: str, retracted: str, held: str) -> bool:
    """Tell whether the end of one value is the end of another one of the same key."""
    if retracted == ANY_VALUE or is_same(key, retracted, held):
        return True
    if key == "diet" and _regime(held) is not None:
        return _regime(held) == _regime(retracted)
    if key in _EXACT_RETRACTIONS:
        return False
    return {singular(word) for word in cleaned(retracted)} <= {
        singular(word) for word in cleaned(held)
    }


def _regime(value: str) -> int | None:
    folded = value.casefold()
    for number, stems in enumerate(_REGIMES):
        if folded.startswith(stems):
            return number
    return None
