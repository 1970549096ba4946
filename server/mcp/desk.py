"""What each tool does, on open stores, for whom the server speaks.

A server speaks for one contact, or for the owner. For a contact it tells what that contact's direct
chat would be told (X2), and writes what is so of them; no tool names anybody else. For the owner
every tool says whom it is about, and instructions and what holds for the house can be written, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from graph.stores import Stores
from memory.domain.channels import channel_name
from memory.domain.notes import MemoryKind
from memory.errors import RecollectError
from memory.facts.asof import moment_of
from memory.facts.listing import facts_of, listed
from memory.facts.named import EVERYTHING
from memory.facts.notebook import About, Notebook
from memory.facts.predicates import fact_sentence
from memory.policy.addressed import is_addressed
from memory.recall.searching import EpisodeHit, FactHit, MessageHit, search
from memory.recall.texts import speaker_of
from memory.text.excerpts import cut
from server.contact_context import ContactContext, context_of
from server.mcp.answers import (
    Asked,
    Forgetting,
    Found,
    Gone,
    Hit,
    Kept,
    Known,
    KnownFact,
    Listing,
    Looked,
    People,
    Person,
    Told,
    Wanted,
)

MAX_SHOWN_CHARS: Final = 600
MAX_FACTS: Final = 100
MAX_FORGOTTEN: Final = 5
"""A word that names more than this was hardly meant so."""
PAGE: Final = 50


class ToolRefused(RecollectError):
    """A tool is not used like this."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Memory of the tenant that the settings name, as tools use it."""

    stores: Stores

    @property
    def _tenant(self) -> str:
        return self.stores.settings.tenant

    @property
    def _book(self) -> Notebook:
        return Notebook(self.stores.memory, self.stores.clock, self.stores.ids, self._tenant)

    async def search(self, contact_id: str, asked: Asked) -> Found:
        """Return what a contact's direct chat would recall: facts that fit, its core, messages.

        At most `limit` of each kind, the best first.

        Raises:
            ToolRefused: nothing is asked.
        """
        query = _said(asked.query, "query")
        found = await search(
            self.stores.memory,
            self._tenant,
            contact_id,
            query,
            self.stores.clock(),
            asked.limit,
            with_core=True,
        )
        facts, messages = map(_fact_hit, found.facts), map(_message_hit, found.messages)
        episodes = map(_episode_hit, found.episodes)
        return Found(results=[*facts, *messages, *episodes], missing=list(found.missing))

    async def facts(self, contact_id: str, asked: Listing) -> Known:
        """Return a contact's facts, now or as of a day.

        Raises:
            BadTime: the day cannot be read.
        """
        at = moment_of(asked.as_of, UTC) if asked.as_of.strip() else None
        memory = self.stores.memory
        held = await facts_of(memory, self._tenant, contact_id, at)
        shown = await listed(memory, self._tenant, held[:MAX_FACTS])
        return Known(
            facts=[
                KnownFact(
                    key=each.fact.key,
                    value=each.fact.value,
                    since=_day(each.fact.valid_from),
                    until=_day(end)
                    if (end := each.fact.valid_to or each.fact.expires_at)
                    else None,
                    said_by=each.who,
                    how=each.how,
                )
                for each in shown
            ]
        )

    async def context(self, contact_id: str, asked: Wanted) -> ContactContext:
        """Return what `GET /context/{contact_id}` returns."""
        return await context_of(self.stores, contact_id, asked.query.replace("\x00", " "))

    async def remember(self, contact_id: str, told: Told, kind: MemoryKind = "semantic") -> Kept:
        """Write something down as the owner would: a fact, an instruction or a note (N15).

        Raises:
            ToolRefused: it gives the machine orders, and is no instruction of the owner's.
            BadNote, BadCorrection: it is empty, too long, or no value of its key.
        """
        text = _said(told.text, "text")
        # What asks a tool to be called may have come from a page that the caller has read.
        if kind != "procedural" and is_addressed(text):
            raise ToolRefused("that gives the agent orders; only what is so is remembered")
        written = await self._book.add(text, kind, About(contact_id))
        if written.note is not None:
            return Kept(kept_as="note", id=written.note.uid)
        return Kept(kept_as="fact", now=[fact_sentence(fact) for fact in written.facts])

    async def forget(self, contact_id: str, asked: Forgetting, kinds: Sequence[MemoryKind]) -> Gone:
        """Forget the facts and notes that words name; the transcript keeps its lines.

        Raises:
            ToolRefused: words name nothing, or more than was hardly meant.
        """
        words = _said(asked.words, "words")
        about = About(contact_id)
        named = await self._book.named(words, kinds, about)
        many = len(named.notes) + len(named.facts)
        if not many:
            raise ToolRefused("nothing that is known has these words; see list_facts")
        if many > MAX_FORGOTTEN or words.casefold() == EVERYTHING:
            raise ToolRefused(f"these words name {many} things; say which one is meant")
        gone = await self._book.forget(words, kinds, about)
        facts = [f"{fact.key.replace('_', ' ')}: {fact.value}" for fact in gone.facts.facts]
        return Gone(
            forgotten=[*facts, *(note.text for note in gone.notes)],
            messages_withheld=len(gone.facts.withheld),
        )

    async def knows(self, contact_id: str) -> bool:
        """Tell whether anything is kept of a contact."""
        memory = self.stores.memory
        rows = await memory.contact_states.of(self._tenant, [contact_id])
        return bool(rows) or bool(await memory.facts.active(self._tenant, contact_id))

    async def contacts(self, asked: Looked) -> People:
        """Return a page of the tenant's contacts, by id."""
        states = self.stores.memory.contact_states
        search, after = asked.search.replace("\x00", " "), asked.after.replace("\x00", " ")
        rows = await states.listing(self._tenant, search, after, PAGE)
        people = [
            Person(
                contact=row.contact_id,
                name=row.name,
                channel=channel_name(row.channel),
                last_seen=_day(row.course.last_at),
            )
            for row in rows
        ]
        return People(contacts=people, next_after=rows[-1].contact_id if len(rows) == PAGE else "")


def _fact_hit(hit: FactHit) -> Hit:
    return Hit(
        kind="note" if hit.note else "fact",
        text=cut(hit.text, MAX_SHOWN_CHARS),
        day=_day(hit.fact.valid_from),
        who=hit.fact.contact_id,
        score=round(hit.score, 3),
        id=hit.fact.fact_id,
    )


def _message_hit(hit: MessageHit) -> Hit:
    return Hit(
        kind="message",
        text=cut(hit.stored.message.text, MAX_SHOWN_CHARS),
        day=_day(hit.stored.message.sent_at),
        who=speaker_of(hit.stored),
        score=round(hit.score, 3),
        id=hit.stored.uid,
    )


def _episode_hit(hit: EpisodeHit) -> Hit:
    return Hit(
        kind="episode",
        text=cut(hit.summary.text, MAX_SHOWN_CHARS),
        day=_day(hit.episode.began_at),
        who="",
        score=round(hit.score, 3),
        id=hit.episode.first_uid,
    )


def _said(text: str, name: str) -> str:
    clean = text.replace("\x00", " ").strip()
    if not clean:
        raise ToolRefused(f"{name} is empty")
    return clean


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
