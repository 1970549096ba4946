"""What is known and claimed of a contact's people and things becomes entities (C7, X6)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from typing_extensions import override

from memory.domain.drift import Compared, Difference, drift_of
from memory.domain.entities import Entity
from memory.domain.projections import CONTACT, ProjectionName
from memory.facts.ended import without_taken_back
from memory.facts.entities.linking import CLAIMS_READ, LINKING_VERSION, entities_of
from memory.ports.bundle import Memory
from memory.ports.projections import Projection


@dataclass(frozen=True, slots=True)
class ContactEntities(Projection):
    """Entities of contacts. Items: `contact:` for what is known of one."""

    memory: Memory

    @property
    @override
    def name(self) -> ProjectionName:
        return "entities"

    @property
    @override
    def fingerprint(self) -> str:
        return LINKING_VERSION

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        made = 0
        for contact in sorted({item.removeprefix(CONTACT) for item in items}):
            entities = await self._expected(tenant, contact)
            await self.memory.entities.replace(tenant, contact, entities)
            made += len(entities)
        return made

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        yield [CONTACT + contact for contact in await self.parts(tenant)]

    @override
    async def parts(self, tenant: str) -> Sequence[str]:
        memory = self.memory
        facts, claims = memory.facts.contacts(tenant), memory.claims.contacts(tenant)
        return sorted({*await facts, *await claims, *await memory.entities.contacts(tenant)})

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        held = {each.entity_id: each for each in await self.memory.entities.of(tenant, part)}
        wanted = {each.entity_id: each for each in await self._expected(tenant, part)}
        differences = frozenset(
            Difference(drift_of(held.get(each), wanted.get(each)), each, (CONTACT + part,))
            for each in held.keys() | wanted.keys()
            if held.get(each) != wanted.get(each)
        )
        return Compared(len(wanted), len(held), differences, is_one=True)

    async def _expected(self, tenant: str, contact: str) -> list[Entity]:
        corrected = await self.memory.corrections.of(tenant, contact)
        history = await self.memory.facts.history(tenant, contact)
        facts = without_taken_back(history, corrected)
        claims = await self.memory.claims.of(tenant, contact, CLAIMS_READ)
        return entities_of(tenant, facts, claims)
