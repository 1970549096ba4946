"""The nearest vectors of a collection, by scope.

One filter on `scope` selects them. Where those scopes hold most of the collection it is asked
without the filter, which costs five times the search, and the ids select (ADR 60).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Literal

import numpy as np
from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.api.types import QueryResult, Where
from chromadb.errors import InternalError

from memory.chroma.collections import Collections
from memory.text.chunks import item_of_chunk

# Chunks of one message collapse into one hit: fetch more than asked for, then more again.
_OVERFETCH = 2
# The first vectors of a collection cannot be searched while they are being written, which takes
# longer where a machine is busy; seconds between one try and the next.
_SETTLES_S = (0.05, 0.1, 0.2, 0.4, 0.8)
_NOT_WRITTEN = "Nothing found on disk"
# How long a collection is asked with a filter once the best of it were mostly others'.
_SHARED_S = 600.0


class Nearest:
    """Searches in collections; remembers which of them others have most of."""

    def __init__(self, collections: Collections) -> None:
        """Take an embedder's collections."""
        self._collections = collections
        self._shared: dict[str, float] = {}

    async def of(
        self, name: str, scopes: Sequence[str], vector: Sequence[float], limit: int
    ) -> dict[str, float]:
        """Return the best score of each of the `limit` nearest items of scopes of a collection."""
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
