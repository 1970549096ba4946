"""What others told of themselves where the asker heard it: facts of whom a question names (X2).

Whoever wrote in a group, or in an imported chat, was heard by everybody there. Their facts that
were said there may be told again there; what they said anywhere else is never looked at.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from memory.domain.chats import is_uid
from memory.domain.facts import Fact
from memory.domain.recalls import Line
from memory.facts.entities.answering import (
    WORDS_TOO,
    asks_all_of_somebody,
    kin_asked,
    kinds_asked,
)
from memory.facts.entities.concerned import MAX_CHARS
from memory.facts.entities.nouns import without_s
from memory.ports.bundle import Memory
from memory.recall.relevance import naming

MOST_PEOPLE: Final = 3
"""Facts of so many people are read; a question that names more names a crowd."""
MOST: Final = 8
"""So many facts of others are told at most, the most important ones."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’]s\b)?")
_RUSSIAN: Final = re.compile(r"[а-яё]+")


async def heard_of(
    memory: Memory,
    tenant: str,
    asker: str,
    question: str,
    lines: Sequence[Line],
    anchors: Collection[str],
) -> list[Fact]:
    """Return facts of whom a question names, of what it asks for, the most important first.

    `lines` are those among which an answer is looked for: who wrote one of them may be named.
    `anchors`: where the asker may hear what was said.
    """
    people = _named(question, [each for each in lines if each.contact_id not in ("", asker)])
    if not people:
        return []
    told = await asyncio.gather(*(_of(memory, tenant, contact_id) for contact_id in people))
    fits = _fitting(question)
    heard = [fact for facts in told for fact in facts if fact.anchor in anchors and fits(fact)]
    return sorted(heard, key=lambda fact: -fact.importance)[:MOST]


async def heard_by_id(
    memory: Memory, tenant: str, asker: str, ids: Collection[str]
) -> dict[str, Fact]:
    """Return facts of others by id, whatever became of them; none that is withheld or gone.

    Whether the asker may hear them is for the caller to say, by their anchors.
    """
    if not ids:
        return {}
    facts = memory.facts
    holders = await memory.outages.ask("facts", lambda: facts.holders(tenant, ids)) or {}

    async def of(contact_id: str) -> list[Fact]:
        history = facts.history
        return await memory.outages.ask("facts", lambda: history(tenant, contact_id)) or []

    told = await asyncio.gather(*map(of, sorted(set(holders.values()) - {asker})))
    return {fact.fact_id: fact for each in told for fact in each if fact.fact_id in ids}


def of_teller(fact: Fact, name: str) -> Fact:
    """Return a fact of somebody else under a key that says whose it is: `Hanna: birthday`."""
    return replace(fact, key=f"{name}: {fact.key}")


def names(question: str, name: str) -> bool:
    """Tell whether a question names who goes by this, by any part of the name: "Anna", "Müllers".

    Particles, such as "de", are no part; a name that is a word as well counts where it is written
    as a name, behind another word.
    """
    asked = _WORD.findall(question[:MAX_CHARS])
    words = {without_s(word) for word in asked}
    written = {without_s(word) for word in asked[1:] if word[:1].isupper()}
    first, *others = _WORD.findall(name) or [""]
    parts = [part.casefold() for part in (first, *(each for each in others if each[0].isupper()))]
    return any(
        _is_same(part, word)
        for part in parts
        for word in (written if part in WORDS_TOO else words)
        if len(part) > 1
    )


def _is_same(part: str, word: str) -> bool:
    """Tell whether a word is a part of a name, or a case of it: "Annas", "Анне"."""
    if word == part or (len(part) > 2 and word == f"{part}s"):
        return True
    stem = part[:-1] if part[-1] in "аяйь" else part
    is_russian = len(part) > 3 and bool(_RUSSIAN.fullmatch(part))
    return is_russian and word.startswith(stem) and len(word) <= len(part) + 2


def _named(question: str, lines: Sequence[Line]) -> list[str]:
    """Return whom a question names of those who wrote lines, who wrote most of them first."""
    by_name = {name: names(question, name) for name in {line.sender_name for line in lines}}
    people = Counter(line.contact_id for line in lines if by_name[line.sender_name])
    return sorted(people, key=lambda each: (-people[each], each))[:MOST_PEOPLE]


def _fitting(question: str) -> Callable[[Fact], bool]:
    """Return what tells whether a fact is what a question asks for."""
    kinds, named = kinds_asked(question) | kin_asked(question), naming(question)
    is_all = asks_all_of_somebody(question)
    return lambda fact: is_all or fact.key in kinds or named(fact) > 0


async def _of(memory: Memory, tenant: str, contact_id: str) -> list[Fact]:
    told = await memory.outages.ask("facts", lambda: memory.facts.active(tenant, contact_id))
    # What the owner corrected by hand was said to nobody, and how to answer somebody is theirs.
    return [
        fact for fact in told or () if is_uid(fact.source_uid) and fact.category != "instruction"
    ]
