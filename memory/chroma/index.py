"""The vector index on a Chroma server: ids, vectors and scope, never text.

Each kind of vector is spread over shards (`memory.chroma.shards`). Stored ids begin with the scope,
so tenants cannot meet even where their item ids do. `recollect-meta` holds no vectors, only the
embedder's fingerprint.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Sequence
from typing import Literal

import numpy as np
from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.api.types import Metadata, Where
from typing_extensions import override

from memory.chroma.collections import Collections, collections
from memory.chroma.nearest import Nearest
from memory.chroma.shards import SHARDS, collection_name, generation_in, scope_of, shard_of
from memory.chroma.spreading import spread
from memory.domain.recalls import Hit, VectorItem
from memory.errors import EmbedderMismatch
from memory.ports.recall import ListedVector, VectorIndex, VectorKind
from memory.text.chunks import item_of_chunk

BATCH_SIZE = 2_000
_PAGE = 10_000


class ChromaVectorIndex(VectorIndex):
    """Implements `VectorIndex`. Build it with `open_chroma` or, not yet connected, `chroma_index`.

    An item id `<uid>#<n>` is chunk n of the message `uid`: a search returns the message once, with
    its best chunk's score. Every method raises `StoreUnavailable` when the server does not answer.
    """

    def __init__(
        self,
        collections: Collections,
        embedder_fingerprint: str,
        dimension: int,
        generation: int | None = None,
    ) -> None:
        """Take an embedder's collections. `generation`: None for whichever serves."""
        self._collections = collections
        self._fingerprint = embedder_fingerprint
        self._dimension = dimension
        self._generation = generation
        self._serving: dict[VectorKind, int] = {}
        self._makings: dict[int, ChromaVectorIndex] = {}
        self._nearest = Nearest(collections)

    @override
    def of(self, generation: int) -> ChromaVectorIndex:
        if generation not in self._makings:
            making = ChromaVectorIndex(
                self._collections, self._fingerprint, self._dimension, generation
            )
            self._makings[generation] = making
        return self._makings[generation]

    @override
    def serve(self, kind: VectorKind, generation: int) -> None:
        self._serving[kind] = generation

    @override
    async def adopt(self) -> None:
        await self._collections.adopt()

    @override
    async def drop(self, kind: VectorKind, kept: Collection[int]) -> None:
        def is_old(name: str) -> bool:
            generation = generation_in(name, kind)
            return generation is not None and generation not in kept

        await self._collections.drop(is_old)

    @override
    async def upsert(self, tenant: str, kind: VectorKind, items: Sequence[VectorItem]) -> None:
        """Store vectors; an id already there is replaced. Of equal ids the last one counts.

        Raises:
            EmbedderMismatch: A vector is not of the embedder's dimension.
        """
        shards: defaultdict[int, dict[str, tuple[str, VectorItem]]] = defaultdict(dict)
        for item in items:
            self._check_dimension(item.vector)
            scope = scope_of(tenant, item.anchor)
            shards[shard_of(scope)][f"{scope}:{item.item_id}"] = (scope, item)
        for shard, entries in shards.items():
            ids = list(entries)
            for start in range(0, len(ids), BATCH_SIZE):
                part = ids[start : start + BATCH_SIZE]
                await self._store(tenant, self._collection_name(kind, shard), part, entries)

    @override
    async def search(
        self,
        tenant: str,
        kind: VectorKind,
        anchors: Sequence[str],
        vector: Sequence[float],
        limit: int,
    ) -> list[Hit]:
        """Return at most `limit` items of the anchors by cosine similarity, best first.

        Scores lie in -1..1, off by `spreading.LENGTH` at most: equal vectors may stand either way.
        Equal scores are ordered by id. Empty when the anchors hold nothing.

        Raises:
            EmbedderMismatch: The vector is not of the embedder's dimension.
        """
        self._check_dimension(vector)
        if limit < 1:
            return []
        shards: defaultdict[int, list[str]] = defaultdict(list)
        for scope in dict.fromkeys(scope_of(tenant, anchor) for anchor in anchors):
            shards[shard_of(scope)].append(scope)
        found = await asyncio.gather(
            *(
                self._nearest.of(self._collection_name(kind, shard), scopes, vector, limit)
                for shard, scopes in shards.items()
            )
        )
        best: dict[str, float] = {}
        for scores in found:
            for item_id, score in scores.items():
                best[item_id] = max(score, best.get(item_id, score))
        ranked = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
        return [Hit(item_id, score) for item_id, score in ranked[:limit]]

    @override
    async def delete(self, tenant: str, kind: VectorKind, anchor: str) -> None:
        scope = scope_of(tenant, anchor)
        await self._remove(kind, shard_of(scope), {"scope": scope})

    @override
    async def delete_known(self, tenant: str, contact_id: str) -> None:
        where: Where = {"$and": [{"tenant": tenant}, {"contact": contact_id}]}
        for shard in range(SHARDS):
            await self._remove("knowledge", shard, where)

    @override
    async def delete_items(
        self, tenant: str, kind: VectorKind, anchor: str, item_ids: Sequence[str]
    ) -> None:
        scope = scope_of(tenant, anchor)
        many: dict[Literal["$in", "$nin"], list[str | int | float | bool]] = {"$in": [*item_ids]}
        if item_ids:
            where: Where = {"$and": [{"scope": scope}, {"item": many}]}
            await self._remove(kind, shard_of(scope), where)

    @override
    async def items(self, tenant: str, kind: VectorKind, anchor: str) -> dict[str, int]:
        scope, found = scope_of(tenant, anchor), dict[str, int]()

        async def call(collection: AsyncCollection) -> int:
            page = await collection.get(
                where={"scope": scope}, include=["metadatas"], limit=_PAGE, offset=len(found)
            )
            for stored_id, metadata in zip(page["ids"], page["metadatas"] or [], strict=True):
                version = metadata.get("version", 0)
                found[stored_id.partition(":")[2]] = version if isinstance(version, int) else 0
            return len(page["ids"])

        name = self._collection_name(kind, shard_of(scope))
        while (await self._collections.run(name, call, create=False) or 0) == _PAGE:
            pass
        return found

    @property
    @override
    def shards(self) -> int:
        return SHARDS

    @override
    def shard_of(self, tenant: str, anchor: str) -> int:
        return shard_of(scope_of(tenant, anchor))

    @override
    async def listing(
        self, tenant: str, kind: VectorKind, shard: int
    ) -> AsyncGenerator[Sequence[ListedVector]]:
        name, offset = self._collection_name(kind, shard), 0

        async def call(collection: AsyncCollection) -> list[ListedVector]:
            page = await collection.get(
                where={"tenant": tenant}, include=["metadatas"], limit=_PAGE, offset=offset
            )
            return [
                ListedVector(str(metadata.get("anchor", "")), key.partition(":")[2], metadata)
                for key, metadata in zip(page["ids"], page["metadatas"] or [], strict=True)
            ]

        while page := await self._collections.run(name, call, create=False):
            yield page
            offset += len(page)

    @override
    async def present(
        self, tenant: str, kind: VectorKind, items: Sequence[tuple[str, str]]
    ) -> set[tuple[str, str]]:
        pairs: defaultdict[int, dict[str, tuple[str, str]]] = defaultdict(dict)
        for anchor, item_id in items:
            scope = scope_of(tenant, anchor)
            pairs[shard_of(scope)][f"{scope}:{item_id}"] = (anchor, item_id)
        found: set[tuple[str, str]] = set()
        for shard, keys in pairs.items():

            async def call(
                collection: AsyncCollection, keys: dict[str, tuple[str, str]] = keys
            ) -> list[str]:
                return (await collection.get(ids=list(keys), include=[]))["ids"]

            name = self._collection_name(kind, shard)
            for key in await self._collections.run(name, call, create=False) or []:
                found.add(keys[key])
        return found

    @override
    async def count(self, tenant: str, kind: VectorKind) -> int:
        counts = [
            await self._count(self._collection_name(kind, shard), tenant) for shard in range(SHARDS)
        ]
        return sum(counts)

    async def connect(self) -> None:
        """Connect now rather than with the first call.

        Raises:
            EmbedderMismatch: The index was filled by another embedder.
        """
        await self._collections.connect()

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._collections.close()

    def _collection_name(self, kind: VectorKind, shard: int) -> str:
        return collection_name(kind, self._generation or self._serving.get(kind, 1), shard)

    def _check_dimension(self, vector: Sequence[float]) -> None:
        if len(vector) != self._dimension:
            raise EmbedderMismatch(
                f"A vector of length {len(vector)} does not fit the index of "
                f"{self._fingerprint} ({self._dimension} dimensions)."
            )

    async def _store(
        self,
        tenant: str,
        name: str,
        ids: list[str],
        entries: dict[str, tuple[str, VectorItem]],
    ) -> None:
        items = [entries[key][1] for key in ids]
        vectors = spread(
            [item.item_id for item in items], np.array([item.vector for item in items], np.float32)
        )
        metadatas: list[Metadata] = [
            {
                **item.metadata,
                "tenant": tenant,
                "anchor": item.anchor,
                "scope": scope,
                "item": item_of_chunk(item.item_id),
            }
            for scope, item in (entries[key] for key in ids)
        ]

        async def call(collection: AsyncCollection) -> None:
            await collection.upsert(ids=ids, embeddings=vectors, metadatas=metadatas)

        await self._collections.run(name, call, create=True)

    async def _remove(self, kind: VectorKind, shard: int, where: Where) -> None:
        async def call(collection: AsyncCollection) -> None:
            await collection.delete(where=where)

        await self._collections.run(self._collection_name(kind, shard), call, create=False)

    async def _count(self, name: str, tenant: str) -> int:
        async def call(collection: AsyncCollection) -> int:
            total = 0
            while True:
                page = await collection.get(
                    where={"tenant": tenant}, include=[], limit=_PAGE, offset=total
                )
                total += len(page["ids"])
                if len(page["ids"]) < _PAGE:
                    return total

        return await self._collections.run(name, call, create=False) or 0


async def open_chroma(url: str, embedder_fingerprint: str, dimension: int) -> ChromaVectorIndex:
    """Open the index at `url` for one embedder; shards are looked up when first touched.

    Raises:
        StoreUnavailable: No Chroma server answers at `url`.
        EmbedderMismatch: The index was filled by another embedder.
    """
    index = chroma_index(url, embedder_fingerprint, dimension)
    await index.connect()
    return index


def chroma_index(
    url: str, embedder_fingerprint: str, dimension: int, *, takes_over: bool = False
) -> ChromaVectorIndex:
    """Return the index at `url`, which connects with its first call.

    `takes_over`: even if it is another embedder's, which is to be replaced.

    Raises:
        StoreUnavailable: `url` is malformed.
    """
    found = collections(url, embedder_fingerprint, dimension, takes_over=takes_over)
    return ChromaVectorIndex(found, embedder_fingerprint, dimension)
