"""Other names of the same value: short forms, spellings, plurals. Pure.

What is not sure to be the same stays apart: a nut is no nutmeg, York is not New York.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_LATIN_MARKS: Final = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_APOSTROPHES: Final = re.compile("['’ʼ`´]")
_WORD: Final = re.compile(r"\w+")
ARTICLES: Final = frozenset(
    """a an the my der die das ein eine el la los las un una o os as um uma le les une""".split()
)

PLACES: Final = frozenset({"home", "origin"})
PEOPLE: Final = frozenset(
    {"name", "spouse", "partner", "child", "parent", "sibling", "friend", "pet"}
)
_COUNTED: Final = frozenset(
    {"like", "dislike", "allergy", "avoid", "medical", "possession", "occupation"}
)
"""Keys of things, whose plural means the same."""

_TURNED: Final = re.compile(r"\s*([^(),]+?)\s*\(([^(),]+)\)\s*")
"""A thing with what kind of it behind: "designer (graphic)" is a graphic designer."""

# A short or foreign name, and what it stands for, both as they are cleaned here.
_OF_PLACES: Final[dict[str, str]] = {
    "nyc": "new york",
    "n y c": "new york",
    "new york city": "new york",
    "la": "los angeles",
    "l a": "los angeles",
    "sf": "san francisco",
    "philly": "philadelphia",
    "vegas": "las vegas",
    "washington dc": "washington d c",
    "uk": "united kingdom",
    "u k": "united kingdom",
    "us": "united states",
    "u s": "united states",
    "usa": "united states",
    "u s a": "united states",
    "united states of america": "united states",
    "munchen": "munich",
    "koln": "cologne",
    "wien": "vienna",
    "zuerich": "zurich",
    "lisboa": "lisbon",
    "roma": "rome",
    "milano": "milan",
    "moskau": "moscow",
    "москва": "moscow",
    "praha": "prague",
    "warszawa": "warsaw",
}
_OF_DIETS: Final[dict[str, str]] = {
    "veggie": "vegetarian",
    "vegetarier": "vegetarian",
    "vegetarierin": "vegetarian",
    "vegetarisch": "vegetarian",
    "vegetariano": "vegetarian",
    "vegetariana": "vegetarian",
    "plant based": "vegan",
    "pesce vegetarian": "pescatarian",
    "pescetarian": "pescatarian",
}
_OF_FIRMS: Final = frozenset("inc ltd llc gmbh corp corporation plc co limited".split())
_OF_ALLERGIES: Final = frozenset("allergy allergies intolerance intolerant allergic to".split())


@lru_cache(maxsize=8192)
def spelt_alike(key: str, value: str) -> tuple[str, ...]:
    """Return the words that all spellings of a value of this key have in common.

    Case, accents, apostrophes and a leading article never matter; neither do, for their keys, the
    plural of a thing, whether its kind stands before or behind it in brackets, a firm's legal form,
    and the short names of places and diets.
    """
    is_thing = key in _COUNTED or key.startswith(("favorite:", "preference:"))
    if is_thing and (turned := _TURNED.fullmatch(value)):
        value = " ".join((*cleaned(turned[2]), *cleaned(turned[1])))
    words = cleaned(value)
    if key == "phone":
        return ("".join(filter(str.isdigit, value)),)
    text = " ".join("saint" if word == "st" else word for word in words)
    if key in PLACES:
        text = _OF_PLACES.get(text, text)
    elif key == "diet":
        text = _OF_DIETS.get(text, text)
    words = text.split()
    if key == "employer":
        words = _without(words, _OF_FIRMS)
    elif key == "allergy":
        words = _without(words, _OF_ALLERGIES)
    if is_thing:
        words = [singular(word) for word in words]
    return tuple(words) or (value.casefold().strip(),)


def is_short_name(key: str, value: str) -> bool:
    """Tell whether a value is a short or foreign name of another one."""
    text = " ".join(cleaned(value))
    return text in (_OF_PLACES if key in PLACES else _OF_DIETS if key == "diet" else ())


def singular(word: str) -> str:
    """Return what an English word in lower case and its plural have in common."""
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    for ends, by in (("ies", "y"), ("ie", "y"), ("oes", "o"), ("oe", "o")):
        if word.endswith(ends):
            return word.removesuffix(ends) + by
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def cleaned(value: str) -> list[str]:
    """Return a value's words without case, accents, apostrophes and a leading article."""
    plain = unicodedata.normalize("NFKD", _APOSTROPHES.sub("", value.casefold()))
    words = _WORD.findall(unicodedata.normalize("NFC", _LATIN_MARKS.sub("", plain)))
    while len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    return words


def _without(words: Sequence[str], dropped: frozenset[str]) -> list[str]:
    return [word for word in words if word not in dropped] or list(words)
