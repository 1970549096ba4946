"""Recall for a query: the facts that may be shown, messages and episodes that fit best (L4).

Who may hear what is decided here, by the scope: in a group only what was said in that group, in a
direct chat what this contact said, and the imported chats that this contact was in (X2).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from memory.domain.chats import Message
from memory.domain.contacts import ContactRow
from memory.domain.facts import Fact
from memory.domain.recalls import Audience, Part, Recalled
from memory.ports.bundle import Memory
from memory.recall.aliases import named_question
from memory.recall.certainty import certainty_of
from memory.recall.claimed import claimed_of
from memory.recall.entries import closer_entries, fact_entry, is_told
from memory.recall.episodes_asked import episodes_asked
from memory.recall.facts_asked import Asked, facts_asked
from memory.recall.gathering import Embedding, Gathered, embedded, gather
from memory.recall.heard import heard_of
from memory.recall.noted import MAX_SHOWN, noted_of
from memory.recall.query import with_quoted
from memory.recall.ranking.features import Pool, Question
from memory.recall.ranking.order import ranked
from memory.recall.recaps import LIKELY as RECAP_LIKELY
from memory.recall.recaps import RECAP, recap_chance
from memory.recall.relevance import naming
from memory.recall.stages import MAX_RANKED, Stage, reranked, rewritten
from memory.text.zones import zone_of

FACT_ANCHORS = 8
"""In the vectors of so many places a contact's facts are looked for."""
MOST_EPISODES = 3
FEW_FACTS = 40
"""So many facts are shown anyway: with more, those close to the query go first."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, and where. `name` is what the asker is called there; empty where nobody says.

    `zone`: the time zone in which days and times are read and told there.
    """

    tenant: str
    contact_id: str
    anchor: str
    is_group: bool
    name: str = ""
    zone: tzinfo = UTC

    @property
    def limit_to(self) -> str:
        """The anchor whose statements alone may surface; empty in a direct chat: this contact's."""
        return self.anchor if self.is_group else ""

    @classmethod
    def direct(cls, tenant: str, contact_id: str) -> Scope:
        """Return the scope of a contact's direct chat, where nobody says what they are called."""
        return cls(tenant, contact_id, f"contact:{contact_id}", is_group=False)

    @classmethod
    def of(cls, message: Message, zone: tzinfo = UTC) -> Scope:
        """Return the scope in which a message asks."""
        return cls(
            message.chat.tenant,
            message.contact_id,
            message.anchor,
            message.is_group,
            message.sender_name,
            zone,
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
    than the last. Times that it names are meant in the zone of who asks, or the scope's where that
    is not known. `shown`: uids of messages that the prompt shows anyway; `before`: of the lines
    before the query, oldest first, by which a model understands it where one words it anew. Where
    there is nothing else to find, as in a young chat, nothing is searched, and only the facts are
    returned. Episodes are searched where it is asked what was talked about.
    `with_facts`: without, neither facts nor claims are asked for.
    `compares_facts`: each fact comes with its closeness to the query, even those that are shown
    whatever is asked. `by_feature`: each message comes with what every feature adds to its score.

    Raises:
        StoreUnavailable: Postgres cannot be reached. Memory does without any other store.
    """
    # Begun before it is known to be needed: it takes longer than to find that out.
    wanted = with_quoted(query, quoted)
    embedding = asyncio.create_task(embedded(memory, wanted))
    search = _Search(
        memory,
        scope,
        Question(query, now, scope.contact_id),
        wanted,
        limit,
        shown,
        before,
        embedding,
        with_facts=with_facts,
        compares_facts=compares_facts,
        by_feature=by_feature,
    )
    try:
        return await search.findings()
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)


def may_show(fact: Fact, scope: Scope) -> bool:
    """Tell whether a fact may surface here: in a group only what was said in that group."""
    return not scope.is_group or fact.anchor == scope.anchor


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known before anything is searched: `facts` that may be shown, each with its entry.

    `named`: the question with relatives by their names; empty where it means none that is known.
    `is_missing`: facts could not be asked. `asker`: as in `Findings`.
    """

    facts: tuple[Fact, ...]
    entries: tuple[Recalled, ...]
    noted: tuple[Recalled, ...]
    audience: Audience
    named: str
    is_missing: bool
    asker: ContactRow | None

    @property
    def told(self) -> tuple[Recalled, ...]:
        """The facts that are shown whatever else is found."""
        return tuple(filter(is_told, self.entries))

    @property
    def is_settled(self) -> bool:
        """Whether every fact is shown anyway."""
        return len(self.facts) <= FEW_FACTS and len(self.told) == len(self.entries)

    @property
    def has_more(self) -> bool:
        """Whether anything was said that the prompt does not show anyway."""
        return self.audience.has_others or bool(self.audience.further)


@dataclass(frozen=True, slots=True)
class _Search:
    """One recall; its fields are what `recall` is given."""

    memory: Memory
    scope: Scope
    asked: Question
    wanted: str
    limit: int
    shown: Collection[str]
    before: Sequence[str]
    embedding: Embedding
    with_facts: bool
    compares_facts: bool
    by_feature: bool

    async def findings(self) -> Findings:
        """Recall what is known, and where there is more, search."""
        known = await self._known()
        if self.wanted.strip() and (known.has_more or not known.is_settled):
            found = await self._searched(known)
        else:
            found = await self._unsearched(known)
        missing = ("facts", *found.missing) if known.is_missing else found.missing
        return replace(found, missing=missing, asker=known.asker)

    async def _known(self) -> _Known:
        scope, lexical = self.scope, self.memory.lexical
        listener = "" if scope.is_group else scope.contact_id
        facts, audience = await asyncio.gather(
            self._facts(),
            lexical.audience(
                scope.tenant, listener, scope.anchor, list(self.shown), scope.contact_id
            ),
        )
        if not self.with_facts:
            audience = replace(audience, has_claims=False, has_notes=False)
        noted: list[Recalled] = []
        if audience.has_notes:
            most = self.limit if self.compares_facts else MAX_SHOWN
            noted = await noted_of(
                self.memory, scope.tenant, scope.anchor, self.asked.text, self.embedding, most
            )
        visible = tuple(fact for fact in facts or () if may_show(fact, scope))
        named = naming(self.asked.text)
        entries = tuple(fact_entry(fact, named(fact)) for fact in visible)
        anchors = [scope.anchor, *audience.further]
        by_names = await named_question(
            self.memory, scope.tenant, anchors, self.asked.text, visible
        )
        asker = None if scope.is_group else audience.asker
        return _Known(visible, entries, tuple(noted), audience, by_names, facts is None, asker)

    async def _facts(self) -> Sequence[Fact] | None:
        """Return the asker's facts; None where they cannot be asked."""
        if not self.with_facts:
            return ()
        active, scope = self.memory.facts.active, self.scope
        return await self.memory.outages.ask(
            "facts", lambda: active(scope.tenant, scope.contact_id)
        )

    async def _unsearched(self, known: _Known) -> Findings:
        """Return what is known where there is nothing else to find."""
        claimed = await self._claimed(known)
        asks_for = await self._asked_for(of_facts=bool(known.facts))
        return Findings((*known.told, *known.noted, *claimed), asks_for=asks_for)

    async def _searched(self, known: _Known) -> Findings:
        """Search messages and episodes, and the facts that depend on how near they are."""
        memory, tenant = self.memory, self.scope.tenant
        anchors = [self.scope.anchor, *known.audience.further] if known.has_more else []
        is_compared = self.compares_facts or not known.is_settled
        of_facts = _places_of(known.facts) if is_compared else []
        rewording = None
        if anchors:
            rewording = await rewritten(memory, tenant, self.wanted, self.before)
        also = (*(rewording.queries if rewording else ()), *filter(None, [known.named]))
        gathered, claimed = await asyncio.gather(
            gather(
                memory,
                tenant,
                anchors,
                of_facts,
                self.wanted,
                self.embedding,
                also,
                is_named=bool(known.named),
            ),
            self._claimed(known),
        )
        asks_for = await self._asked_for()
        asked = self._asked_there(known)
        ranking = await self._ranked(asked, gathered, also)
        told = closer_entries(known.facts, known.entries, gathered.facts, asks_for)
        heard = await self._heard(gathered.pool, anchors)
        episodes = await episodes_asked(memory, tenant, asked, gathered.episodes, asks_for, anchors)
        near = tuple(each for each in episodes if each.item_id not in self.shown)[:MOST_EPISODES]
        stages = tuple(filter(None, (rewording, ranking.stage)))
        return Findings(
            (*told, *known.noted, *claimed, *heard, *ranking.messages, *near),
            (*(stage.name for stage in stages if stage.fell_back), *gathered.missing),
            LookedAt.of(gathered.pool),
            stages,
            gathered.several,
            ranking.certainty,
            asks_for,
        )

    def _asked_there(self, known: _Known) -> Question:
        """Return the question with its moment by the clock of who asks."""
        zone = (zone_of(known.asker.zone) if known.asker else None) or self.scope.zone
        return replace(self.asked, now=self.asked.now.astimezone(zone))

    async def _ranked(self, asked: Question, gathered: Gathered, also: Sequence[str]) -> _Ranked:
        """Order the messages that were gathered, by a model where one is set."""
        question = replace(
            asked, asking=gathered.asking, kinds=gathered.kinds, rewritten=tuple(also)
        )
        most = self.limit
        if self.memory.reranker is not None:
            most = max(most, MAX_RANKED + len(self.shown))
        best = ranked(question, gathered.pool, most, by_feature=self.by_feature)
        certainty = certainty_of(best, gathered.pool) if gathered.asking else None
        lines = gathered.pool.lines
        messages, stage = await reranked(self.memory, question, best, lines, self.shown)
        return _Ranked(tuple(messages[: self.limit]), stage, certainty)

    async def _claimed(self, known: _Known) -> list[Recalled]:
        """Return the claims of whom the query names; where nothing is claimed, nobody is asked."""
        if not known.audience.has_claims:
            return []
        scope, text = self.scope, self.asked.text
        text = "\n".join(filter(None, [text, known.named]))
        found = await claimed_of(self.memory, scope.tenant, scope.contact_id, text, scope.limit_to)
        return [fact_entry(claim, 1.0) for claim in found]

    async def _heard(self, pool: Pool, anchors: Collection[str]) -> list[Recalled]:
        """Return facts that others whom the query names told of themselves where it is asked."""
        if not self.with_facts:
            return []
        tenant, asker = self.scope.tenant, self.scope.contact_id
        told = await heard_of(self.memory, tenant, asker, self.asked.text, pool.lines, anchors)
        return [fact_entry(fact, 1.0) for fact in told]

    async def _asked_for(self, *, of_facts: bool = True) -> Asked | None:
        """Return what is asked for, of facts of who asks and a recap; None where unknown.

        `of_facts`: any is known of who asks.
        """
        vectors = [read.vector for read in await self.embedding or ()]
        fingerprint, text = self.memory.embedder.fingerprint, self.asked.text
        facts = facts_asked(fingerprint, vectors, text) if of_facts else None
        chance = recap_chance(fingerprint, vectors, text) if vectors else 0.0
        return {**(facts or {}), RECAP: chance} if chance >= RECAP_LIKELY else facts


class _Ranked(NamedTuple):
    """Messages, best first, what a model was asked about them, and how certain they answer."""

    messages: tuple[Recalled, ...]
    stage: Stage | None
    certainty: float | None


def _places_of(facts: Sequence[Fact]) -> list[str]:
    return list(dict.fromkeys(fact.anchor for fact in facts))[:FACT_ANCHORS]
