"""Who the speaker is and where: names, age, birthday, home, origin, nationality, language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import I_AM, IMPLIED, STATED, SURELY, Found, rule
from memory.facts.reading.rules.lexicon import (
    COUNTRIES_WITH_ARTICLE,
    DEMONYMS,
    LANGUAGES,
    NOT_NAMES,
)
from memory.facts.reading.rules.phrases import noun, nouns

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = (
    rf"(?:the\s+)?(?P<date>\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH}\b(?:,?\s+\d{{4}})?|"
    rf"{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?|\d{{1,2}}[./-]\d{{1,2}}(?:[./-]\d{{2,4}})?|"
    r"\d{4}-\d{2}-\d{2})"
)
_AFTER = r"(?=\s*(?:$|[^\w\s'%/:.-]|\.(?:\s|$)|\b(?:and|but|so|now|btw|lol|haha|fyi|too|from|here|n|in)\b))"

_NAME = rule(r"my (?:(?P<full>full|real|first|legal) )?name(?:'?s| is)\s+(?:now\s+)?")
_CALL_ME = rule(
    r"(?:(?:please|pls|plz|just|you can|u can|everyone|everybody|people|friends|they|my friends)\s+)*calls?\s+me\s+|i go by\s+|i prefer to be called\s+"
)
# "Call me a cab", "they call me the boss".
_ARTICLE = re.compile(r"(?:an?|the)\b", re.IGNORECASE)
_I_AM_NAME = re.compile(
    rf"(?:[Ii]'?[Mm]|[Ii] [Aa][Mm]|[Tt]his is)\s+(?P<name>[A-ZÀ-ÞА-Я][\w'-]+(?:\s+[A-ZÀ-Þ][\w'-]+){{0,2}}){_AFTER}"
)
_NAME_HERE = re.compile(
    r"(?:[Ii]t'?s\s+)?(?P<name>[A-ZÀ-Þ][\w'-]+(?:\s+[A-ZÀ-Þ][\w'-]+)?) here\s*$"
)
_AGE = rule(
    rf"{I_AM}\s+(?:now\s+)?(?P<age>[1-9]\d|1[01]\d)(?:\s*(?:years?|yrs?)[ -]olds?|\s*y/?o\b)?{_AFTER}"
)
_TURNED = rule(rf"i (?:just )?turned\s+(?P<age>[1-9]\d){_AFTER}")
_BIRTHDAY = rule(
    rf"(?:my (?:birthday|bday|b-day|birth date|date of birth)(?:'?s| is)(?: on)?|i was born on)\s+{_DATE}"
)
_HOME = rule(
    rf"(?:i|we){SURELY}\s+(?:li(?:ve|v)|reside)\s+(?:\w+ly\s+)?in\s+|{I_AM}{SURELY}\s+(?:living|based)\s+in\s+|"
    r"i(?:'?ve| have) (?:been living|lived) in\s+|my home(?: ?town)? is (?:now )?"
)
_MOVED = rule(
    r"(?:(?:i|we)(?:'?ve| have)?\s+)?(?:(?:just|finally|recently|already|actually)\s+)*(?:moved|relocated)\s+"
    r"(?:(?:back|over|house|out|away|down|up)\s+)?(?:from\s+(?P<old>[^,;.]+?)\s+)?to\s+"
)
_MOVED_OUT = rule(
    r"(?:i|we)(?:'?ve| have)? (?:moved (?:away|out) (?:from|of)|moved from)\s+|(?:i|we) used to live in\s+|"
    r"(?:i|we) (?:don'?t|do not|no longer) live in\s+|(?:i|we) lived in\s+"
)
_ORIGIN = rule(
    rf"{I_AM}\s+(?:originally|actually)\s+from\s+|{I_AM}\s+from\s+|i come from\s+|"
    r"i was born(?: and raised| and bred)? in\s+|i grew up in\s+|originally from\s+"
)
_NATIONALITY = rule(rf"{I_AM}\s+(?:half[ -])?(?P<nation>\w+)(?:\s+(?:citizen|by birth))?{_AFTER}")
_SPEAK = rule(
    r"i(?: can)?(?: also)?\s+speak\s+(?P<hedge>(?:a (?:bit|little)(?: of)?|some|basic)\s+)?(?:fluent\s+)?"
)
_NATIVE = rule(r"my (?:native language|mother tongue|first language)(?:'?s| is)\s+")
_NO_LANGUAGE = rule(r"i (?:don'?t|do not|can'?t|cannot) (?:really )?speak\s+(?:any\s+)?")
_PRONOUNS = rule(r"(?:my )?pronouns(?: are|:)?\s+(?P<pronouns>(?:\w+)(?:\s*/\s*\w+){1,2})")
_NOT_NICKNAMES: Final = frozenset(
    """back later crazy mad old old-fashioned asap monday tuesday wednesday thursday friday""".split()
)
_TEAMS: Final = frozenset(
    """accounting sales marketing hr it finance support legal work home bed earth mars engineering
    monday tuesday wednesday thursday friday saturday sunday tomorrow next""".split()
)


def place(text: str, start: int) -> str:
    """Return the place named at `start`; empty for `a flat` or `the office`."""
    article = re.match(r"(?:a|an|my|our|your|this|that|the)\s+(?:\w+)", text[start:], re.IGNORECASE)
    value = noun(text, start)
    if article:
        words = article.group().split()
        if words[0].casefold() != "the" or words[1].casefold() not in COUNTRIES_WITH_ARTICLE:
            return ""
    if not value or value.casefold() in _TEAMS or not re.match(r"[^\W\d_]", value):
        return ""
    return "" if value.split()[0].casefold() in {"hope", "fear", "peace", "constant"} else value


def person(text: str, start: int) -> str:
    """Return the name at `start`, at most three words; empty when it is none."""
    value = noun(text, start, 3)
    return "" if not value or value.split()[0].casefold() in NOT_NAMES else value


def read(clause: Clause) -> Iterator[Found]:
    """Yield who the speaker is and where they live."""
    yield from _names(clause)
    yield from _dates(clause)
    yield from _places(clause)
    yield from _tongues(clause)


def _names(clause: Clause) -> Iterator[Found]:
    own = clause.own
    if match := _NAME.match(own):
        if value := person(own, match.end()):
            yield Found("name", value, 1.0)
    elif match := _CALL_ME.match(own):
        value = noun(own, match.end(), 2)
        is_name = value and value.split()[0].casefold() not in _NOT_NICKNAMES
        if is_name and not _ARTICLE.match(own, match.end()):
            yield Found("preferred_name", value)
    elif match := _I_AM_NAME.match(own):
        name = match["name"]
        first = name.split()[0].casefold()
        if clause.is_first and first not in NOT_NAMES | DEMONYMS:
            yield Found("name", name, IMPLIED)
    elif clause.is_first and (match := _NAME_HERE.match(own)):
        if match["name"].split()[0].casefold() not in NOT_NAMES | {"nothing", "same", "it's"}:
            yield Found("name", match["name"], IMPLIED)


def _dates(clause: Clause) -> Iterator[Found]:
    if match := _AGE.match(clause.text) or _TURNED.match(clause.text):
        yield Found("age", match["age"])
    if match := _BIRTHDAY.match(clause.text):
        yield Found("birthday", match["date"])
    if match := _PRONOUNS.match(clause.text):
        yield Found("pronouns", match["pronouns"])


def _places(clause: Clause) -> Iterator[Found]:
    own = clause.own
    if match := _MOVED.match(own):
        if value := place(own, match.end()):
            if match["old"] and (old := place(match["old"], 0)):
                yield Found("home", old, retracts=True)
            yield Found("home", value)
    elif match := _MOVED_OUT.match(own):
        if value := place(own, match.end()):
            yield Found("home", value, retracts=True)
    elif match := _HOME.match(own):
        if value := place(own, match.end()):
            yield Found("home", value)
    if (match := _ORIGIN.match(own)) and (value := place(own, match.end())):
        yield Found("origin", value, IMPLIED if "grew" in match.group().casefold() else STATED)
    if (match := _NATIONALITY.match(own)) and match["nation"].casefold() in DEMONYMS:
        yield Found("nationality", match["nation"])


def _tongues(clause: Clause) -> Iterator[Found]:
    for pattern, confidence, retracts in (
        (_SPEAK, STATED, False),
        (_NATIVE, STATED, False),
        (_NO_LANGUAGE, STATED, True),
    ):
        if match := pattern.match(clause.text):
            hedged = pattern is _SPEAK and match["hedge"]
            for value in nouns(clause.text, match.end()):
                if value.casefold() in LANGUAGES:
                    yield Found("language", value, 0.7 if hedged else confidence, retracts)
