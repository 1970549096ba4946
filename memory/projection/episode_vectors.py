"""Episodes that are over have a vector (W3, L4), those that are open do not."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar, Final
from zlib import crc32

from typing_extensions import override

from memory.domain.drift import Compared
from memory.domain.episodes import Episode
from memory.domain.projections import ANCHOR, ProjectionName
from memory.domain.recalls import VectorItem
from memory.episodes.sums import mean_of
from memory.ports.recall import VectorIndex, VectorKind
from memory.projection.vectors_of_kind import VectorsOfKind
from memory.text.chunks import chunk_id, item_of_chunk

PAGE: Final = 500
HEAD_CHARS: Final = 400
"""Of a summary so much is embedded: the rest takes as long again, and finds no more."""


@dataclass(frozen=True, slots=True)
class EpisodeVectors(VectorsOfKind):
    """A vector for each summary. Items: uids of first messages, and `anchor:`.

    It is the mean of the episode's messages, which costs nothing where their vectors were made by
    the embedder that serves; else the beginning of the summary is embedded.
    """

    kind: ClassVar[VectorKind] = "episode"

    @property
    @override
    def name(self) -> ProjectionName:
        return "episode_vectors"

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        index = self.memory.vectors.of(generation)
        anchors = [item.removeprefix(ANCHOR) for item in items if item.startswith(ANCHOR)]
        uids = [item for item in items if not item.startswith(ANCHOR)]
        over = await self.memory.episodes.over(tenant, uids)
        # Of some nothing is left to tell.
        found = await self.memory.ledger.messages(tenant, uids) if uids else []
        pairs = [(each.message.anchor, each.uid) for each in found]
        await self.delete(index, tenant, pairs)
        written = await self._write(index, tenant, over)
        for anchor in anchors:
            written += await self._align(index, tenant, anchor)
        return written

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        async with aclosing(self.memory.contents.threads(tenant)) as pages:
            async for threads in pages:
                for thread_id in threads:
                    kept = await self.memory.episodes.stretches(tenant, thread_id)
                    yield [each.first_uid for each in kept if not each.is_open]

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        shards = range(self.memory.vectors.of(generation).shards)
        comparison = await self.comparison(tenant, generation, shards)
        async with aclosing(self.everything(tenant)) as pages_of_uids:
            async for uids in pages_of_uids:
                for episode in await self.memory.episodes.over(tenant, uids):
                    if _head(episode):
                        comparison.ask((episode.anchor, _id_of(episode)), _version(episode))
        return comparison.compared()

    async def _align(self, index: VectorIndex, tenant: str, anchor: str) -> int:
        """Delete what is no episode under an anchor any more, and write what is not there."""
        found = await index.items(tenant, "episode", anchor)
        there = {item_of_chunk(chunk): version for chunk, version in found.items()}
        wanted = {each.first_uid: each async for each in self._over_in(tenant, anchor)}
        wrong = [
            uid
            for uid, version in there.items()
            if uid not in wanted or version != _version(wanted[uid])
        ]
        await index.delete_items(tenant, "episode", anchor, wrong)
        missing = wanted.keys() - (there.keys() - set(wrong))
        return await self._write(index, tenant, [wanted[uid] for uid in sorted(missing)])

    async def _over_in(self, tenant: str, anchor: str) -> AsyncGenerator[Episode]:
        before: str | None = None
        while listed := await self.memory.episodes.of_anchors(tenant, [anchor], PAGE, before):
            for each in listed:
                if not each.is_open and each.summary:
                    yield each
            before = listed[-1].first_uid

    async def _write(self, index: VectorIndex, tenant: str, over: Sequence[Episode]) -> int:
        """Write the vectors of those that have a summary; return how many."""
        told = [each for each in over if _head(each)]
        if not told:
            return 0
        entries = [
            VectorItem(_id_of(episode), episode.anchor, vector, _metadata(episode))
            for episode, vector in zip(told, await self._vectors(tenant, told), strict=True)
        ]
        await index.upsert(tenant, "episode", entries)
        return len(entries)

    async def _vectors(self, tenant: str, over: Sequence[Episode]) -> list[tuple[float, ...]]:
        embedder, uids = self.memory.embedder, [each.first_uid for each in over]
        sums = await self.memory.episodes.vector_sums(tenant, uids, embedder.fingerprint)
        means = {uid: mean for uid, kept in sums.items() if (mean := mean_of(kept))}
        others = [each for each in over if each.first_uid not in means]
        embedded = await embedder.embed([_head(each) for each in others]) if others else []
        means |= {each.first_uid: new for each, new in zip(others, embedded, strict=True)}
        return [means[uid] for uid in uids]


def _head(episode: Episode) -> str:
    """Return what is embedded of an episode, whole words; empty where it has no summary."""
    text = " ".join(episode.summary.text.split()) if episode.summary else ""
    if len(text) <= HEAD_CHARS:
        return text
    return text[:HEAD_CHARS].rpartition(" ")[0] or text[:HEAD_CHARS]


def _id_of(episode: Episode) -> str:
    return chunk_id(episode.first_uid, 0)


def _version(episode: Episode) -> int:
    """Return a number that is another one where the summary is."""
    return crc32(episode.summary.text.encode()) if episode.summary else 0


def _metadata(episode: Episode) -> dict[str, str | int | float | bool]:
    return {
        "thread": episode.thread_id,
        "timestamp": episode.began_at.timestamp(),
        "version": _version(episode),
    }
