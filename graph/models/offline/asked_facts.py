"""Which facts answer a question, of the kinds that it asks for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graph.models.offline.cues import (
    FAVORITE,
    Asked,
    bears_on,
    favorite_asked,
    favorite_nouns,
    further_named,
    plain_stem,
)
from graph.models.offline.glossed import in_english
from graph.models.offline.relations import relations_in
from memory.recall.block import FactLine
from memory.text.words import content_stems

ANYTHING: Final = frozenset({"possession", "like", "dislike", "favorite", "preference"})
"""Kinds of fact whose values may be of any kind of thing: an instrument, a car, a dish."""

LEAST_CLOSENESS: Final = 0.18
CLOSE_TO_BEST: Final = 0.7
"""Of these a fact answers from this cosine to the question on, and this share of the best one's."""


def facts_for(asked: Asked, question: str, facts: Sequence[FactLine]) -> list[FactLine]:
    """Return the facts that a question asks for, in the order of its kinds."""
    found = [
        fact
        for key in asked.keys
        for fact in facts
        if _is_of(fact.key, key) and bears_on(asked.keys, fact.key, fact.value)
    ]
    if further := further_named(question):
        found = [fact for fact in found if further & content_stems(f"{fact.value} {fact.said}")]
    if asked.must_match or asked.narrows:
        words = content_stems(f"{question} {in_english(question)}" if asked.narrows else question)
        some = [fact for fact in found if words & content_stems(f"{fact.value} {fact.key}")]
        if favorite := favorite_asked(question, in_english(question)):
            return [fact for fact in some if _names_favorite(fact, favorite)]
        return some if some or asked.must_match else _near(found)
    if not asked.nouns:
        return found
    words_of = {
        fact: {plain_stem(word) for word in content_stems(f"{fact.value} {fact.said}")}
        | relations_in(fact.said)
        for fact in found
    }
    named = [fact for fact in found if asked.nouns & words_of[fact]]
    return named or _near([fact for fact in found if not asked.rivals & words_of[fact]])


def _names_favorite(fact: FactLine, nouns: frozenset[str]) -> bool:
    if not fact.key.startswith(FAVORITE):
        return True
    noun = fact.key.removeprefix(FAVORITE)
    return bool(nouns & (content_stems(noun) | favorite_nouns(FAVORITE + in_english(noun))))


def _near(facts: Sequence[FactLine]) -> list[FactLine]:
    """Leave out the things and tastes that are far from the question, where that is known."""
    best = max((fact.closeness for fact in facts), default=0.0)
    least = max(LEAST_CLOSENESS, CLOSE_TO_BEST * best)
    return [
        fact
        for fact in facts
        if not best or fact.closeness >= least or fact.key.partition(":")[0] not in ANYTHING
    ]


def _is_of(key: str, asked: str) -> bool:
    if not asked.startswith(FAVORITE):
        return key == asked or key.startswith(f"{asked}:")
    if not key.startswith(FAVORITE):
        return False
    return favorite_nouns(key) <= favorite_nouns(asked) or asked == FAVORITE
