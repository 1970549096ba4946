"""What a contact said becomes facts (W4), and ceases to be with what is edited or deleted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from typing_extensions import override

from memory.domain.chats import Message, StoredMessage
from memory.domain.drift import Compared, Difference, drift_of
from memory.domain.facts import Applied, ContactObservations, Fact, Observation
from memory.domain.projections import CONTACT, FOLLOW_FACTS, TOLD, ProjectionName
from memory.domain.readings import NO_KINDS, Kinds, Reading, ThirdPartyClaim
from memory.facts.entities.linking import ENTITY_KEYS
from memory.facts.entities.naming import claims_of
from memory.facts.hushing import Telling, hush_withheld
from memory.facts.learning import correcting_after, read_stored
from memory.facts.renewal import Beside, expected, of_messages, renew_facts, still_told
from memory.facts.ruled import judge_edited, keep_out_told
from memory.facts.zones import owe_ends
from memory.ports.bundle import Memory
from memory.ports.projections import Projection
from memory.ports.runtime import Clock

SHIFT: Final = 0.1
"""By so much the chance that a message tells of a kind may differ from what it is read as now."""

_Told = tuple[Sequence[ThirdPartyClaim], Kinds]


@dataclass(frozen=True, slots=True)
class ContactFacts(Projection):
    """Facts of contacts. Items: uids of messages, and `contact:` for all of one."""

    memory: Memory
    clock: Clock

    @property
    @override
    def name(self) -> ProjectionName:
        return "facts"

    @property
    @override
    def fingerprint(self) -> str:
        return self.memory.reader.version

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        uids = [item for item in items if not item.startswith(CONTACT)]
        contacts = {item.removeprefix(CONTACT) for item in items if item.startswith(CONTACT)}
        stored = await self.memory.ledger.settled(tenant, uids) if uids else []
        if await judge_edited(self.memory, tenant, stored):
            stored = await self.memory.ledger.settled(tenant, uids)
        differing = [entry.uid for entry in stored if _may_differ(entry)]
        after = await correcting_after(self.memory.ledger, tenant, differing, uids)
        stored += after
        differing += [entry.uid for entry in after]
        read = await self._read(tenant, [entry.in_full for entry in stored])
        told = [(entry, each.observations) for entry, each in zip(stored, read, strict=True)]
        fresh = [(entry.message, seen) for entry, seen in told if entry.uid not in differing]
        applied = [await _apply(self.memory, tenant, fresh, self.clock())]
        for entry, observations in told:
            if entry.uid in differing:
                contact = entry.message.contact_id
                applied.append(
                    await self.memory.facts.correct(
                        tenant, contact, entry.uid, observations, self.clock()
                    )
                )
        for contact in sorted(contacts):
            await renew_facts(self.memory, tenant, contact)
        beside = [still_told(entry, each) for entry, each in zip(stored, read, strict=True)]
        tellings = [Telling(e.in_full, e.message.text, seen) for e, seen in told]
        await hush_withheld(self.memory, tenant, tellings)
        await keep_out_told(self.memory, tenant, list(zip(tellings, read, strict=True)))
        said = [entry.uid for entry in stored]
        await self._keep_beside(tenant, said, read, beside, differing)
        await _owe_rest(self.memory, tenant, applied, contacts)
        return sum(len(one.activated) for one in applied)

    @override
    async def project_said(self, tenant: str, messages: Sequence[Message], generation: int) -> int:
        read = await self._read(tenant, messages)
        told = [(said, each.observations) for said, each in zip(messages, read, strict=True)]
        applied = await _apply(self.memory, tenant, told, self.clock())
        tellings = [Telling(each, each.text, seen) for each, seen in told]
        await hush_withheld(self.memory, tenant, tellings)
        await keep_out_told(self.memory, tenant, list(zip(tellings, read, strict=True)))
        beside = [
            Beside(claims_of(said, each), each.kinds)
            for said, each in zip(messages, read, strict=True)
        ]
        await self._keep_beside(tenant, [said.uid for said in messages], read, beside)
        await _owe_rest(self.memory, tenant, [applied])
        return len(applied.activated)

    async def _read(self, tenant: str, messages: Sequence[Message]) -> list[Reading]:
        memory = self.memory
        return await read_stored(memory.reader, memory.ledger, tenant, messages)

    async def _keep_beside(
        self,
        tenant: str,
        uids: Sequence[str],
        readings: Sequence[Reading],
        beside: Sequence[Beside],
        differing: Collection[str] = (),
    ) -> None:
        """Keep what messages claim of others, and of what kinds; have entities follow who told any.

        `differing`: uids of messages that may have told something else before.
        """
        told = {
            uid: heard.claims
            for uid, reading, heard in zip(uids, readings, beside, strict=True)
            if heard.claims
            or uid in differing
            or any(seen.key in ENTITY_KEYS for seen in reading.observations)
        }
        kinds = {
            uid: heard.kinds
            for uid, heard in zip(uids, beside, strict=True)
            if heard.kinds or uid in differing
        }
        if told or kinds:
            await self.memory.claims.keep(tenant, told, kinds)

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        yield [CONTACT + contact for contact in await self.parts(tenant)]

    @override
    async def parts(self, tenant: str) -> Sequence[str]:
        memory = self.memory
        stores = (memory.contents, memory.facts, memory.corrections)
        return sorted({name for store in stores for name in await store.contacts(tenant)})

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        rows = await self.memory.facts.rows(tenant, part)
        after, claimed, of_kinds = await expected(self.memory, tenant, part, rows)
        claims = of_messages(await self.memory.claims.of(tenant, part))
        held, wanted = ({row.fact_id: row for row in each} for each in (rows, after))
        differences = frozenset(
            Difference(
                drift_of(held.get(fact_id), wanted.get(fact_id)),
                fact_id,
                (row.source_uid, CONTACT + part),
            )
            for fact_id, row in (held | wanted).items()
            if not _says_the_same(held.get(fact_id), wanted.get(fact_id))
        )
        tells = _by_message(claims, await self.memory.claims.kinds_of(tenant, part))
        should_tell = _by_message(claimed, of_kinds)
        differences |= {
            Difference(drift_of(tells.get(uid), should_tell.get(uid)), uid, (uid, CONTACT + part))
            for uid in tells.keys() | should_tell.keys()
            if not _tells_the_same(tells.get(uid), should_tell.get(uid))
        }
        wanted_claims, held_claims = (sum(map(len, of.values())) for of in (claimed, claims))
        # What one message tells changes what came of others.
        counts = len(after) + wanted_claims, len(rows) + held_claims
        return Compared(*counts, differences, is_one=True)


async def _apply(
    memory: Memory,
    tenant: str,
    told: Sequence[tuple[Message, tuple[Observation, ...]]],
    now: datetime,
) -> Applied:
    batches = [ContactObservations(each.contact_id, seen) for each, seen in told if seen]
    return await memory.facts.apply_many(tenant, batches, now)


def _says_the_same(held: Fact | None, wanted: Fact | None) -> bool:
    """Tell whether two rows agree; that another version read one of them is no difference."""
    if held is None or wanted is None:
        return False
    if held.read_by == wanted.read_by:
        return held == wanted
    return replace(held, read_by=wanted.read_by, span=wanted.span) == wanted


async def _owe_rest(
    memory: Memory, tenant: str, applied: Sequence[Applied], renewed: Collection[str] = ()
) -> None:
    changed = [fact for one in applied for fact in (*one.activated, *one.closed)]
    if contacts := sorted({fact.contact_id for fact in changed} | {*renewed}):
        await memory.backlog.owe(tenant, FOLLOW_FACTS, [CONTACT + each for each in contacts])
        await memory.backlog.owe(tenant, ("contact_states",), [TOLD + each for each in contacts])
    await owe_ends(memory, tenant, [(fact.contact_id, fact) for fact in changed])


def _by_message(
    claims: Mapping[str, Sequence[ThirdPartyClaim]], kinds: Mapping[str, Kinds]
) -> dict[str, _Told]:
    """Return what each message claims, and what kinds of thing it tells of."""
    return {
        uid: (claims.get(uid, ()), kinds.get(uid, NO_KINDS)) for uid in claims.keys() | kinds.keys()
    }


def _tells_the_same(held: _Told | None, wanted: _Told | None) -> bool:
    """Tell whether two readings agree; the turn before a short message may shift a chance."""
    if held is None or wanted is None:
        return False
    (claims, kinds), (wanted_claims, wanted_kinds) = held, wanted
    return (
        claims == wanted_claims
        and kinds.keys() == wanted_kinds.keys()
        and all(abs(kinds[key] - wanted_kinds[key]) <= SHIFT for key in kinds)
    )


def _may_differ(stored: StoredMessage) -> bool:
    """Tell whether something else may have been learned from the message before."""
    return stored.changes > 0 or stored.withheld
