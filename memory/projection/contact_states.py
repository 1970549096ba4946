"""What contacts say becomes marks, and marks, in the order of time, what a contact is like (C1-C4).

What comes after all that was taken in is added to it; whatever comes late, was edited, or goes has
the contact made again of the marks of all that holds.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Final, NamedTuple

from typing_extensions import override

from memory.contacts.course import VERSION, advance, course_of, follows
from memory.contacts.marks import READ_CHARS, mark_of
from memory.contacts.mood.reading import MoodReader
from memory.domain.chats import Actor, Message, StoredMessage
from memory.domain.contacts import ContactRow, Mark, Marked, is_name
from memory.domain.drift import Compared, Difference, DriftKind, drift_of
from memory.domain.facts import Fact
from memory.domain.projections import ANEW, CONTACT, TOLD, ProjectionName
from memory.errors import Transient
from memory.facts.zones import zone_told
from memory.ports.bundle import Memory
from memory.ports.contact_states import KeptMark
from memory.ports.projections import Projection
from memory.projection.vectors import embedded_pieces
from memory.text.apart import read_apart
from memory.text.zones import zone_of

ATTEMPTS: Final = 5
"""How often a contact is looked at again that others wrote meanwhile."""
BATCH: Final = 256
"""Messages that are read for their moods together."""


class _Known(NamedTuple):
    """What facts tell of a contact: a name, where there is one, and the zone of their days."""

    name: str
    zone: str


@dataclass(frozen=True, slots=True)
class ContactStates(Projection):
    """Marks of messages, and contacts. Items: uids, `contact:` and `anew:` with a contact's id.

    `anew:` reads each message again, `contact:` those whose marks are missing or of another making.
    `zone` names the time zone of contacts of whom nobody knows it.
    """

    memory: Memory
    reader: MoodReader
    zone: str = "UTC"

    @property
    @override
    def name(self) -> ProjectionName:
        return "contact_states"

    @property
    @override
    def fingerprint(self) -> str:
        return f"{VERSION} {self.made_by}"

    @property
    def made_by(self) -> str:
        """What marks are read by: the moods' weights, with vectors where these are for them."""
        return f"{self.reader.trained_on[:12]}/{'vectors' if self._sees_vectors else 'words'}"

    @property
    def _sees_vectors(self) -> bool:
        return self.memory.embedder.fingerprint == self.reader.embedder

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        anew = {item.removeprefix(ANEW) for item in items if item.startswith(ANEW)}
        whole = {item.removeprefix(CONTACT) for item in items if item.startswith(CONTACT)}
        told = {item.removeprefix(TOLD) for item in items if item.startswith(TOLD)}
        whole |= await self._retold(tenant, told - whole - anew)
        uids = [item for item in items if not item.startswith((ANEW, CONTACT, TOLD))]
        stored = await self.memory.ledger.settled(tenant, uids) if uids else []
        said = [each for each in stored if _tells(each)]
        if gone := set(uids) - {each.uid for each in said}:
            await self.memory.contact_states.unmark(tenant, gone)
        # What holds no more may have been taken in.
        whole |= {s.message.contact_id for s in stored if not _tells(s)} - anew
        marks = await self._mark(tenant, said)
        by_contact: defaultdict[str, list[StoredMessage]] = defaultdict(list)
        for each in said:
            if each.message.contact_id not in whole | anew:
                by_contact[each.message.contact_id].append(each)
        await self._add(tenant, by_contact, marks)
        for contact in sorted(filter(None, whole | anew)):
            await self._make(tenant, contact, anew=contact in anew)
        return len(said)

    @override
    async def project_said(self, tenant: str, messages: Sequence[Message], generation: int) -> int:
        return await self.project(tenant, [message.uid for message in messages], generation)

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        yield [ANEW + contact for contact in await self.parts(tenant)]

    @override
    async def parts(self, tenant: str) -> Sequence[str]:
        said = await self.memory.contents.contacts(tenant)
        return sorted({*filter(None, said), *await self.memory.contact_states.contacts(tenant)})

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        kept = {each.uid: each for each in await self._kept(tenant, part)}
        wanted: dict[str, int] = {}
        async with aclosing(self.memory.contents.said_by(tenant, part)) as pages:
            async for page in pages:
                wanted |= {each.uid: each.changes for each in page if _tells(each)}
        held = (await self.memory.contact_states.of(tenant, [part])).get(part)
        should = await self._expected(tenant, part, list(kept.values()))
        kinds: dict[str, DriftKind] = {}
        for uid in wanted.keys() | kept.keys():
            if uid not in kept:
                kinds[uid] = "missing"
            elif kept[uid].made_by != self.made_by:
                kinds[uid] = "stale"
        if (held and replace(held, version=0)) != should:
            kinds[part] = drift_of(held, should)
        owed = (CONTACT + part, ANEW + part)
        differences = frozenset(
            Difference(kind, entry, owed if entry == part else (entry, *owed))
            for entry, kind in kinds.items()
        )
        counts = len(wanted) + (should is not None), len(kept) + (held is not None)
        return Compared(*counts, differences, is_one=True)

    async def _kept(self, tenant: str, contact: str) -> list[KeptMark]:
        async with aclosing(self.memory.contact_states.marks_of(tenant, contact)) as pages:
            return [each async for page in pages for each in page]

    async def _mark(self, tenant: str, said: Sequence[StoredMessage]) -> dict[str, Mark]:
        """Read the moods of messages and keep them; return them by uid."""
        marks: dict[str, Mark] = {}
        for start in range(0, len(said), BATCH):
            some = said[start : start + BATCH]
            vectors = await self._vectors([each.message for each in some])
            size = sum(len(each.message.text[:READ_CHARS]) for each in some)

            def read(
                some: Sequence[StoredMessage] = some,
                vectors: Sequence[tuple[float, ...] | None] = vectors,
            ) -> list[Mark]:
                return [
                    mark_of(each.message.text, self.reader, vector)
                    for each, vector in zip(some, vectors, strict=True)
                ]

            found = await read_apart(read, size)
            entries = [(s.uid, s.changes, mark) for s, mark in zip(some, found, strict=True)]
            await self.memory.contact_states.mark(tenant, self.made_by, entries)
            marks |= {uid: mark for uid, _, mark in entries}
        return marks

    async def _vectors(self, said: Sequence[Message]) -> Sequence[tuple[float, ...] | None]:
        """Return the vectors of what messages begin with; none of another embedder."""
        if not self._sees_vectors or not said:
            return [None] * len(said)
        # The very pieces that are indexed: they were embedded a moment ago.
        texts = [embedded_pieces(message)[0][1] for message in said]
        return await self.memory.embedder.embed(texts)

    async def _add(
        self,
        tenant: str,
        said: Mapping[str, Sequence[StoredMessage]],
        marks: Mapping[str, Mark],
    ) -> None:
        """Add to contacts what they said; whoever has said something since is owed as a whole."""
        left = dict(said)
        for _ in range(ATTEMPTS):
            if not left:
                return
            held = await self.memory.contact_states.of(tenant, left)
            rows, late = [], []
            for contact, messages in left.items():
                later = await self._later(tenant, held.get(contact), messages)
                if later is None:
                    late.append(CONTACT + contact)
                elif later:
                    rows.append(await self._added(tenant, contact, held.get(contact), later, marks))
            if late:
                await self.memory.backlog.owe(tenant, (self.name,), sorted(late))
            kept = await self.memory.contact_states.keep(tenant, rows) if rows else set()
            left = {r.contact_id: left[r.contact_id] for r in rows if r.contact_id not in kept}
        raise Transient("Others write the same contacts all the time.")

    async def _later(
        self, tenant: str, held: ContactRow | None, said: Sequence[StoredMessage]
    ) -> list[StoredMessage] | None:
        """Return what comes after all that was taken in, in order; None where anything came late.

        What comes before may have been taken in already, by whoever made the contact as a whole
        when these messages had their marks.
        """
        ordered = sorted(said, key=lambda each: (each.message.sent_at, each.seq))
        if held is None:
            return ordered
        course = held.course
        later = [s for s in ordered if follows(course, s.message.sent_at.astimezone(UTC), s.seq)]
        before = ordered[: len(ordered) - len(later)]
        if not before:
            return later
        until = course.last_at, course.last_seq
        marks = await self.memory.contact_states.marks_until(tenant, held.contact_id, *until)
        is_known = marks == course.messages and not any(each.changes for each in before)
        return later if is_known else None

    async def _added(
        self,
        tenant: str,
        contact: str,
        held: ContactRow | None,
        later: Sequence[StoredMessage],
        marks: Mapping[str, Mark],
    ) -> ContactRow:
        """Return a contact with these messages taken in, which come after all others."""
        known = _Known(held.told_name, held.zone) if held else await self._known(tenant, contact)
        course = held.course if held else None
        name, channel = (held.said_name, held.channel) if held else ("", "")
        zone = zone_of(known.zone) or UTC
        for each in later:
            marked = Marked(each.message.sent_at.astimezone(UTC), each.seq, marks[each.uid])
            course = advance(course, marked, zone)
            said, channel = each.message.sender_name, each.message.chat.channel
            name = said if is_name(said, contact) else name or said
        assert course is not None  # noqa: S101 for the type: something was said
        version = held.version if held else 0
        return ContactRow(contact, known.name, name, channel, known.zone, VERSION, course, version)

    async def _known(self, tenant: str, contact: str) -> _Known:
        facts = await self.memory.facts.active(tenant, contact)
        return _Known(_name_in(facts), zone_told(facts) or self.zone)

    async def _retold(self, tenant: str, contacts: Collection[str]) -> set[str]:
        """Give contacts the name that facts tell now; return those who are in another time zone."""
        elsewhere = set()
        for contact, held in (await self.memory.contact_states.of(tenant, contacts)).items():
            known = await self._known(tenant, contact)
            row = replace(held, told_name=known.name)
            if known.zone != held.zone:
                elsewhere.add(contact)
            elif row != held and not await self.memory.contact_states.keep(tenant, [row]):
                elsewhere.add(contact)  # somebody else wrote it meanwhile
        return elsewhere

    async def _make(self, tenant: str, contact: str, *, anew: bool) -> None:
        """Make a contact of all that they said; forget one who said nothing that holds."""
        await self._mark_missing(tenant, contact, anew=anew)
        for _ in range(ATTEMPTS):
            held = (await self.memory.contact_states.of(tenant, [contact])).get(contact)
            kept = await self._kept(tenant, contact)
            row = await self._expected(tenant, contact, kept)
            if row is None:
                if held is not None:
                    await self.memory.contact_states.drop(tenant, contact)
                return
            row = replace(row, version=held.version if held else 0)
            if row == held or await self.memory.contact_states.keep(tenant, [row]):
                return
        raise Transient("Others write the same contact all the time.")

    async def _mark_missing(self, tenant: str, contact: str, *, anew: bool) -> None:
        known: dict[str, int] = {}
        if not anew:
            known = {
                each.uid: each.changes
                for each in await self._kept(tenant, contact)
                if each.made_by == self.made_by
            }
        missing: list[StoredMessage] = []
        async with aclosing(self.memory.contents.said_by(tenant, contact)) as pages:
            async for page in pages:
                missing += [s for s in page if _tells(s) and known.get(s.uid) != s.changes]
        await self._mark(tenant, missing)

    async def _expected(
        self, tenant: str, contact: str, kept: Sequence[KeptMark]
    ) -> ContactRow | None:
        """Return what a contact's marks, in the order of time, come to; None of none."""
        known, marked = await self._known(tenant, contact), [each.marked for each in kept]
        course = await asyncio.to_thread(course_of, marked, zone_of(known.zone) or UTC)
        if course is None:
            return None
        names = [each.name for each in reversed(kept) if each.name]
        name = next((each for each in names if is_name(each, contact)), "".join(names[:1]))
        channel = kept[-1].channel
        return ContactRow(contact, known.name, name, channel, known.zone, VERSION, course)


def _tells(stored: StoredMessage) -> bool:
    """Tell whether a message tells anything of who wrote it."""
    said = stored.message
    is_theirs = said.actor is Actor.CONTACT and bool(said.contact_id)
    return is_theirs and not said.withheld and bool(said.text.strip())


def _name_in(facts: Collection[Fact]) -> str:
    told = {fact.key: fact.value for fact in facts if fact.key in ("name", "preferred_name")}
    return told.get("preferred_name") or told.get("name", "")
