"""Recall for a query: the facts that may be shown, messages and episodes that fit best (L4).

Who may hear what is decided here, by the scope: in a group only what was said in that group, in a
direct chat what this contact said, and the imported chats that this contact was in (X2).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memory.domain.chats import Message
from memory.domain.contacts import ContactRow
from memory.domain.facts import Fact
from memory.domain.recalls import Audience, Hit, Part, Recalled
from memory.ports.bundle import Memory
from memory.recall.certainty import certainty_of
from memory.recall.claimed import claimed_of
from memory.recall.facts_asked import EVERYTHING, LIKELY, Asked, facts_asked
from memory.recall.gathering import Embedding, embedded, gather
from memory.recall.heard import heard_of
from memory.recall.noted import noted_of
from memory.recall.query import with_quoted
from memory.recall.ranking.features import Pool, Question
from memory.recall.ranking.order import ranked
from memory.recall.recaps import LIKELY as RECAP_LIKELY
from memory.recall.recaps import RECAP, recap_chance
from memory.recall.relevance import (
    ASKED_FOR,
    DENSE,
    MIN_IMPORTANCE,
    PINNED,
    WORDS,
    fits,
    naming,
)
from memory.recall.stages import MAX_RANKED, Stage, reranked, rewritten
from memory.text.dates import spans

FACT_ANCHORS = 8
"""In the vectors of so many places a contact's facts are looked for."""
MOST_EPISODES = 3
NEAR_EPISODE = 0.2
"""The least cosine of an episode's summary to a question about what was talked about."""
DATED_EPISODES = 8
"""So many of a time that is named are looked at, the latest."""
MOST_TIMES = 2
FEW_FACTS = 40
"""So many facts are shown anyway: with more, those close to the query go first."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, and where. `name` is what the asker is called there; empty where nobody says."""

    tenant: str
    contact_id: str
    anchor: str
    is_group: bool
    name: str = ""

    @property
    def limit_to(self) -> str:
        """The anchor whose statements alone may surface; empty in a direct chat: this contact's."""
        return self.anchor if self.is_group else ""

    @classmethod
    def direct(cls, tenant: str, contact_id: str) -> Scope:
        """Return the scope of a contact's direct chat, where nobody says what they are called."""
        return cls(tenant, contact_id, f"contact:{contact_id}", is_group=False)

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


class LookedAt(NamedTuple):
    """Among how many lines the messages were chosen, and what brought these up."""

    lines: int
    by_words: int
    by_meaning: int
    with_tokens: int

    @classmethod
    def of(cls, pool: Pool) -> LookedAt:
        """Count what a pool holds."""
        return cls(
            len(pool.lines),
            len(pool.lexical.hits),
            len(pool.cosines),
            sum(bool(line.tokens) for line in pool.lines),
        )


@dataclass(frozen=True, slots=True)
class Findings:
    """The facts, by importance, then messages and episodes, best first; and what was missing.

    `stages`: what a model was asked beside them. `several`: the chance that the question asks for
    several things; `certainty`: that what was found answers it, and `asks_for`: which facts of who
    asks it, and whether a recap; None where nobody can tell.
    `asker`: what is kept of who asks; None of a stranger, and in a group, where nobody is told what
    somebody is like elsewhere.
    """

    entries: tuple[Recalled, ...]
    missing: tuple[Part, ...] = ()
    looked_at: LookedAt | None = None
    stages: tuple[Stage, ...] = ()
    several: float = 0.0
    certainty: float | None = None
    asks_for: Asked | None = None
    asker: ContactRow | None = None


async def recall(
    memory: Memory,
    scope: Scope,
    query: str,
    now: datetime,
    limit: int,
    shown: Collection[str] = (),
    quoted: Sequence[str] = (),
    before: Sequence[str] = (),
    *,
    with_facts: bool = True,
    compares_facts: bool = False,
    by_feature: bool = False,
) -> Findings:
    """Return the facts that may be shown, claims of whom the query names, and `limit` messages.

    `query` is what was said, `quoted` what that quotes: it is searched for, too, the first more
    than the last. `shown`: uids of messages that the prompt shows anyway; `before`: of the lines
    before the query, oldest first, by which a model understands it where one words it anew. Where
    there is nothing else to find, as in a young chat, nothing is searched, and only the facts are
    returned. Episodes are searched where it is asked what was talked about.
    `with_facts`: without, neither facts nor claims are asked for.
    `compares_facts`: each fact comes with its closeness to the query, even those that are shown
    whatever is asked. `by_feature`: each message comes with what every feature adds to its score.

    Raises:
        StoreUnavailable: Postgres cannot be reached. Memory does without any other store.
    """
    wanted = with_quoted(query, quoted)
    # Begun before it is known to be needed: it takes longer than to find that out.
    embedding = asyncio.create_task(embedded(memory, wanted))
    asked = Question(query, now, scope.contact_id)
    try:
        return await _recall(
            memory,
            scope,
            asked,
            wanted,
            limit,
            shown,
            before,
            embedding,
            with_facts=with_facts,
            compares_facts=compares_facts,
            by_feature=by_feature,
        )
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)


