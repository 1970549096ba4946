"""What the projections of vectors have in common: one kind of the index, made by the embedder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from memory.domain.drift import Comparison, Difference, DriftKind
from memory.domain.projections import ANCHOR
from memory.ports.bundle import Memory
from memory.ports.projections import Projection
from memory.ports.recall import VectorIndex, VectorKind
from memory.text.chunks import item_of_chunk


@dataclass(frozen=True, slots=True)
class VectorsOfKind(Projection):
    """Vectors of one kind, each made by the embedder that serves."""

    kind: ClassVar[VectorKind]

    memory: Memory

    @property
    @override
    def fingerprint(self) -> str:
        return self.memory.embedder.fingerprint

    @override
    def serve(self, generation: int) -> None:
        self.memory.vectors.serve(self.kind, generation)

    @override
    async def drop(self, kept: Collection[int]) -> None:
        await self.memory.vectors.drop(self.kind, kept)

    async def delete(
        self, index: VectorIndex, tenant: str, items: Iterable[tuple[str, str]]
    ) -> None:
        """Delete the vectors of items, each an anchor and an id; one that has none is no error."""
        by_anchor: defaultdict[str, list[str]] = defaultdict(list)
        for anchor, item_id in items:
            by_anchor[anchor].append(item_id)
        for anchor, item_ids in by_anchor.items():
            await index.delete_items(tenant, self.kind, anchor, item_ids)

    async def comparison(
        self, tenant: str, generation: int, shards: Iterable[int]
    ) -> Comparison[tuple[str, str]]:
        """Return what shards hold, to be compared: chunks by anchor and id, of their versions."""
        index, kept = self.memory.vectors.of(generation), dict[tuple[str, str], object]()
        for shard in shards:
            async with aclosing(index.listing(tenant, self.kind, shard)) as pages:
                async for listed in pages:
                    for anchor, chunk, metadata in listed:
                        kept[anchor, chunk] = metadata.get("version", 0)
        return Comparison(kept, _difference)


def _difference(kind: DriftKind, key: tuple[str, str]) -> Difference:
    anchor, chunk = key
    return Difference(kind, chunk, (item_of_chunk(chunk), ANCHOR + anchor))
