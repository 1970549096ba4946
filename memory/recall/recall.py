"""Recall for a query: every active fact that may be shown, and the messages that fit best (L4).

Who may hear what is decided here, by the scope: in a group only what was said in that group, in a
direct chat what this contact said, and the imported chats that this contact was in (X2).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memory.domain.chats import Message
from memory.domain.facts import Fact
from memory.domain.recalls import Hit, Part, Recalled
from memory.ports.bundle import Memory
from memory.ports.recall import VectorKind
from memory.recall.fusion import Query, fuse
from memory.recall.query import best_of, query_chunks, query_words, with_quoted

CANDIDATES = 150
MIN_FACT_IMPORTANCE = 0.5
# A fact below that importance is shown only when its vector is this close to the query.
MIN_FACT_SIMILARITY = 0.35
FACT_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, and where. `name` is what the asker is called there; empty where nobody says."""

    tenant: str
    contact_id: str
    anchor: str
    is_group: bool
    name: str = ""

    @classmethod
    def of(cls, message: Message) -> Scope:
        """Return the scope in which a message asks."""
        return cls(
            message.chat.tenant,
            message.contact_id,
            message.anchor,
            message.is_group,
            message.sender_name,
        )


Vectors = list[tuple[float, ...]]


class _Near(NamedTuple):
    """What the vector index finds; no facts where none depends on it."""

    messages: Sequence[Hit] = ()
    facts: Sequence[Hit] = ()
    missing: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """The facts, by importance, then messages, best first; and which stores could not be asked."""

    entries: tuple[Recalled, ...]
    missing: tuple[Part, ...] = ()


async def recall(
    memory: Memory,
    scope: Scope,
    query: str,
    now: datetime,
    limit: int,
    shown: Collection[str] = (),
    quoted: Sequence[str] = (),
    *,
    compares_facts: bool = False,
) -> Findings:
    """Return every fact that may be shown, and at most `limit` messages.

    `query` is what was said, `quoted` what that quotes: it is searched for, too, the first more
    than the last. `shown`: uids of messages that the prompt shows anyway. Where there is nothing
    else to find, as in a young chat, nothing is searched, and only the facts are returned.
    `compares_facts`: each fact comes with its closeness to the query, even those that are shown
    whatever is asked.

    Raises:
        StoreUnavailable: Postgres cannot be reached. Memory does without any other store.
    """
    wanted = with_quoted(query, quoted)
    # Begun before it is known to be needed: it takes longer than to find that out.
    embedding = asyncio.create_task(_embedded(memory, wanted))
    asked = Query(query, now, scope.contact_id)
    try:
        return await _recall(
            memory, scope, asked, wanted, limit, shown, embedding, compares_facts=compares_facts
        )
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)


async def _embedded(memory: Memory, wanted: str) -> Vectors | None:
    if not wanted.strip():
        return []
    chunks = query_chunks(wanted)
    return await memory.outages.ask("embedder", lambda: memory.embedder.embed(chunks))


async def _recall(
    memory: Memory,
    scope: Scope,
    asked: Query,
    wanted: str,
    limit: int,
    shown: Collection[str],
    embedding: asyncio.Task[Vectors | None],
    *,
    compares_facts: bool,
) -> Findings:
    tenant, outages = scope.tenant, memory.outages
    listener = "" if scope.is_group else scope.contact_id
    facts, audience = await asyncio.gather(
        outages.ask("facts", lambda: memory.facts.active(tenant, scope.contact_id)),
        memory.lexical.audience(tenant, listener, scope.anchor, list(shown)),
    )
    missing: list[Part] = ["facts"] if facts is None else []
    anchors = [scope.anchor, *audience.further]
    visible = [fact for fact in facts or () if may_show(fact, scope)]
    is_all_told = all(fact.importance >= MIN_FACT_IMPORTANCE for fact in visible)
    if not wanted.strip() or (is_all_told and not audience.has_others and not audience.further):
        return Findings(tuple(_fact_entry(fact, 0.0) for fact in visible), tuple(missing))
    with_facts = compares_facts or not is_all_told
    near, lexical = await asyncio.gather(
        _nearest(memory, tenant, anchors, embedding, with_facts=with_facts),
        memory.lexical.search(tenant, anchors, query_words(wanted), CANDIDATES),
    )
    places = {match.item_id: match.place for match in lexical}
    if others := [hit.item_id for hit in near.messages if hit.item_id not in places]:
        places |= {place.uid: place for place in await memory.lexical.places(tenant, others)}
    closeness = {hit.item_id: hit.score for hit in near.facts}
    told = [
        _fact_entry(fact, close)
        for fact in visible
        if (close := closeness.get(fact.fact_id, 0.0)) >= MIN_FACT_SIMILARITY
        or fact.importance >= MIN_FACT_IMPORTANCE
    ]
    messages = fuse(asked, lexical, near.messages, places, limit)
    return Findings((*told, *messages), (*missing, *near.missing))


async def _nearest(
    memory: Memory,
    tenant: str,
    anchors: Sequence[str],
    embedding: asyncio.Task[Vectors | None],
    *,
    with_facts: bool,
) -> _Near:
    """Ask the vector index as soon as the query is embedded, while SQL works.

    One search for each piece of the query and kind.
    """
    vectors = await embedding
    if vectors is None:
        return _Near(missing=("embedder",))
    limits: dict[VectorKind, int] = {"message": CANDIDATES}
    if with_facts:
        limits["knowledge"] = FACT_CANDIDATES

    async def nearest(kind: VectorKind, limit: int) -> list[Hit]:
        searches = (memory.vectors.search(tenant, kind, anchors, v, limit) for v in vectors)
        return best_of(await asyncio.gather(*searches), limit)

    async def search() -> _Near:
        messages, *facts = await asyncio.gather(*(nearest(*each) for each in limits.items()))
        return _Near(messages, facts[0] if facts else ())

    return await memory.outages.ask("vectors", search) or _Near(missing=("vectors",))


def may_show(fact: Fact, scope: Scope) -> bool:
    """Tell whether a fact may surface here: in a group only what was said in that group."""
    return not scope.is_group or fact.anchor == scope.anchor


def _fact_entry(fact: Fact, similarity: float) -> Recalled:
    parts = {"importance": fact.importance, "confidence": fact.confidence}
    if similarity:
        parts["dense"] = similarity
    return Recalled("fact", fact.fact_id, fact.importance * fact.confidence, parts)
