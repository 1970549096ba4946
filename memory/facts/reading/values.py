"""A marked value as it is kept: without what belongs to the sentence; and whether it can be one."""

from __future__ import annotations

import re
from typing import Final

MAX_VALUE: Final = 80
MAX_STANDING: Final = 240
MAX_AGE: Final = 120
MAX_NAME_WORDS: Final = 6

_ARTICLES: Final = re.compile(
    r"(?:an?|the|my|our|some|ein(?:e[nmrs]?)?|der|die|das|den|dem|mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?"
    r"|una?|el|la|los|las|mi|mis|um|uma|o|os|as|meus?|minhas?|nosso|nossa)\s+(?=\S)",
    re.IGNORECASE,
)
_EDGES: Final = " \t\r\n.,;:!?\"'“”‘’«»()[]{}<>*_~`-–—…"
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_KEPT_ARTICLE: Final = frozenset({"name", "preferred_name", "employer", "school", "standing"})
_NUMBER: Final = re.compile(r"\d+")


def value_of(key: str, text: str) -> str:
    """Return a marked text as a value of a key; empty where it cannot be one."""
    value = " ".join(text.split()).strip(_EDGES)
    if key not in _KEPT_ARTICLE:
        value = _ARTICLES.sub("", value, count=1) if _ARTICLES.match(value) else value
    if len(value) > (MAX_STANDING if key == "standing" else MAX_VALUE):
        return ""
    return value if _may_be(key, value) else ""


def _may_be(key: str, value: str) -> bool:
    letters = sum(letter.isalpha() for letter in value)
    digits = _NUMBER.findall(value)
    match key:
        case "age":
            return not digits or (len(digits) == 1 and 0 < int(digits[0][:9]) <= MAX_AGE)
        case "email":
            return bool(_EMAIL.fullmatch(value))
        case "phone":
            return sum(len(run) for run in digits) >= 6
        case "name" | "preferred_name":
            is_word = letters >= 1 and not digits and not value.startswith("/")
            return is_word and value.count(" ") < MAX_NAME_WORDS
        case "birthday" | "budget" | "availability":
            return bool(value)
        case _:
            return letters >= 1 or len(value) == 1
