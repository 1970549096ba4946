"""A search through what is remembered of a contact: facts and notes, as hits.

The one way for whoever looks something up: tools, terminal, page, other people's graphs. It asks as
the contact's direct chat does, so that nothing is found which that may not be told (X2), and texts
are those of now.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.domain.chats import StoredMessage
from memory.domain.facts import Fact
from memory.domain.notes import NOTE, Note
from memory.domain.recalls import Part, Recalled
from memory.facts.predicates import fact_sentence
from memory.ports.bundle import Memory
from memory.recall.noted import notes_by_id
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope, recall
from memory.recall.relevance import CORE_IMPORTANCE, DENSE, WORDS, fits


@dataclass(frozen=True, slots=True)
class FactHit:
    """A fact, or a `note` in the form of one; `is_claim`: it is of somebody whom the query names.

    `score`: how far it fits the query, in 0..1; `parts` by the names of `memory.recall.relevance`.
    `source`: the message that told it; None where it is withheld, as the line of a note is.
    """

    fact: Fact
    score: float
    parts: Mapping[str, float]
    source: StoredMessage | None = None
    note: Note | None = None
    is_claim: bool = False

    @property
    def text(self) -> str:
        """The fact as one short line, `home: Oslo`; of a note what it says."""
        return self.fact.value if self.note else fact_sentence(self.fact)


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
        limit: At most so many facts, claims and notes, of each kind.
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
    facts = await _facts(memory, scope, told, with_core=with_core)
    missing = tuple(dict.fromkeys((*found.missing, *told.missing)))
    return SearchResult(tuple(_first(facts, limit)), missing)


async def _facts(
    memory: Memory, scope: Scope, told: Remembered, *, with_core: bool
) -> list[FactHit]:
    """Return the facts that are found, those that fit best first, then the core."""
    entries = [each for each in told.recalled if each.kind == "fact" and each.item_id in told.facts]
    uids = [each.item_id for each in entries if told.facts[each.item_id].key == NOTE]
    notes = await notes_by_id(memory, scope.tenant, scope.anchor, uids)
    hits = []
    for entry in entries:
        fact, note = told.facts[entry.item_id], notes.get(entry.item_id)
        is_core = with_core and fact.importance >= CORE_IMPORTANCE
        if not (fits(entry.parts) or is_core) or (fact.key == NOTE and note is None):
            continue
        # Whatever the budget, a block is held to so many facts: they are found all the same.
        source, is_claim = told.messages.get(fact.source_uid), entry.item_id in told.claims
        hits.append(FactHit(fact, _fit(entry), entry.parts, source, note, is_claim))
    return sorted(hits, key=lambda hit: (not fits(hit.parts), -hit.score))


def _first(hits: Sequence[FactHit], limit: int) -> list[FactHit]:
    """Return the first of each kind, at most `limit` of it."""
    counts: Counter[tuple[bool, bool]] = Counter()
    kept = []
    for hit in hits:
        kind = (hit.note is not None, hit.is_claim)
        counts[kind] += 1
        if counts[kind] <= limit:
            kept.append(hit)
    return kept


def _fit(entry: Recalled) -> float:
    return max(0.0, entry.parts.get(WORDS, 0.0), entry.parts.get(DENSE, 0.0))
