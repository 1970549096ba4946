"""Facts that hold have a vector each (W3), those that do not have none."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from memory.domain.drift import Compared, Difference
from memory.domain.facts import Fact
from memory.domain.projections import CONTACT, ProjectionName
from memory.domain.recalls import VectorItem
from memory.facts.predicates import fact_sentence
from memory.ports.recall import VectorIndex, VectorKind
from memory.projection.vectors_of_kind import VectorsOfKind


@dataclass(frozen=True, slots=True)
class FactVectors(VectorsOfKind):
    """A vector for each active fact. Items: `contact:` for what is known of one."""

    kind: ClassVar[VectorKind] = "knowledge"

    @property
    @override
    def name(self) -> ProjectionName:
        return "fact_vectors"

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        index = self.memory.vectors.of(generation)
        contacts = [item.removeprefix(CONTACT) for item in items]
        known = [await self.memory.all_facts.history(tenant, contact) for contact in contacts]
        for contact, facts in zip(contacts, known, strict=True):
            if not facts:
                # In groups, too: of which of them, nothing is left to tell.
                await index.delete_known(tenant, contact)
        return await self._align(index, tenant, [fact for facts in known for fact in facts])

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        yield [CONTACT + contact for contact in await self.memory.facts.contacts(tenant)]

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        index, facts = self.memory.vectors.of(generation), self.memory.facts
        found: dict[tuple[str, str], str] = {}
        for shard in range(index.shards):
            async with aclosing(index.listing(tenant, "knowledge", shard)) as pages:
                async for listed in pages:
                    for anchor, fact_id, metadata in listed:
                        found[anchor, fact_id] = CONTACT + str(metadata.get("contact", ""))
        expected, present = 0, len(found)
        differences: set[Difference] = set()
        for contact in await facts.contacts(tenant):
            # What has expired keeps its vector until the contact's facts are written again.
            history = await facts.history(tenant, contact)
            for fact in (each for each in history if each.status == "active"):
                expected += 1
                if found.pop((fact.anchor, fact.fact_id), None) is None:
                    differences.add(Difference("missing", fact.fact_id, (CONTACT + contact,)))
        differences |= {Difference("extra", key[1], (item,)) for key, item in found.items()}
        return Compared(expected, present, frozenset(differences))

    async def _align(self, index: VectorIndex, tenant: str, facts: Sequence[Fact]) -> int:
        """Write the vectors that are missing, and delete those of facts that hold no more."""
        active = {
            (f.anchor, f.fact_id): f for f in facts if f.status == "active" and f.mark != "withheld"
        }
        ended = {(f.anchor, f.fact_id) for f in facts} - active.keys()
        found = await index.present(tenant, "knowledge", [*active, *ended])
        await self.delete(index, tenant, ended & found)
        missing = [fact for key, fact in active.items() if key not in found]
        if missing:
            vectors = await self.memory.embedder.embed([fact_sentence(fact) for fact in missing])
            items = [_item(fact, vector) for fact, vector in zip(missing, vectors, strict=True)]
            await index.upsert(tenant, "knowledge", items)
        return len(missing)


def _item(fact: Fact, vector: tuple[float, ...]) -> VectorItem:
    metadata: dict[str, str | int | float | bool] = {
        "contact": fact.contact_id,
        "message_uid": fact.source_uid,
        "timestamp": fact.valid_from.timestamp(),
    }
    return VectorItem(fact.fact_id, fact.anchor, vector, metadata)
