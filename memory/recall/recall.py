"""Recall for a query: every active fact that may be shown, and the messages that fit best (L4).

Who may hear what is decided here, by the scope: in a group only what was said in that group, in a
direct chat what this contact said, and the imported chats that this contact was in (X2).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.domain.chats import Message
from memory.domain.facts import Fact
from memory.domain.recalls import Hit, Recalled
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


async def recall(
    memory: Memory,
    scope: Scope,
    query: str,
    now: datetime,
    limit: int,
    shown: Collection[str] = (),
    quoted: Sequence[str] = (),
) -> list[Recalled]:
    """Return the facts, by importance, then at most `limit` messages, best first.

    `query` is what was said, `quoted` what that quotes: it is searched for, too, the first more
    than the last. `shown`: uids of messages that the prompt shows anyway. Where there is nothing
    else to find, as in a young chat, nothing is searched, and only the facts are returned.
    """
    wanted = with_quoted(query, quoted)
    # Begun before it is known to be needed: it takes longer than to find that out.
    chunks = query_chunks(wanted) if wanted.strip() else []
    embedding = asyncio.create_task(memory.embedder.embed(chunks))
    try:
        asked = Query(query, now, scope.contact_id)
        return await _recall(memory, scope, asked, wanted, limit, shown, embedding)
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)


async def _recall(
    memory: Memory,
    scope: Scope,
    asked: Query,
    wanted: str,
    limit: int,
    shown: Collection[str],
    embedding: asyncio.Task[list[tuple[float, ...]]],
) -> list[Recalled]:
    listener = "" if scope.is_group else scope.contact_id
    facts, audience = await asyncio.gather(
        memory.facts.active(scope.tenant, scope.contact_id),
        memory.lexical.audience(scope.tenant, listener, scope.anchor, list(shown)),
    )
    anchors = [scope.anchor, *audience.further]
    visible = [fact for fact in facts if may_show(fact, scope)]
    is_all_told = all(fact.importance >= MIN_FACT_IMPORTANCE for fact in visible)
    if not wanted.strip() or (is_all_told and not audience.has_others and not audience.further):
        return [_fact_entry(fact, 0.0) for fact in visible]
    vectors, lexical = await asyncio.gather(
        embedding,
        memory.lexical.search(scope.tenant, anchors, query_words(wanted), CANDIDATES),
    )

    async def nearest(kind: VectorKind, limit: int) -> list[Hit]:
        searches = (memory.vectors.search(scope.tenant, kind, anchors, v, limit) for v in vectors)
        return best_of(await asyncio.gather(*searches), limit)

    dense, knowledge = await asyncio.gather(
        nearest("message", CANDIDATES), nearest("knowledge", FACT_CANDIDATES)
    )
    uids = list({hit.item_id for hit in [*lexical, *dense]})
    places = {p.uid: p for p in await memory.lexical.places(scope.tenant, uids)} if uids else {}
    closeness = {hit.item_id: hit.score for hit in knowledge}
    told = [
        _fact_entry(fact, closeness.get(fact.fact_id, 0.0))
        for fact in visible
        if fact.importance >= MIN_FACT_IMPORTANCE
        or closeness.get(fact.fact_id, 0.0) >= MIN_FACT_SIMILARITY
    ]
    return [*told, *fuse(asked, lexical, dense, places, limit)]


def may_show(fact: Fact, scope: Scope) -> bool:
    """Tell whether a fact may surface here: in a group only what was said in that group."""
    return not scope.is_group or fact.anchor == scope.anchor


def _fact_entry(fact: Fact, similarity: float) -> Recalled:
    parts = {"importance": fact.importance, "confidence": fact.confidence}
    if similarity:
        parts["dense"] = similarity
    return Recalled("fact", fact.fact_id, fact.importance * fact.confidence, parts)
