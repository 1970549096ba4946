"""What people write by hand for the agent to know, by kind (N11).

Whoever is at the command line, or has the API's key, writes here: the owner. Nothing in a chat
does. What has a place among facts becomes a fact: an instruction, or a value whose kind is named
("home: Berlin"). The rest is a note, kept with the ledger and derived of nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from memory.domain.chats import Actor, ChatRef, Message
from memory.domain.facts import Fact
from memory.domain.notes import SCOPES, MemoryKind, Note, Place
from memory.domain.work import AuditLine
from memory.errors import RecollectError
from memory.facts.correcting import TakenBack
from memory.facts.corrector import ACCOUNT, Corrector
from memory.facts.ended import EverKnown, ever_known
from memory.facts.named import holding
from memory.facts.predicates import STANDING, predicate
from memory.policy.keeping import rule_against
from memory.ports.bundle import Memory
from memory.ports.runtime import Clock, Ids
from memory.text.words import has_words

MAX_CHARS: Final = 600
HOUSE: Final = ("web", "notes", "house")
"""Channel, account and chat of a tenant's own lines."""


class BadNote(RecollectError):
    """A note cannot be written so."""


class UnknownNote(BadNote):
    """Nothing of the kind was written."""


@dataclass(frozen=True, slots=True)
class About:
    """Whom a note is about: a contact, or a chat as `CHANNEL/ACCOUNT/CHAT_ID`."""

    contact_id: str = ""
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """What came of a text: a note, or the facts that its key holds now."""

    note: Note | None = None
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """What holds no more."""

    notes: tuple[Note, ...] = ()
    facts: TakenBack = field(default_factory=lambda: TakenBack(()))


