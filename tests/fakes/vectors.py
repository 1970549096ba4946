"""Vectors in dictionaries, of letters, and a store that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from memory.domain.recalls import (
    Hit,
    VectorItem,
)
from memory.text.chunks import item_of_chunk
from tests.fakes.embedding import WithoutPieces

LETTERS = "letters/26"


class MemoryVectors:
    """Vectors by kind and id; a search finds what has the query's vector."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], VectorItem] = {}

    async def upsert(self, tenant: str, kind: str, items: Sequence[VectorItem]) -> None:
        self.items |= {(kind, item.item_id): item for item in items}

    async def search(
        self, tenant: str, kind: str, anchors: Sequence[str], vector: Sequence[float], limit: int
    ) -> list[Hit]:
        return [
            Hit(item.item_id.rpartition("#")[0] or item.item_id, 1.0)
            for (of, _), item in self.items.items()
            if of == kind and item.anchor in anchors and item.vector == tuple(vector)
        ][:limit]

    def of(self, generation: int) -> MemoryVectors:
        return self

    def serve(self, kind: str, generation: int) -> None:
        return

    async def present(
        self, tenant: str, kind: str, items: Sequence[tuple[str, str]]
    ) -> set[tuple[str, str]]:
        return {pair for pair in items if (kind, pair[1]) in self.items}

    async def delete(self, tenant: str, kind: str, anchor: str) -> None:
        gone = [key for key, item in self.items.items() if (key[0], item.anchor) == (kind, anchor)]
        for key in gone:
            del self.items[key]

    async def delete_known(self, tenant: str, contact_id: str) -> None:
        for key, item in list(self.items.items()):
            if key[0] == "knowledge" and item.metadata.get("contact") == contact_id:
                del self.items[key]

    async def delete_items(
        self, tenant: str, kind: str, anchor: str, item_ids: Sequence[str]
    ) -> None:
        for key in list(self.items):
            if key[0] == kind and item_of_chunk(key[1]) in item_ids:
                del self.items[key]


class Gone:
    """A store that cannot be reached, or hangs, whatever it is asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked = 0
        self.fingerprint, self.dimension, self.token_space = LETTERS, 26, ""

    def __getattr__(self, name: str) -> Any:
        async def call(*_: object) -> object:
            self.asked += 1
            if self.error is None:
                await asyncio.sleep(60)
                return None
            raise self.error

        return call


class LetterEmbedder(WithoutPieces):
    """A vector of how often each letter stands in a text."""

    fingerprint = LETTERS
    dimension = 26

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        letters = "abcdefghijklmnopqrstuvwxyz"
        return [tuple(float(text.casefold().count(x)) for x in letters) for text in texts]
