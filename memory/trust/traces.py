"""Whether the vector index holds anything of somebody who was erased: every entry is asked."""

from __future__ import annotations

from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from memory.domain.erasures import Looked, Needles
from memory.domain.projections import ProjectionName
from memory.ports.erasures import Traces
from memory.ports.projections import Backlog
from memory.ports.recall import ListedVector, VectorIndex, VectorKind
from memory.text.chunks import item_of_chunk

_KINDS: Final[dict[ProjectionName, VectorKind]] = {
    "vectors": "message",
    "fact_vectors": "knowledge",
    "episode_vectors": "episode",
}


@dataclass(frozen=True, slots=True)
class VectorTraces(Traces):
    """`Traces` on every making of the index, the ones that are being built, too."""

    vectors: VectorIndex
    backlog: Backlog

    @property
    @override
    def store(self) -> str:
        return "chroma"

    @override
    async def look(self, tenant: str, needles: Needles) -> Looked:
        places, left = 0, Counter[str]()
        for making in await self.backlog.generations():
            kind = _KINDS.get(making.projection)
            if kind is None:
                continue
            index = self.vectors.of(making.number)
            for shard in range(index.shards):
                places += 1
                async with aclosing(index.listing(tenant, kind, shard)) as pages:
                    async for listed in pages:
                        left[kind] += sum(_is_of(each, needles) for each in listed)
        return Looked(places, {kind: count for kind, count in left.items() if count})


def _is_of(entry: ListedVector, needles: Needles) -> bool:
    anchor, item, metadata = entry
    theirs = {anchor.removeprefix("contact:"), metadata.get("contact")}
    if item_of_chunk(item) in needles.uuids or theirs & (needles.contacts | needles.ids):
        return True
    return any(
        isinstance(value, str) and (value in needles.ids or value in needles.uuids)
        for value in metadata.values()
    )