async def _recall(
    memory: Memory,
    scope: Scope,
    asked: Question,
    wanted: str,
    limit: int,
    shown: Collection[str],
    before: Sequence[str],
    embedding: Embedding,
    *,
    with_facts: bool,
    compares_facts: bool,
    by_feature: bool,
) -> Findings:
    tenant, outages = scope.tenant, memory.outages
    listener = "" if scope.is_group else scope.contact_id

    async def known() -> Sequence[Fact] | None:
        if not with_facts:
            return ()
        return await outages.ask("facts", lambda: memory.facts.active(tenant, scope.contact_id))

    facts, audience = await asyncio.gather(
        known(),
        memory.lexical.audience(tenant, listener, scope.anchor, list(shown), scope.contact_id),
    )
    if not with_facts:
        audience = replace(audience, has_claims=False, has_notes=False)
    asker = None if scope.is_group else audience.asker
    noted: list[Recalled] = []
    if audience.has_notes:
        noted = await noted_of(memory, tenant, scope.anchor, asked.text, embedding)
    missing: list[Part] = ["facts"] if facts is None else []
    visible = [fact for fact in facts or () if may_show(fact, scope)]
    named = naming(asked.text)
    entries = [_fact_entry(fact, named(fact)) for fact in visible]
    is_settled = len(visible) <= FEW_FACTS and all(map(_is_told, entries))
    has_more = audience.has_others or bool(audience.further)
    if not wanted.strip() or (is_settled and not has_more):
        claimed = await _claimed(memory, scope, asked, audience)
        told = (*filter(_is_told, entries), *noted, *claimed)
        asks_for = await _asked_for(memory, asked.text, embedding, knows_facts=bool(visible))
        return Findings(told, tuple(missing), asks_for=asks_for, asker=asker)
    of_messages = [scope.anchor, *audience.further] if has_more else []
    of_facts = _places_of(visible) if compares_facts or not is_settled else []
    rewording = await rewritten(memory, tenant, wanted, before) if of_messages else None
    also = rewording.queries if rewording else ()
    gathered, claimed = await asyncio.gather(
        gather(memory, tenant, of_messages, of_facts, wanted, embedding, also),
        _claimed(memory, scope, asked, audience),
    )
    closeness = {hit.item_id: hit.score for hit in gathered.facts}
    asks_for = await _asked_for(memory, asked.text, embedding)
    closer = [
        _closer(entry, closeness.get(entry.item_id, 0.0), is_asked=_is_asked(fact, asks_for))
        for fact, entry in zip(visible, entries, strict=True)
    ]
    pool = gathered.pool
    heard = await _heard(memory, scope, asked, pool, of_messages) if with_facts else []
    question = replace(asked, asking=gathered.asking, kinds=gathered.kinds, rewritten=also)
    most = limit if memory.reranker is None else max(limit, MAX_RANKED + len(shown))
    best = ranked(question, pool, most, by_feature=by_feature)
    certainty = certainty_of(best, pool) if gathered.asking else None
    messages, ordering = await reranked(memory, question, best, pool.lines, shown)
    stages = tuple(filter(None, (rewording, ordering)))
    missing += [stage.name for stage in stages if stage.fell_back]
    episodes = await _episodes(memory, tenant, asked, gathered.episodes, asks_for, of_messages)
    found = (*filter(_is_told, closer), *noted, *claimed, *heard, *messages[:limit])
    found += tuple(each for each in episodes if each.item_id not in shown)[:MOST_EPISODES]
    missing += gathered.missing
    looked_at = LookedAt.of(pool)
    several = gathered.several
    return Findings(found, tuple(missing), looked_at, stages, several, certainty, asks_for, asker)