@dataclass(frozen=True, slots=True)
class Named:
    """The notes and facts that words name."""

    notes: tuple[Note, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Notebook:
    """Writes and forgets what a tenant's owner wants known."""

    memory: Memory
    clock: Clock
    ids: Ids
    tenant: str

    async def add(self, text: str, kind: MemoryKind, about: About) -> Written:
        """Write something down.

        Raises:
            BadNote: the text is empty or too long, a rule keeps it out, or there is no such chat.
            BadCorrection: it cannot be a fact's value.
        """
        clean = checked_text(text)
        key, value = (STANDING, clean) if kind == "procedural" else _keyed(kind, clean)
        if key:
            facts = await self._corrector.set(about.contact_id, key, value)
            await self._audit("added", kind)
            return Written(facts=tuple(facts))
        rules = await self.memory.rules.of(self.tenant)
        if rule := rule_against(rules, about.contact_id, "", clean):
            raise BadNote(f"it is never kept, by a rule: {rule.name}")
        place = await self._place(kind, about)
        at = self.clock()
        line = Message(
            chat=place.chat,
            message_id=self.ids(),
            actor=Actor.OWNER,
            sender_id="owner",
            contact_id=place.contact_id,
            text=clean,
            sent_at=at,
            is_group=place.is_group,
            from_me=True,
            is_owner=True,
            is_command=True,
            withheld=True,
        )
        await self.memory.ledger.record([line], history=True, arrived_at=at)
        await self.memory.notes.keep(self.tenant, line.uid, kind)
        await self._audit("added", kind)
        note = Note(line.uid, self.tenant, kind, place.contact_id, line.anchor, clean, at)
        return Written(note)

    async def forget(self, words: str, kinds: Collection[MemoryKind], about: About) -> Dropped:
        """Forget the notes and facts of these kinds that words name.

        Where a chat is named, those of that chat and the tenant's notes; else those of the contact
        and the tenant's. Either is named by its id, or facts as `holding` says and notes by words
        in them.

        Raises:
            UnknownNote: there is none.
        """
        named = await self.named(words, kinds, about)
        notes, facts = named.notes, named.facts
        if not notes and not facts:
            raise UnknownNote("nothing of the kind is known: `recollect memory notes` lists notes")
        await self.memory.notes.forget(self.tenant, [note.uid for note in notes], self.clock())
        taken = TakenBack(())
        if facts:
            taken = await self._corrector.forget_these(about.contact_id, facts, words)
        gone = {*(note.kind for note in notes), *map(kind_of, facts)}
        await self._audit("forgotten", ", ".join(sorted(gone)))
        return Dropped(notes, taken)

    async def named(self, words: str, kinds: Collection[MemoryKind], about: About) -> Named:
        """Return what `forget` would forget: the fact or note of an id, else what words name."""
        notes = (note for note in await self._notes(kinds, about) if _is_named(note, words))
        known = await self._known(kinds, about)
        of_id = [fact for fact in known.all if fact.fact_id == words.strip()]
        return Named(tuple(notes), tuple(of_id or holding(known, words)))

    @property
    def _corrector(self) -> Corrector:
        return Corrector(self.memory, self.clock, self.ids, self.tenant)

    async def _notes(self, kinds: Collection[MemoryKind], about: About) -> list[Note]:
        place = await self._place("episodic", about) if about.chat else None
        anchor = anchor_of(place) if place else f"contact:{about.contact_id}"
        return [
            note
            for note in await self.memory.notes.every(self.tenant)
            if note.kind in kinds and (note.scope == "tenant" or note.anchor == anchor)
        ]

    async def _known(self, kinds: Collection[MemoryKind], about: About) -> EverKnown:
        if about.chat:
            return EverKnown([], [])
        known = await ever_known(self.memory, self.tenant, about.contact_id, withheld=False)
        return EverKnown(*([fact for fact in each if kind_of(fact) in kinds] for each in known))

    async def _place(self, kind: MemoryKind, about: About) -> Place:
        if SCOPES[kind] == "tenant":
            return Place(ChatRef(self.tenant, *HOUSE), "", is_group=False)
        if SCOPES[kind] == "contact":
            chat = ChatRef(self.tenant, "web", ACCOUNT, about.contact_id)
            return Place(chat, about.contact_id, is_group=False)
        parts = about.chat.split("/", 2)
        if len(parts) < 3:
            raise BadNote("say of which chat: CHANNEL/ACCOUNT/CHAT_ID")
        place = await self.memory.notes.place(self.tenant, parts[0], parts[1], parts[2])
        if place is None:
            raise BadNote("the transcript has no such chat: `recollect receipts` names chats")
        return place

    async def _audit(self, outcome: str, kind: str) -> None:
        line = AuditLine(self.tenant, "", "", "memory", outcome, kind, self.clock())
        await self.memory.audit.write([line])


def anchor_of(place: Place) -> str:
    """Return where what is said in a chat may surface."""
    return place.chat.group_anchor if place.is_group else f"contact:{place.contact_id}"


def kind_of(fact: Fact) -> MemoryKind:
    """Return which kind of memory a fact is."""
    return "procedural" if fact.category == "instruction" else "semantic"


def checked_text(text: str) -> str:
    """Return a note as it is kept: one line without control characters.

    Raises:
        BadNote: it is empty or too long.
    """
    shown = "".join(c if c.isprintable() else " " for c in text)
    clean = " ".join(shown.encode("utf-8", "replace").decode("utf-8").split())
    if not clean:
        raise BadNote("the text is empty")
    if len(clean) > MAX_CHARS:
        raise BadNote(f"the text has {len(clean)} characters, more than the {MAX_CHARS} of a note")
    return clean


def _keyed(kind: MemoryKind, text: str) -> tuple[str, str]:
    """Return the key and the value of a text that names a kind of fact; nothing of any other."""
    if kind != "semantic":
        return "", ""
    key, _, value = text.partition(": ")
    name = key.strip().casefold()
    for known in (predicate(name), predicate(name.replace(" ", "_"))):
        if value.strip() and known is not None and known.key != STANDING:
            return known.key, value.strip()
    return "", ""


def _is_named(note: Note, words: str) -> bool:
    return note.uid == words.strip() or has_words(note.text, words)
