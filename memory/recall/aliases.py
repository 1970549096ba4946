"""A question with relatives and pets by name: "where does my wife work" is "where does Jo work".

What was said of somebody mostly names them, and who asks says what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from memory.domain.chats import is_uid
from memory.domain.facts import Fact
from memory.facts.entities.concerned import MAX_CHARS
from memory.facts.entities.nouns import WORD, canonical_of, kinship_of, plain_noun, without_s
from memory.facts.reading.holders import PEOPLE_KEYS, relation_of
from memory.ports.bundle import Memory
from memory.recall.block import FactLine
from memory.text.excerpts import sentence_with

MOST_NAMES: Final = 3
"""So many names stand for one noun: "my kids"."""
_MINE: Final = re.compile(
    r"\b(?:my|our|mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?|mis?|nuestr[oa]s?|meus?|minhas?|noss[oa]s?"
    r"|мо(?:й|я|и|ё|е|его|ей|ему|их|им|ю)|наш(?:а|и|его|ей|у)?)\s+(?P<noun>[^\W\d_]+)(?P<s>['’]s)?",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[A-ZÀ-ÞА-ЯЁ][^\W\d_]+(?:[ -][A-ZÀ-ÞА-ЯЁ][^\W\d_]+)*")
BEINGS: Final = PEOPLE_KEYS | {"pet"}
"""Kinds of fact that tell of somebody."""
MAX_SAID_CHARS: Final = 240
"""So much is read of the sentence that told of somebody."""
SELDOM: Final = 2
"""Somebody is searched for by name where a noun for them is at most so many times as frequent."""
MAX_ENDING: Final = 2
"""So many letters of a word a stem may lack."""
_ANY: Final = frozenset({"child", "partner", "spouse", "friend", "twin"})
"""Nouns that leave open whether it is a he or a she."""


async def named_question(
    memory: Memory, tenant: str, anchors: Sequence[str], question: str, facts: Sequence[Fact]
) -> str:
    """Return a question with those named whom it means by a noun, by facts and what told them.

    Empty where nobody is known, and where they are seldom named in what was said under `anchors`:
    who always says "my mother" is not searched for by her name. The ledger is read where somebody
    may be meant.
    """
    told = [fact for fact in facts if fact.key in BEINGS]
    if not _means_any(question, told):
        return ""
    uids = list({fact.source_uid for fact in told if is_uid(fact.source_uid)})
    stored = await memory.ledger.messages(tenant, uids)
    said = {each.uid: each.message.text for each in stored if not each.withheld}
    named = by_name(question, [_line(fact, said.get(fact.source_uid, "")) for fact in told])
    if not named:
        return ""
    nouns, names = _words(question) - _words(named), _words(named) - _words(question)
    spread = (await memory.lexical.search(tenant, anchors, " ".join(nouns | names), 1)).spread
    return named if _often(names, spread) * SELDOM >= _often(nouns, spread) else ""


def by_name(question: str, facts: Sequence[FactLine]) -> str:
    """Return a question with those named whom it means by a noun; empty where nobody is known.

    Args:
        question: Of a longer one the first `MAX_CHARS` are read.
        facts: Those that may be shown to whoever asks, each with the sentence that told it.
    """
    text = question[:MAX_CHARS]

    def named(noun: re.Match[str]) -> str:
        names = _names_of(plain_noun(noun["noun"]), facts)
        return f"{', '.join(names)}{noun['s'] or ''}" if names else noun[0]

    said = _MINE.sub(named, text)
    return "" if said == text else said


def _names_of(noun: str, facts: Iterable[FactLine]) -> list[str]:
    """Return the names of those whom a noun means, the first ones."""
    relation = kinship_of(relation_of(noun), "") if noun else ""
    names = [
        found[0]
        for fact in facts
        if relation
        and fact.key in BEINGS
        and kinship_of(fact.key, "") == relation
        and (found := _NAME.search(fact.value))
        and _may_mean(noun, fact)
    ]
    return list(dict.fromkeys(names))[:MOST_NAMES]


def _may_mean(noun: str, fact: FactLine) -> bool:
    """Tell whether a noun fits how somebody was told of: a sister is no brother, a horse no dog."""
    words = WORD.findall(f"{fact.said} {fact.value}")
    told = {each for word in words if (each := plain_noun(word)) and _is_of(each, fact.key)}
    same = {canonical_of(each) for each in told}
    if fact.key == "pet" and not told:
        return _NAME.fullmatch(fact.value) is not None
    return not same or canonical_of(noun) in same | _ANY or bool(same & _ANY)


def _is_of(noun: str, key: str) -> bool:
    return kinship_of(relation_of(noun), "") == kinship_of(key, "")


def _words(text: str) -> set[str]:
    return {without_s(word) for word in WORD.findall(text)}


def _often(words: Iterable[str], spread: Mapping[str, int]) -> int:
    """Return in how many messages the words stand; `spread` has them by their stems."""
    return max(
        (
            count
            for word in words
            for stem, count in spread.items()
            if word.startswith(stem) and len(word) - len(stem) <= MAX_ENDING
        ),
        default=0,
    )


def _line(fact: Fact, text: str) -> FactLine:
    return FactLine(fact.key, fact.value, sentence_with(text, fact.value, MAX_SAID_CHARS))


def _means_any(question: str, facts: Iterable[Fact]) -> bool:
    """Tell whether a question means somebody by a noun of whom any of these facts may tell."""
    told = {kinship_of(fact.key, "") for fact in facts}
    nouns = (plain_noun(each["noun"]) for each in _MINE.finditer(question[:MAX_CHARS]))
    return any(noun and kinship_of(relation_of(noun), "") in told for noun in nouns)
