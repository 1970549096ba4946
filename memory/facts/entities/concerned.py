"""Of whom a question may ask: whose claims have to be read to answer it. Pure.

Who is meant by a name or a noun depends on everybody who shares a word of a name, or a relation,
with them; on nobody else. So claims of these alone give the same answers as all claims.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memory.domain.entities import NAMED
from memory.domain.facts import Fact, Stated
from memory.domain.readings import ToldOf
from memory.facts.entities.linking import BEING_KEYS, ENTITY_KEYS, name_and_noun
from memory.facts.entities.nouns import WORD, kinship_of, plain_noun, without_s
from memory.facts.reading.holders import relation_of
from memory.facts.slots import words_of

NAMING_KEYS: Final = frozenset({*ENTITY_KEYS, NAMED, "name", "preferred_name"})
"""Keys of claims whose values may be names."""
MAX_CHARS: Final = 400
"""A longer question is read so far."""


def holders_asked(
    question: str, facts: Iterable[Stated | Fact], told: Iterable[ToldOf]
) -> set[str]:
    """Return the holders whose claims may answer, as they are told; empty where nobody is named.

    Args:
        question: Up to `MAX_CHARS` of it are read.
        facts: Those of `ENTITY_KEYS`; others tell of nobody. With more of them more holders are
            returned, never fewer.
        told: What is claimed of anybody, each holder and name once.
    """
    known = _asked(question)
    stated = {(fact.key, fact.value) for fact in facts if fact.key in ENTITY_KEYS}
    apart = [(_of_fact(key, value), "") for key, value in stated]
    apart += [(frozenset(_of_named(each)), each.holder) for each in told]
    holders: set[str] = set()
    while joined := [each for each in apart if not known.isdisjoint(each[0])]:
        apart = [each for each in apart if known.isdisjoint(each[0])]
        known = known.union(*(links for links, _ in joined))
        holders |= {holder for _, holder in joined if holder}
    return holders


def _asked(question: str) -> frozenset[str]:
    words = [without_s(word) for word in WORD.findall(question[:MAX_CHARS])]
    # A name is told apart by its words; WORD takes what a hyphen joins as one.
    parts = [part for word in words for part in words_of(word)]
    return frozenset([*words, *parts, *_relations(filter(None, map(plain_noun, words)))])


def _of_fact(key: str, value: str) -> frozenset[str]:
    words = words_of(value)
    own = [_relation(key)] if key in BEING_KEYS else []
    return frozenset([*words, *_relations(filter(None, map(plain_noun, words))), *own])


def _of_named(each: ToldOf) -> Iterable[str]:
    name, noun = name_and_noun(each.holder)
    if name:
        yield from words_of(name)
    if noun:
        yield from _relations([noun])
    if each.name:
        yield from words_of(each.name)


def _relations(nouns: Iterable[str]) -> Iterable[str]:
    return (_relation(relation_of(noun)) for noun in nouns)


def _relation(relation: str) -> str:
    """Return a link that no word is: whoever has this relation may be meant by its nouns."""
    return f"@{kinship_of(relation, '')}"
