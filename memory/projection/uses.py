"""What answers used is counted from their receipts, for ranking; it goes with the message (T8)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from typing_extensions import override

from memory.domain.drift import Compared, Difference, drift_of
from memory.domain.projections import ProjectionName
from memory.ports.bundle import Memory
from memory.ports.projections import Projection


@dataclass(frozen=True, slots=True)
class MessageUses(Projection):
    """How many answers used each message, and when the last did. Items: uids.

    Counted, never added to: however often an item is taken in, a turn counts once.
    """

    memory: Memory

    @property
    @override
    def name(self) -> ProjectionName:
        return "uses"

    @property
    @override
    def fingerprint(self) -> str:
        return "receipts/1"

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        return await self.memory.uses.count(tenant, items)

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        async with aclosing(self.memory.uses.named(tenant)) as pages:
            async for uids in pages:
                yield uids

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        uses, expected, present = self.memory.uses, 0, 0
        differences: set[Difference] = set()
        async with aclosing(uses.named(tenant)) as pages:
            async for uids in pages:
                counted = await uses.counted(tenant, uids)
                kept = await uses.kept(tenant, uids)
                expected, present = expected + len(counted), present + len(kept)
                differences |= {
                    Difference(drift_of(kept.get(uid), counted.get(uid)), uid, (uid,))
                    for uid in uids
                    if kept.get(uid) != counted.get(uid)
                }
        return Compared(expected, present, frozenset(differences))
