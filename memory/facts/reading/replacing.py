"""Which words of a correction stand in a wrong value's place. Pure.

Beside them may stand what stood around the wrong one, and what points at it ("his name is").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.domain.facts import Observation
from memory.domain.readings import Earlier
from memory.facts.reading.mending_words import FRAME, LEAD, NO_VALUE, PARTICLES, may_mean
from memory.facts.reading.rules.lexicon import DEMONYMS
from memory.facts.spellings import PEOPLE
from memory.text.words import STOP_WORDS

MAX_WORDS: Final = 4
"""Of a value that is put in another one's place."""

WORD: Final = re.compile(r"[^\s,;:!?…\"“”„«»()]+")
EDGES: Final = ' \t\r\n.,;:!…"“”„«»–—-'
"""What stands around words and is none of them."""

_NUMBER: Final = re.compile(r"(?<![^\W_])\d")
_BREAK: Final = re.compile(r"(?:(?<!\d)\.|[!?…;,\n:])\s+|\s+(?:and|und|y|e|и)\s+", re.IGNORECASE)


def value_in(text: str, earlier: Earlier, wrong: Observation) -> str:
    """Return the value that a few words name instead of a wrong one; empty where none is plain.

    Before it may stand what stood before the wrong one, or a part of that, or what points at it.
    """
    text = text.strip(EDGES)
    while lead := LEAD.match(text):
        if not (lead["means"] or lead["mends"] or lead["excuses"]) or lead.end() == len(text):
            break
        text = text[lead.end() :]
    rest = _after_same(text, words_before(earlier, wrong))
    if rest == text and (frame := FRAME.match(text)):
        if frame["named"] and wrong.key not in PEOPLE:
            return ""
        if not may_mean(frame, earlier.message.text):
            return ""
        rest = text[frame.end() :]
    rest = _before_same(rest, _words_after(earlier, wrong)).strip(EDGES)
    return rest if _may_replace(rest, wrong) else ""


def _may_replace(right: str, wrong: Observation) -> bool:
    words = right.split()
    if not words or len(words) > MAX_WORDS or _BREAK.search(right):
        return False
    has_number = _has_number(right)
    if has_number != _has_number(wrong.value):
        return False
    # "The 4th" is no birthday without the month that stood beside the 3rd.
    if has_number and _has_word(wrong.value) and not _has_word(right):
        return False
    for word in map(str.lower, words):
        # A month may be a word that says nothing elsewhere: "May 13th".
        is_empty = word in STOP_WORDS and word not in PARTICLES and not has_number
        if word in NO_VALUE or is_empty:
            return False
    if wrong.key in PEOPLE and right.casefold() in DEMONYMS:
        return False
    # A name is followed by names: "Faro é longe" is none.
    is_named = has_number or all(w[0].isupper() or w.lower() in PARTICLES for w in words)
    return is_named or not wrong.value[:1].isupper()


def _has_number(text: str) -> bool:
    """Tell whether a number begins in it: "N26" is a name."""
    return bool(_NUMBER.search(text))


def _has_word(value: str) -> bool:
    return any(len(word) > 2 and word.isalpha() for word in value.split())


def words_before(earlier: Earlier, wrong: Observation) -> list[str]:
    """Return the words of its clause that stand before a value, from a word of correction on."""
    start = wrong.span[0] if wrong.span else 0
    clause = _BREAK.split(earlier.message.text[:start])[-1]
    while lead := LEAD.match(clause):
        clause = clause[lead.end() :]
    return WORD.findall(clause.lower())


def _words_after(earlier: Earlier, wrong: Observation) -> list[str]:
    end = wrong.span[1] if wrong.span else 0
    return WORD.findall(_BREAK.split(earlier.message.text[end:])[0].strip(EDGES).lower())


def _after_same(text: str, words: Sequence[str]) -> str:
    """Return a text without the longest run of words, the last of those given, that begins it."""
    for at in range(len(words)):
        if rest := _begun(text, words[at:]):
            return rest
    return text


def _begun(text: str, words: Sequence[str]) -> str:
    pattern = r"\s+".join(map(re.escape, words))
    match = re.match(rf"{pattern}\s+(?=\S)", text, re.IGNORECASE)
    return text[match.end() :] if match else ""


def _before_same(text: str, words: Sequence[str]) -> str:
    """Return a text without the words at its end that stood behind the wrong value, too."""
    for to in range(len(words), 0, -1):
        pattern = r"\s+".join(map(re.escape, words[:to]))
        if match := re.search(rf"\s+{pattern}\W*$", text, re.IGNORECASE):
            return text[: match.start()]
    return text
