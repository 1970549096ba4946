"""Which noun and which name a message says of one: `my wife [Priya]`, `[Bruno] is my dog`. Pure.

Only names that were read in the message are looked at, and only the words right beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.domain.chats import Message
from memory.domain.entities import NAMED
from memory.domain.readings import Reading, ThirdPartyClaim
from memory.facts.entities.nouns import WORD, plain_noun
from memory.facts.reading.holders import PEOPLE_KEYS, relation_of
from memory.facts.reading.values import MAX_STANDING
from memory.text.words import STOP_WORDS

MAX_NAMES: Final = 50
MAX_NAME: Final = 80
"""What is longer, in characters, is nobody's name."""
_REACH: Final = 40
"""So many characters beside a name may join it to its noun."""

_MY: Final = r"(?:my|our|mein\w*|unser\w*|mi|mis|nuestr[oa]|meu|minha|noss[oa]|мо(?:й|я|ё)|наша?)"
_JOINED: Final = (
    r"(?:'s|’s)?(?:\s+name)?\W{0,3}\s*(?:(?:is|was|ist|heißt|es|se llama|é|se chama|зовут)\s+)?"
    r"(?:(?:called|named|nicknamed)\s+)?\W{0,2}$"
)
_MINE: Final = r"(?:my|our|mis?|nuestr[oa]|meu|minha|noss[oa]|мо(?:й|я|ё)|наша?)"
_CALLED: Final = r"(?:,?\s+|\s+is\s+(?:called|named)\s+)"
_NAME: Final = r"(?P<name>[^\W\d_a-zа-я][^\W\d_]+(?:\s[^\W\d_a-zа-я][^\W\d_]+)?)"
_ANOTHERS: Final = re.compile(
    r"(?:\w['’]s|\b(?:his|her|their|your|sein\w*|ihr\w*|eur\w*|dein\w*|sus?|tus?|seus?|suas?"
    r"|его|её|их|тво[йяё]))\s+(?:(?!my\b|our\b)\w+\s+)?$",
    re.IGNORECASE,
)
# "My sister's husband Tom" is nobody's husband here: the noun must be the writer's own.
_BEFORE: Final = re.compile(
    rf"\b{_MY}\s+(?P<beside>(?:\w+\s+){{0,2}}?)(?P<noun>[^\W\d_]+){_JOINED}", re.IGNORECASE
)
# "I have a dog named Bruno": only of whom a fact makes the writer's own.
_OWN: Final = re.compile(
    r"\b(?:an?|one|ein\w*|una?|uma?)\s+(?P<beside>(?:\w+\s+){0,2}?)(?P<noun>[^\W\d_]+)\W{1,3}"
    r"(?:(?:who|that)\s+is\s+|(?:whose|his|her|its)\s+name\s+is\s+)?"
    r"(?:called|named|namens|llamad[oa]|chamad[oa])?\W{0,3}$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    rf"^\s*(?:,|\(|is|was|ist|es|é|—|-|–)\s*{_MY}\s+(?P<beside>(?:\w+\s+)?)(?P<noun>[^\W\d_]+)\b(?!['’])",
    re.IGNORECASE,
)


def claims_of(message: Message, reading: Reading) -> tuple[ThirdPartyClaim, ...]:
    """Return all that a message says of others: what was read, and which names it gives them."""
    told = (*namings_of(message, reading), *reading.claims)
    return tuple(
        claim
        for claim in told
        if claim.holder.strip()
        and not _is_of_another(message.text, claim.holder)
        and len(claim.holder) <= MAX_NAME
        and len(claim.value) <= MAX_STANDING
    )


def namings_of(message: Message, reading: Reading) -> tuple[ThirdPartyClaim, ...]:
    """Return which of the names in a reading the message gives to which noun."""
    found = {}
    for relation, name in list(dict.fromkeys(_names(message.text, reading)))[:MAX_NAMES]:
        noun = _noun_beside(message.text, name, is_own=bool(relation))
        if noun and relation in ("", relation_of(noun)):
            found[noun, name] = ThirdPartyClaim(
                holder=noun,
                key=NAMED,
                value=name,
                confidence=1.0,
                source_uid=message.uid,
                stated_at=message.sent_at,
                anchor=message.anchor,
            )
    return tuple(found.values())


def _names(text: str, reading: Reading) -> Iterator[tuple[str, str]]:
    for seen in reading.observations:
        if seen.key in PEOPLE_KEYS | {"pet"} and not seen.retracts and not plain_noun(seen.value):
            yield seen.key, seen.value
    for claim in reading.claims:
        if not any(plain_noun(word) for word in WORD.findall(claim.holder)):
            yield "", claim.holder
        elif name := _name_beside(text, claim.holder):
            yield "", name


def _name_beside(text: str, noun: str) -> str:
    """Return the name that the writer's own boss, say, is given right beside the noun."""
    found = re.search(rf"\b(?i:{_MINE}\s+{re.escape(noun)}){_CALLED}{_NAME}", text)
    return found["name"] if found and found["name"].casefold() not in STOP_WORDS else ""


def _is_of_another(text: str, holder: str) -> bool:
    """Tell whether a noun is somebody else's wherever the message has it: "Tom's wife"."""
    if not plain_noun(holder):
        return False
    said = re.finditer(rf"\b{re.escape(holder)}\b", text, re.IGNORECASE)
    before = [text[max(at.start() - _REACH, 0) : at.start()] for at in said]
    return bool(before) and all(map(_ANOTHERS.search, before))


def _noun_beside(text: str, name: str, *, is_own: bool) -> str:
    for at in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        left = text[max(at.start() - _REACH, 0) : at.start()]
        right = text[at.end() : at.end() + _REACH]
        matches = [_BEFORE.search(left), _AFTER.match(right), _OWN.search(left) if is_own else None]
        for match in filter(None, matches):
            noun = plain_noun(match["noun"])
            if noun and not any(map(plain_noun, match["beside"].split())):
                return noun
    return ""
