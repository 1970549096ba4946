"""A search through what is remembered of a contact: facts, notes, messages, episodes, as hits.

The one way for whoever looks something up: tools, terminal, page, other people's graphs. It asks as
the contact's direct chat does, so that nothing is found which that may not be told (X2), and texts
are those of now. What a prompt would show of it, beside everything that it shows unasked, is told
only where a `Room` is given.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

from memory.domain.chats import StoredMessage
from memory.domain.episodes import Episode, Summary
from memory.domain.facts import Fact
from memory.domain.notes import NOTE, Note
from memory.domain.recalls import Part, Recalled
from memory.facts.predicates import fact_sentence
from memory.ports.bundle import Memory
from memory.recall.breadth import for_prompt, lines_sought
from memory.recall.certainty import is_uncertain
from memory.recall.noted import notes_by_id
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Findings, LookedAt, Scope, recall
from memory.recall.relevance import CORE_IMPORTANCE, DENSE, WORDS, fits
from memory.recall.stages import Stage

Cut = Literal["rank", "repeat", "room"]
"""Why a prompt would not show a hit: others come first, another says the same, it has no room."""

_LEXICAL: Final = "lexical"


class Room(NamedTuple):
    """What a prompt has room for.

    `lines`: so many messages where nobody can tell whether one thing or several are asked for.
    `tokens`: of its memory block, estimated.
    """

    lines: int
    tokens: int


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
    cut: Cut | None = None

    @property
    def text(self) -> str:
        """The fact as one short line, `home: Oslo`; of a note what it says."""
        return self.fact.value if self.note else fact_sentence(self.fact)


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message as it is now; `score` and its `parts` are those of ranking.

    Of what was said more than once it is the newest, in the place of the best.
    """

    stored: StoredMessage
    score: float
    parts: Mapping[str, float]
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class EpisodeHit:
    """An episode that is over. `score`: the cosine of its summary to the question."""

    episode: Episode
    summary: Summary
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, of each kind the best first; scores compare within a kind only.

    `left_out`: hits with a `cut`, facts before messages, of these the others' repeats and what
    others come before at last. `missing`: what could not be asked, none
    twice. `looked_at`: None where no message was searched. `stages`: what a model was asked.
    `certainty`: the chance that what was found answers; None where nobody can tell.
    """

    facts: tuple[FactHit, ...] = ()
    messages: tuple[MessageHit, ...] = ()
    episodes: tuple[EpisodeHit, ...] = ()
    left_out: tuple[FactHit | MessageHit, ...] = ()
    missing: tuple[Part, ...] = ()
    looked_at: LookedAt | None = None
    stages: tuple[Stage, ...] = ()
    certainty: float | None = None

    @property
    def is_near(self) -> bool:
        """Whether any of it has to do with the question, as far as anybody can tell.

        A fact that fits and a message with a word of the question have, however uncertain it is.
        """
        if not is_uncertain(self.certainty):
            return True
        return any(_names(hit) for hit in (*self.facts, *self.messages, *self.left_out))


async def search(
    memory: Memory,
    tenant: str,
    contact_id: str,
    query: str,
    now: datetime,
    limit: int,
    *,
    with_core: bool = False,
    room: Room | None = None,
    by_feature: bool = False,
) -> SearchResult:
    """Search what a contact's direct chat may be told; a blank query finds nothing.

    Found are facts, claims and notes that fit the query, messages, of those that say the same one,
    and episodes where it asks what was talked about.

    Args:
        memory: What is searched.
        tenant: Whose memory it is.
        contact_id: Who asks; empty for nobody, who is told what holds for the house.
        query: A question or a few words.
        now: The moment at which it is asked.
        limit: At most so many facts, claims, notes and messages, of each kind. With a `room` no
            fewer messages than a prompt looks for, and whatever fact fits.
        with_core: Facts of the contact's core are found, too, after those that fit: they may answer
            without a word of the query, as "home: Oslo" does.
        room: What would not fit into it is `left_out`; None: only repeats are.
        by_feature: Each message comes with what every feature adds to its score.

    Raises:
        StoreUnavailable: Postgres cannot be reached. Any other store is `missing`.
    """
    clean = query.replace("\x00", " ")  # which Postgres takes in no text
    if not clean.strip():
        return SearchResult()
    scope = Scope.direct(tenant, contact_id)
    sought = max(limit, lines_sought(room.lines)) if room else limit
    found = await recall(
        memory, scope, clean, now, sought, compares_facts=True, by_feature=by_feature
    )
    chosen = _for_prompt(found, room.lines) if room else found.entries
    told = await remember(memory, scope, chosen, room.tokens if room else sys.maxsize)
    facts = await _facts(memory, scope, told, with_core=with_core, is_bounded=room is not None)
    facts = facts if room else _first(facts, limit)
    messages = await _messages(memory, tenant, found.entries, told)
    every: list[FactHit | MessageHit] = [*facts, *messages]
    return SearchResult(
        tuple(hit for hit in facts if hit.cut is None),
        tuple(hit for hit in messages if hit.cut is None),
        await _episodes(memory, tenant, found.entries),
        tuple(hit for hit in every if hit.cut is not None),
        tuple(dict.fromkeys((*found.missing, *told.missing))),
        found.looked_at,
        found.stages,
        found.certainty,
    )


def _names(hit: FactHit | MessageHit) -> bool:
    return fits(hit.parts) if isinstance(hit, FactHit) else hit.parts.get(_LEXICAL, 0.0) > 0


def _for_prompt(found: Findings, lines: int) -> list[Recalled]:
    facts = [entry for entry in found.entries if entry.kind == "fact"]
    messages = [entry for entry in found.entries if entry.kind == "message"]
    return [*facts, *for_prompt(messages, found.several, lines)]


async def _facts(
    memory: Memory, scope: Scope, told: Remembered, *, with_core: bool, is_bounded: bool
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
        # Without a room, too, a block is held to so many facts: they are found all the same.
        cut: Cut | None = "room" if is_bounded and not entry.is_shown else None
        source, is_claim = told.messages.get(fact.source_uid), entry.item_id in told.claims
        hits.append(FactHit(fact, _fit(entry), entry.parts, source, note, is_claim, cut))
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


async def _messages(
    memory: Memory, tenant: str, entries: Sequence[Recalled], told: Remembered
) -> list[MessageHit]:
    """Return the messages that are there to be read, in a prompt's order, then those it lacks."""
    read = [each for each in told.recalled if each.kind == "message"]
    uids = {each.item_id for each in read}
    others = [each for each in entries if each.kind == "message" and each.item_id not in uids]
    unread = [each.item_id for each in others if each.item_id not in told.messages]
    more = await memory.ledger.messages(tenant, unread) if unread else []
    said = {**told.messages, **{each.uid: each for each in more if not each.withheld}}
    hits = [
        MessageHit(told.messages[each.item_id], each.score, each.parts, _cut_of(each))
        for each in read
    ]
    rest = [
        MessageHit(stored, each.score, each.parts, "rank")
        for each in others
        if (stored := said.get(each.item_id)) is not None and stored.message.text
    ]
    return [*hits, *rest]


def _cut_of(read: Recalled) -> Cut | None:
    if read.repeats:
        return "repeat"
    return None if read.is_shown else "room"


async def _episodes(
    memory: Memory, tenant: str, entries: Sequence[Recalled]
) -> tuple[EpisodeHit, ...]:
    near = {each.item_id: each for each in entries if each.kind == "episode"}
    over = await memory.episodes.over(tenant, near)
    return tuple(
        EpisodeHit(each, each.summary, near[each.first_uid].score, near[each.first_uid].parts)
        for each in over
        if each.summary is not None
    )
