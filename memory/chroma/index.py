"""The vector index on a Chroma server: ids, vectors and scope, never text.

A filtered query slows with the size of its collection, so each kind of vector is spread over 16
collections (`recollect-message-00` ...) by a hash of tenant and anchor. Inside a shard one filter
on `scope` selects the anchors; stored ids begin with the scope, so tenants cannot meet even
where their item ids do. Where anchors hold most of a shard it is asked without the filter, which
costs five times the search, and the ids select (ADR 60). `recollect-meta` holds no vectors, only
the embedder's fingerprint.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Literal

import numpy as np
from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.api.types import Metadata, QueryResult, Where
from chromadb.errors import InternalError
from typing_extensions import override

from memory.chroma.collections import Collections, collections
from memory.chroma.spreading import spread
from memory.domain.recalls import Hit, VectorItem
from memory.errors import EmbedderMismatch
from memory.ports.recall import ListedVector, VectorIndex, VectorKind
from memory.text.chunks import item_of_chunk

# Source: our measurement; 100k vectors over 16 collections answer as fast as over 64 in far less
# memory.
SHARDS = 16

BATCH_SIZE = 2_000


# Chunks of one message collapse into one hit: fetch more than asked for, then more again.
_OVERFETCH = 2
_PAGE = 10_000
# The first vectors of a collection cannot be searched while they are being written, which takes
# longer where a machine is busy; seconds between one try and the next.
_SETTLES_S = (0.05, 0.1, 0.2, 0.4, 0.8)
_NOT_WRITTEN = "Nothing found on disk"
# How long a collection is asked with a filter once the best of it were mostly others'.
_SHARED_S = 600.0


def scope_of(tenant: str, anchor: str) -> str:
    """Return the 32 hex digits that stand for an anchor of a tenant."""
    return hashlib.sha256(json.dumps([tenant, anchor]).encode()).hexdigest()[:32]


def shard_of(scope: str) -> int:
    """Return the shard, 0 to 15, that holds a scope."""
    return int(scope[:8], 16) % SHARDS


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
        self._shared: dict[str, float] = {}

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
            generation = _generation_in(name, kind)
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
            *(self._nearest(kind, scopes, vector, limit) for scopes in shards.values())
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
        generation = self._generation or self._serving.get(kind, 1)
        making = "" if generation == 1 else f"-g{generation}"
        return f"recollect-{kind}{making}-{shard:02d}"

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

    async def _nearest(
        self, kind: VectorKind, scopes: Sequence[str], vector: Sequence[float], limit: int
    ) -> dict[str, float]:
        """Return the best score of each of the `limit` nearest items of scopes of one shard."""
        name = self._collection_name(kind, shard_of(scopes[0]))
        wanted = limit * _OVERFETCH
        if time.monotonic() - self._shared.get(name, -_SHARED_S) >= _SHARED_S:
            rows = await self._query(name, None, vector, wanted)
            best = _best_of(row for row in rows if row[0].partition(":")[0] in scopes)
            # What is not among the nearest of all is farther than what is.
            if len(best) >= limit or len(rows) < wanted:
                return best
            self._shared[name] = time.monotonic()
        many: dict[Literal["$in", "$nin"], list[str | int | float | bool]] = {"$in": [*scopes]}
        where: Where = {"scope": scopes[0]} if len(scopes) == 1 else {"scope": many}
        while True:
            rows = await self._query(name, where, vector, wanted)
            best = _best_of(rows)
            if len(best) >= limit or len(rows) < wanted:
                return best
            wanted *= _OVERFETCH

    async def _query(
        self, name: str, where: Where | None, vector: Sequence[float], count: int
    ) -> list[tuple[str, float]]:

        async def call(collection: AsyncCollection) -> list[tuple[str, float]]:
            ask = partial(
                collection.query,
                query_embeddings=np.array([vector], np.float32),
                n_results=count,
                where=where,
                include=["distances"],
            )
            for pause in _SETTLES_S:
                with suppress(InternalError):
                    return _rows(await ask())
                await asyncio.sleep(pause)
            try:
                return _rows(await ask())
            except InternalError as error:
                if _NOT_WRITTEN in str(error):
                    return []  # none is there yet
                raise

        return await self._collections.run(name, call, create=False) or []

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


def _rows(found: QueryResult) -> list[tuple[str, float]]:
    distances = found["distances"] or [[]]
    return list(zip(found["ids"][0], distances[0], strict=True))


def _best_of(rows: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return each item's best score; rows are stored ids with their distances."""
    best: dict[str, float] = {}
    for stored_id, distance in rows:
        item_id = item_of_chunk(stored_id.partition(":")[2])
        score = max(-1.0, min(1.0, 1.0 - distance))
        best[item_id] = max(score, best.get(item_id, score))
    return best


def _generation_in(name: str, kind: VectorKind) -> int | None:
    """Return which making of a kind a collection belongs to; None where it is another kind's."""
    found = re.fullmatch(rf"recollect-{kind}(?:-g(\d+))?-\d\d", name)
    return int(found[1] or 1) if found else None
