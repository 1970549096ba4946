"""A search through what is remembered of a contact: facts and notes, as hits.

The one way for whoever looks something up: tools, terminal, page, other people's graphs. It asks as
the contact's direct chat does, so that nothing is found which that may not be told (X2), and texts
are those of now.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.domain.chats import StoredMessage
from memory.domain.facts import Fact
from memory.domain.recalls import Part, Recalled
from memory.ports.bundle import Memory
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope, recall
from memory.recall.relevance import CORE_IMPORTANCE, DENSE, WORDS, fits


@dataclass(frozen=True, slots=True)
class FactHit:
    """A fact, a claim of whom the query names, or a note in the form of a fact.

    `score`: how far it fits the query, in 0..1; `parts` by the names of `memory.recall.relevance`.
    `source`: the message that told it; None where it is withheld, as the line of a note is.
    """

    fact: Fact
    score: float
    parts: Mapping[str, float]
    source: StoredMessage | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, best first. `missing`: what could not be asked, none twice."""

    facts: tuple[FactHit, ...] = ()
    missing: tuple[Part, ...] = ()


async def search(
    memory: Memory,
    tenant: str,
    contact_id: str,
    query: str,
    now: datetime,
    limit: int,
    *,
    with_core: bool = False,
) -> SearchResult:
    """Search what a contact's direct chat may be told; a blank query finds nothing.

    Found are facts, claims and notes that fit the query.

    Args:
        memory: What is searched.
        tenant: Whose memory it is.
        contact_id: Who asks; empty for nobody, who is told what holds for the house.
        query: A question or a few words.
        now: The moment at which it is asked.
        limit: At most so many of them.
        with_core: Facts of the contact's core are found, too, after those that fit: they may answer
            without a word of the query, as "home: Oslo" does.

    Raises:
        StoreUnavailable: Postgres cannot be reached. Any other store is `missing`.
    """
    clean = query.replace("\x00", " ")  # which Postgres takes in no text
    if not clean.strip():
        return SearchResult()
    scope = Scope.direct(tenant, contact_id)
    found = await recall(memory, scope, clean, now, limit, compares_facts=True)
    told = await remember(memory, scope, found.entries, sys.maxsize)
    facts = _facts(told, with_core=with_core)[:limit]
    missing = tuple(dict.fromkeys((*found.missing, *told.missing)))
    return SearchResult(tuple(facts), missing)


def _facts(told: Remembered, *, with_core: bool) -> list[FactHit]:
    """Return the facts that are found, those that fit best first, then the core."""
    hits = []
    for entry in told.recalled:
        # Whatever the budget, a block is held to so many facts: they are found all the same.
        fact = told.facts.get(entry.item_id)
        if fact is None or entry.kind != "fact":
            continue
        if fits(entry.parts) or (with_core and fact.importance >= CORE_IMPORTANCE):
            source = told.messages.get(fact.source_uid)
            hits.append(FactHit(fact, _fit(entry), entry.parts, source))
    return sorted(hits, key=lambda hit: (not fits(hit.parts), -hit.score))


def _fit(entry: Recalled) -> float:
    return max(0.0, entry.parts.get(WORDS, 0.0), entry.parts.get(DENSE, 0.0))
