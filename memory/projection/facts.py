"""What a contact said becomes facts (W4), and ceases to be with what is edited or deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from memory.domain.chats import StoredMessage
from memory.domain.facts import ContactObservations
from memory.domain.projections import CONTACT, ProjectionName
from memory.facts.learning import READING, observations_of
from memory.ports.bundle import Memory
from memory.ports.projections import Projection
from memory.ports.runtime import Clock
from memory.text.apart import read_apart


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
        return READING

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        uids = [item for item in items if not item.startswith(CONTACT)]
        contacts = {item.removeprefix(CONTACT) for item in items if item.startswith(CONTACT)}
        stored = await self.memory.ledger.settled(tenant, uids) if uids else []
        size = sum(len(entry.message.text) for entry in stored)
        told = await read_apart(
            lambda: [(entry, observations_of(entry.message)) for entry in stored], size
        )
        fresh = [
            ContactObservations(entry.message.contact_id, observations)
            for entry, observations in told
            if observations and not _may_differ(entry)
        ]
        applied = [await self.memory.facts.apply_many(tenant, fresh, self.clock())]
        for entry, observations in told:
            if _may_differ(entry):
                contact = entry.message.contact_id
                applied.append(
                    await self.memory.facts.correct(
                        tenant, contact, entry.uid, observations, self.clock()
                    )
                )
        changed = {fact.contact_id for one in applied for fact in (*one.activated, *one.closed)}
        await self._owe_vectors(tenant, changed | contacts)
        return sum(len(one.activated) for one in applied)

    async def _owe_vectors(self, tenant: str, contacts: set[str]) -> None:
        if contacts:
            items = [CONTACT + contact for contact in sorted(contacts)]
            await self.memory.backlog.owe(tenant, ["fact_vectors"], items)


def _may_differ(stored: StoredMessage) -> bool:
    """Tell whether something else may have been learned from the message before."""
    return stored.changes > 0 or stored.withheld
