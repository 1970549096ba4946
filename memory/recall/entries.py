"""Facts as entries of a recall: how far each fits what is asked, and which are shown. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.domain.facts import Fact
from memory.domain.recalls import Hit, Recalled
from memory.recall.facts_asked import EVERYTHING, LIKELY, Asked
from memory.recall.relevance import ASKED_FOR, DENSE, MIN_IMPORTANCE, PINNED, WORDS, fits


def fact_entry(fact: Fact, named: float) -> Recalled:
    """Return a fact as an entry. `named`: how far the question names it, in 0..1."""
    parts = {"importance": fact.importance, "confidence": fact.confidence}
    if named:
        parts[WORDS] = named
    if fact.mark == "pinned":
        parts[PINNED] = 1.0
    return Recalled("fact", fact.fact_id, fact.importance * fact.confidence, parts)


def is_told(entry: Recalled) -> bool:
    """Tell whether a fact is shown where there is room: one of low importance where it fits."""
    parts = entry.parts
    return parts["importance"] >= MIN_IMPORTANCE or PINNED in parts or fits(parts)


def closer_entries(
    facts: Sequence[Fact], entries: Sequence[Recalled], near: Sequence[Hit], asks_for: Asked | None
) -> list[Recalled]:
    """Return the entries of facts that are shown, by how near they are and what is asked for."""
    closeness = {hit.item_id: hit.score for hit in near}
    closer = (
        _closer(entry, closeness.get(entry.item_id, 0.0), is_asked=is_asked(fact, asks_for))
        for fact, entry in zip(facts, entries, strict=True)
    )
    return [entry for entry in closer if is_told(entry)]


def _closer(entry: Recalled, similarity: float, *, is_asked: bool) -> Recalled:
    """Return a fact with its closeness to the question, and whether its kind is asked for."""
    parts = dict(entry.parts)
    if similarity:
        parts[DENSE] = similarity
    if is_asked:
        parts[WORDS] = max(parts.get(WORDS, 0.0), ASKED_FOR)
    return replace(entry, parts=parts)


def is_asked(fact: Fact, asked: Asked | None) -> bool:
    """Tell whether a message asks for a fact's kind, by what was learnt; None: nobody can tell."""
    kinds = asked or {}
    return max(kinds.get(fact.key.partition(":")[0], 0.0), kinds.get(EVERYTHING, 0.0)) >= LIKELY
