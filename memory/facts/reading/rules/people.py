"""Whom the speaker lives with: spouse, partner, children, parents, siblings, friends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import I_AM, LOOSE, SURELY, Found, rule
from memory.facts.reading.rules.lexicon import DEMONYMS
from memory.facts.reading.rules.phrases import noun

_ROLES: Final = {
    "spouse": "wife|husband|spouse|hubby",
    "partner": "girlfriend|boyfriend|gf|bf|partner|fianc[ée]e?",
    "child": "son|daughter|kid|child|baby(?: girl| boy)?",
    "sibling": "brother|sister|twin(?: brother| sister)?|sis|bro",
    "parent": "mother|father|mum|mom|dad|mam|mama|papa",
    "friend": "friend|bestie|flatmate|roommate",
}
_OF_KEY: Final = {
    key: re.compile(
        rf"\b(?:my|our)\s+(?:(?P<age>best|good|close|old|older|younger|little|big|eldest|oldest|youngest|"
        rf"second|first|newborn)\s+)*(?P<role>{roles})\b"
        rf"(?P<named>'s name is\s+|,?\s+(?:is\s+)?(?:called|named)\s+|\s+is\s+(?=[A-ZÀ-Þ]\w+\s*$)|,?\s+(?=[A-ZÀ-Þ]))?",
    )
    for key, roles in _ROLES.items()
}
_NAME = re.compile(r"[A-ZÀ-Þ][\w'-]*[a-zß-ÿ][\w'-]*(?:\s+[A-ZÀ-Þ][\w'-]+)?")
# "My mom called the priest" names nobody.
_ARTICLE = re.compile(r"(?:an?|the|my|his|her|our|your|me|us|him|them|to|it|in)\b", re.IGNORECASE)
_MARRIED_TO = rule(rf"{I_AM}\s+married to\s+")
_MARITAL = rule(
    rf"{I_AM}{SURELY}\s+(?P<state>married|single|divorced|widowed|separated|engaged)(?=\s*(?:$|[^\w\s]|\b(?:and|now|but|since|with)\b))"
)
_GOT_MARRIED = rule(
    r"(?:(?:i|we)(?:'?ve| have)?\s+)?(?:(?:just|finally|recently)\s+)*got\s+(?P<state>married|divorced|engaged)\b"
)


def read(clause: Clause) -> Iterator[Found]:
    """Yield the people of the speaker's life."""
    yield from _relatives(clause)
    yield from _marriage(clause)


def _relatives(clause: Clause) -> Iterator[Found]:
    for key, pattern in _OF_KEY.items():
        for match in pattern.finditer(clause.own[:1].lower() + clause.own[1:]):
            name = _NAME.match(clause.own, match.end()) if match["named"] is not None else None
            explicit = match["named"] and re.search(r"called|named|name", match["named"])
            is_told = explicit and not _ARTICLE.match(clause.own, match.end())
            value = name.group() if name else noun(clause.own, match.end(), 2) if is_told else ""
            if value.casefold() in DEMONYMS:
                continue
            if (
                not value
                and key in {"child", "friend"}
                and (apposed := _apposed(clause, match.end()))
            ):
                value = apposed
            if value:
                yield Found(key, value)
            elif key == "sibling" and not match["named"]:
                yield Found(key, match["role"], LOOSE)


def _apposed(clause: Clause, end: int) -> str:
    match = re.compile(r"\s*,\s*(?P<name>[A-ZÀ-Þ][a-zß-ÿ'-]+)\s*(?:,|$)").match(clause.text, end)
    return match["name"] if match else ""


def _marriage(clause: Clause) -> Iterator[Found]:
    own = clause.own
    if (match := _MARRIED_TO.match(own)) and (name := _NAME.match(own, match.end())):
        yield Found("spouse", name.group())
        yield Found("marital_status", "married")
    elif match := _MARITAL.match(own) or _GOT_MARRIED.match(own):
        state = match["state"]
        yield Found("marital_status", state)
        if state.casefold() in {"single", "divorced", "widowed"}:
            yield Found("spouse", retracts=True)
            yield Found("partner", retracts=True)
