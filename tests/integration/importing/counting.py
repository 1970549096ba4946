"""An embedder that counts, a watcher that remembers, and what the side doors of the stores show."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from graph.importing.chats import import_chats
from graph.importing.mapping import Owner
from graph.stores import Stores
from memory.domain.imports import ImportState
from memory.errors import EmbedderUnavailable
from memory.minilm.recall import fingerprint
from tests.fakes.embedding import WithoutPieces
from tests.fakes.exports import MadeExport

DIMENSION = 384


class CountingEmbedder(WithoutPieces):
    """Vectors from a hash of the text. After `fails_after` texts, `failures` calls fail.

    Where `goes_on` is cleared it sets `pauses`, and waits.
    """

    fingerprint = fingerprint()
    dimension = DIMENSION

    def __init__(self) -> None:
        self.texts = 0
        self.characters = 0
        self.failures = 0
        self.fails_after = 0
        self.pauses = asyncio.Event()
        self.goes_on = asyncio.Event()
        self.goes_on.set()

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return one unit vector for each text."""
        if self.failures and self.texts >= self.fails_after:
            self.failures -= 1
            raise EmbedderUnavailable
        self.texts += len(texts)
        if not self.goes_on.is_set():
            self.pauses.set()
            await self.goes_on.wait()
        self.characters += sum(map(len, texts))
        return [_vector(text) for text in texts]


def _vector(text: str) -> tuple[float, ...]:
    digest = hashlib.sha256(text.encode()).digest()
    raw = [digest[i % 32] - 127.5 + i % 7 for i in range(DIMENSION)]
    length = sum(x * x for x in raw) ** 0.5
    return tuple(x / length for x in raw)


@dataclass
class Watching:
    """A `Watcher` that remembers."""

    started_at: int = -1
    positions: list[int] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    joins: list[tuple[str, str]] = field(default_factory=list)

    def begun(self, state: ImportState) -> None:
        """It starts."""
        self.started_at = state.position

    def moved(self, position: int) -> None:
        """So many are in."""
        self.positions.append(position)

    def joined(self, chat: str, file_name: str) -> None:
        """It goes on with a chat that was there."""
        self.joins.append((chat, file_name))

    def waiting(self, reason: str, pause_s: float) -> None:
        """Something does not answer."""
        del pause_s
        self.waits.append(reason)


async def take(
    stores: Stores,
    export: MadeExport,
    *,
    speaker: str = "Max",
    contact: str = "me",
    watcher: Watching | None = None,
) -> ImportState:
    """Import for a contact of the test's tenant."""
    owner = Owner(stores.settings.tenant, contact, speaker)
    return await import_chats(stores, export, owner, "as it is", watcher or Watching())


async def count(stores: Stores, query: str) -> int:
    """Return the number that a query with the tenant as its parameter counts."""
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(query.encode(), [stores.settings.tenant])
        row = await cursor.fetchone()
    return int(next(iter(row.values()))) if row else 0


async def rows(stores: Stores) -> int:
    """Return how many messages the tenant has."""
    return await count(stores, "select count(*) from messages where tenant = %s")


async def spoken(stores: Stores) -> int:
    """Return how many messages of contacts have a text, each of which must have its vector."""
    return await count(
        stores,
        "select count(*) from messages where tenant = %s and author = 'contact' and content <> ''",
    )


async def vectors(stores: Stores) -> int:
    """Return how many message vectors the tenant has."""
    return await stores.memory.vectors.count(stores.settings.tenant, "message")
