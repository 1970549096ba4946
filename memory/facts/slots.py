"""Which values are the same, which exclude each other, and which ones a retraction means. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.facts.predicates import predicate

ANY_VALUE: Final = "*"

# Tastes are retracted word for word: who dislikes tea may still like green tea.
_EXACT_RETRACTIONS = frozenset({"like", "dislike", "avoid", "allergy", "language"})
_ARTICLES = frozenset(
    """a an the my der die das ein eine el la los las un una o os as um uma le les une""".split()
)
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
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return tuple(words) or (value.casefold().strip(),)


def slot_of(key: str, value: str) -> Slot:
    """Return the slot of a value: named diets that exclude each other share one."""
    known = predicate(key)
    if known is not None and not known.accumulates:
        return (key,)
    if key == "diet" and _regime(value) is not None:
        return (key, "")
    return (key, *words_of(value))


def is_meant(key: str, retracted: str, held: str) -> bool:
    """Tell whether the end of one value is the end of another one of the same key."""
    if retracted == ANY_VALUE or words_of(retracted) == words_of(held):
        return True
    if key == "diet" and _regime(held) is not None:
        return _regime(held) == _regime(retracted)
    gone, kept = _stems(retracted), _stems(held)
    return gone == kept if key in _EXACT_RETRACTIONS else set(gone) <= set(kept)


def _stems(value: str) -> list[str]:
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words_of(value)]


def _regime(value: str) -> int | None:
    folded = value.casefold()
    for number, stems in enumerate(_REGIMES):
        if folded.startswith(stems):
            return number
    return None