async def _claimed(
    memory: Memory, scope: Scope, asked: Question, audience: Audience
) -> list[Recalled]:
    """Return the claims of whom the query names; where nothing is claimed, nobody is asked."""
    if not audience.has_claims:
        return []
    found = await claimed_of(memory, scope.tenant, scope.contact_id, asked.text, scope.limit_to)
    return [_fact_entry(claim, 1.0) for claim in found]


async def _heard(
    memory: Memory, scope: Scope, asked: Question, pool: Pool, anchors: Sequence[str]
) -> list[Recalled]:
    """Return facts that others whom the query names told of themselves where it is asked."""
    told = await heard_of(
        memory, scope.tenant, scope.contact_id, asked.text, pool.lines, set(anchors)
    )
    return [_fact_entry(fact, 1.0) for fact in told]


async def _episodes(
    memory: Memory,
    tenant: str,
    asked: Question,
    near: Sequence[Hit],
    asks_for: Asked | None,
    anchors: Sequence[str],
) -> list[Recalled]:
    """Return the episodes that are near; where a recap of a named time is asked for, those of it.

    What is nearest comes first, then the latest.
    """
    times = spans(asked.text, asked.now) if RECAP in (asks_for or {}) else []
    if not times:
        return [_episode_entry(hit) for hit in near if hit.score >= NEAR_EPISODE]
    listing = memory.episodes.of_anchors
    found = await asyncio.gather(
        *(
            listing(tenant, anchors, DATED_EPISODES, since=span.start, until=span.end)
            for span in times[:MOST_TIMES]
        )
    )
    cosines = {hit.item_id: hit.score for hit in near}
    told = {each.first_uid for some in found for each in some if each.summary and not each.is_open}
    order = [uid for uid in cosines if uid in told]
    order += [each.first_uid for some in found for each in some if each.first_uid in told]
    return [_episode_entry(Hit(uid, cosines.get(uid, 0.0))) for uid in dict.fromkeys(order)]


async def _asked_for(
    memory: Memory, text: str, embedding: Embedding, *, knows_facts: bool = True
) -> Asked | None:
    """Return what a text asks for, of facts of who writes it and a recap; None where unknown.

    Of facts nobody asks where none is known.
    """
    vectors = [read.vector for read in await embedding or ()]
    fingerprint = memory.embedder.fingerprint
    facts = facts_asked(fingerprint, vectors, text) if knows_facts else None
    chance = recap_chance(fingerprint, vectors, text) if vectors else 0.0
    return {**(facts or {}), RECAP: chance} if chance >= RECAP_LIKELY else facts


def _is_asked(fact: Fact, asked: Asked | None) -> bool:
    kinds = asked or {}
    return max(kinds.get(fact.key.partition(":")[0], 0.0), kinds.get(EVERYTHING, 0.0)) >= LIKELY


def may_show(fact: Fact, scope: Scope) -> bool:
    """Tell whether a fact may surface here: in a group only what was said in that group."""
    return not scope.is_group or fact.anchor == scope.anchor


def _places_of(facts: Sequence[Fact]) -> list[str]:
    return list(dict.fromkeys(fact.anchor for fact in facts))[:FACT_ANCHORS]


def _is_told(entry: Recalled) -> bool:
    """Tell whether a fact is shown where there is room: one of low importance where it fits."""
    parts = entry.parts
    return parts["importance"] >= MIN_IMPORTANCE or PINNED in parts or fits(parts)


def _fact_entry(fact: Fact, named: float) -> Recalled:
    parts = {"importance": fact.importance, "confidence": fact.confidence}
    if named:
        parts[WORDS] = named
    if fact.mark == "pinned":
        parts[PINNED] = 1.0
    return Recalled("fact", fact.fact_id, fact.importance * fact.confidence, parts)


def _episode_entry(hit: Hit) -> Recalled:
    """Return an episode, by the uid of its first message."""
    return Recalled("episode", hit.item_id, hit.score, {DENSE: hit.score})


def _closer(entry: Recalled, similarity: float, *, is_asked: bool) -> Recalled:
    """Return a fact with its closeness to the question, and whether its kind is asked for."""
    parts = dict(entry.parts)
    if similarity:
        parts[DENSE] = similarity
    if is_asked:
        parts[WORDS] = max(parts.get(WORDS, 0.0), ASKED_FOR)
    return replace(entry, parts=parts)
