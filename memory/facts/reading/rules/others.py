"""What rules read of somebody else, where it is said as people say it of themselves. Pure.

"He's a teacher now" is "I'm a teacher now" for the rules: the subject, its verb and what is his are
said in the first person, and read like any other clause. Whose it is, is for `holders` to say. In
English; ages in any language that writes them beside a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from memory.facts.reading.holders import RELATIONS
from memory.facts.reading.rules.clauses import MAX_CHARS

_NOUNS: Final = "|".join(sorted(RELATIONS, key=len, reverse=True))
_NAME: Final = r"[A-ZÀ-Þ][a-zß-ÿ]+(?:['-](?!s\b)[A-Za-zß-ÿ]+)*"
_SUBJECT: Final = re.compile(
    rf"(?:(?:(?i:my|our|his|her|their)\s+(?:(?i:[a-z]+)\s+)?(?i:{_NOUNS})(?:,?\s+{_NAME},?)?"
    rf"|{_NAME}(?:\s+{_NAME})?)|(?i:s?he))(?='s\s|\s)"
)
# What stands before a subject within a sentence: "and he's", "because she".
_START: Final = re.compile(
    r"(?:^|[.!?…\n;,:]\s*|\s[-–—]+\s|\b(?:and|but|so|because|since|now|then)\s+)", re.IGNORECASE
)
_VERB: Final = re.compile(
    r"(?:'s\s+(?P<has>got|been|moved|left|quit|started|joined)|(?P<is>'s|\s+is|\s+was)\b"
    r"|\s+(?:(?P<adverb>just|now|also|still|finally|recently|actually|no longer)\s+)?(?P<word>[a-z']+))",
)
_IRREGULAR: Final = {
    "has": "have",
    "does": "do",
    "doesn't": "don't",
    "goes": "go",
    "studies": "study",
    "hates": "hate",
}
_VERBS: Final = frozenset(
    """have do go study hate work live love like enjoy adore come speak drive own avoid play teach
    eat drink run hate prefer don't""".split()
)
_PAST: Final = frozenset(
    """moved quit left lost started joined became retired got turned used works had adopted
    stopped split broke can can't cannot""".split()
)
MAX_CLAUSES: Final = 8
"""So many clauses of a message are read."""
MAX_BEHIND: Final = 40
"""So many characters behind a name are looked at for an age."""
_SENTENCE_END: Final = re.compile(r"[.!?…\n;]")
_OWN: Final = re.compile(r"\b(?:his|her|their)\b", re.IGNORECASE)
_AGE: Final = re.compile(
    r"(?:\s*\(\s*(?P<bracket>\d{1,2})\s*(?:years?|yrs?|y/?o|jahre|años|anos|лет|год[а]?)?\s*\)"
    r"|,\s*(?P<comma>\d{1,2})(?=\s*(?:[,;.!]|and\b|und\b|y\b|e\b|и\b|$))"
    r"|(?:'s|,?\s+(?:who\s+)?(?:is|turned|turns|aged|just turned|ist|wird|wurde|hat|tiene|cumplió"
    r"|cumple|tem|fez|faz))\s+(?:(?:now|just|almost|only|already|schon|jetzt|gerade|ya|já|erst)\s+)?"
    r"(?P<said>\d{1,2})(?=\s*(?:[,;.!?)]|and\b|und\b|y\b|e\b|years?\b|yrs?\b|jahre\b|años\b|anos\b"
    r"|now\b|today\b|$)))(?![.,]\d|,?\s*(?:and|und|y|e|и|&)\s+\d)",
    re.IGNORECASE,
)

_ANY_NAME: Final = r"[A-ZÀ-ÞА-ЯЁ][a-zß-ÿа-яё]+"
_ALREADY: Final = (
    r"(?:(?:now|just|only|already|schon|jetzt|gerade|erst|ya|já|agora|só|уже|сейчас)\s+)?"
)
_NAMED_AGE: Final = re.compile(
    rf"(?<![\w'])(?P<name>{_ANY_NAME})(?:(?:'s|\s+(?:is|ist|tiene|tem))?\s+{_ALREADY}(?P<age>\d{{1,2}})"
    r"\s*(?i:years?\b|yrs?\b|y/?o\b|now\b|today\b|already\b|jahre?\s+alt\b|geworden\b|años\b|anos\b|лет\b|год)"
    rf"|\s+(?:(?:has\s+)?(?:just\s+)?turned|wurde|cumplió|fez|исполнилось)\s+{_ALREADY}(?P<turned>\d{{1,2}}))"
    r"(?![\d%.,:]\d|[\d%]|\s*(?:of|von|de)\b)"
)
_NO_NAMES: Final = frozenset(
    """he she it this that they there who er sie es das ele ela isso isto él ella esto eso это он она
    i ich yo eu we wir mine yours the der die my mein minha meu mi""".split()
)


class Clause(NamedTuple):
    """A clause about somebody else, from `start` to `end`, as its subject would say it."""

    start: int
    end: int
    text: str


def in_first_person(text: str) -> Iterator[Clause]:
    """Yield each clause about somebody else, up to the end of its sentence; at most `MAX_CLAUSES`.

    A clause within another one comes after it.
    """
    text = text[:MAX_CHARS].replace("’", "'")
    left = MAX_CLAUSES
    for start in _START.finditer(text):
        subject = _SUBJECT.match(text, start.end())
        verb = _VERB.match(text, subject.end()) if subject else None
        if verb is None or not (said := _said(verb)):
            continue
        stop = _SENTENCE_END.search(text, verb.end())
        end = stop.start() if stop else len(text)
        yield Clause(start.end(), end, f"I {said}{_OWN.sub('my', text[verb.end() : end])}")
        left -= 1
        if not left:
            return


def age_behind(text: str, at: int) -> tuple[int, int] | None:
    """Return where an age stands right behind a name that ends at a place: "Leo (6)"."""
    found = _AGE.match(text, at, min(len(text), at + MAX_BEHIND))
    if found is None:
        return None
    return found.span(next(name for name in ("bracket", "comma", "said") if found[name]))


def named_ages(text: str) -> Iterator[tuple[slice, slice]]:
    """Yield where a name stands and where its age: "Leo is 7 now", "Mia turned 4"."""
    text = text[:MAX_CHARS].replace("’", "'")
    for found in _NAMED_AGE.finditer(text):
        if found["name"].casefold() not in _NO_NAMES:
            age = found.span("age" if found["age"] else "turned")
            yield slice(*found.span("name")), slice(*age)


def _said(verb: re.Match[str]) -> str:
    """Return a verb in the first person; empty where it is none that the rules know."""
    if verb["has"]:
        return f"have {verb['has']}"
    if verb["is"]:
        return "am"
    word, adverb = verb["word"], f"{verb['adverb']} " if verb["adverb"] else ""
    plain = _IRREGULAR.get(word) or (word.removesuffix("s"))
    if plain in _VERBS:
        return adverb + plain
    return adverb + word if word in _PAST else ""
