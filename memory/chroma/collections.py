"""The collections on a Chroma server: made, opened and asked, one embedder's all of them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from chromadb.api import AsyncClientAPI
from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.errors import NotFoundError, UniqueConstraintError

from memory.chroma.client import Connection, connect, disconnect, translated
from memory.errors import StoreUnavailable, another_embedder

EF_SEARCH = 1_000
"""Candidates that a search of the graph keeps.

With Chroma's 100, fewer than are asked for, 3 % of the best 150 were missed, and two equal runs
differed; with this many hardly one is, for 3 ms more (6,000 vectors in a shard, a scope of 750).
"""
META_COLLECTION = "recollect-meta"
# How long a collection that was missing is taken to be missing still; another process may make it.
_MISSING_S = 1.0

_Result = TypeVar("_Result")


class Collections:
    """The collections at `url` by name, opened once. Those made here are for one embedder."""

    def __init__(self, client: Connection, url: str, fingerprint: str, dimension: int) -> None:
        self._client = client
        self._url = url
        self._fingerprint = fingerprint
        self._dimension = dimension
        self._opened: dict[str, AsyncCollection] = {}
        self._missing: dict[str, float] = {}

    async def run(
        self,
        name: str,
        call: Callable[[AsyncCollection], Awaitable[_Result]],
        create: bool,
    ) -> _Result | None:
        """Run `call` on a collection; None when it does not exist and `create` is false.

        A cached collection may have been dropped by another process (a rebuild): look once more.
        A missing one is not looked for again at once: every recall of a new user would.
        """
        if not create and time.monotonic() - self._missing.get(name, -_MISSING_S) < _MISSING_S:
            return None
        for _ in range(2):
            collection = self._opened.get(name)
            is_cached = collection is not None
            try:
                if collection is None:
                    async with translated(self._url):
                        collection = await self._open(name, create)
                    _check_fingerprint(collection, self._fingerprint)
                    self._opened[name] = collection
                    self._missing.pop(name, None)
                async with translated(self._url):
                    return await call(collection)
            except NotFoundError:
                self._opened.pop(name, None)
                if not is_cached:
                    self._missing[name] = time.monotonic()
                    return None
        return None

    async def adopt(self) -> None:
        """Take the index over, whose vectors another embedder made and which is made anew."""
        async with translated(self._url):
            client = await self._client.client()
            meta = await client.get_collection(META_COLLECTION, embedding_function=None)
            await meta.modify(metadata=_made_by(self._fingerprint, self._dimension))

    async def drop(self, is_old: Callable[[str], bool]) -> None:
        """Delete each collection whose name `is_old`."""
        async with translated(self._url):
            client = await self._client.client()
            for collection in await client.list_collections():
                if is_old(collection.name):
                    with suppress(NotFoundError):  # another process was faster
                        await client.delete_collection(collection.name)

    async def connect(self) -> None:
        """Connect now rather than with the first call."""
        await self._client.client()

    async def close(self) -> None:
        """Close the connections to the server."""
        self._opened.clear()
        await self._client.close()

    async def _open(self, name: str, create: bool) -> AsyncCollection:
        client = await self._client.client()
        if not create:
            return await client.get_collection(name, embedding_function=None)
        return await _created(client, name, self._fingerprint, self._dimension)


def collections(url: str, fingerprint: str, dimension: int, *, takes_over: bool) -> Collections:
    """Return the collections at `url`, connected with the first call.

    `takes_over`: even if they are another embedder's, which is to be replaced.

    Raises:
        StoreUnavailable: `url` is malformed.
    """

    async def greet(client: AsyncClientAPI) -> None:
        meta = await _created(client, META_COLLECTION, fingerprint, dimension)
        if not takes_over:
            _check_fingerprint(meta, fingerprint)

    return Collections(Connection(url, greet), url, fingerprint, dimension)


async def made_by(url: str) -> str:
    """Return the fingerprint of the embedder that filled the index at `url`.

    Empty where nothing was stored yet, or no server answers: who connects will see.
    """
    try:
        client = await connect(url)
    except StoreUnavailable:
        return ""
    try:
        meta = await client.get_collection(META_COLLECTION, embedding_function=None)
        return str((meta.metadata or {}).get("fingerprint") or "")
    except NotFoundError:
        return ""
    finally:
        await disconnect()


async def _created(
    client: AsyncClientAPI, name: str, fingerprint: str, dimension: int
) -> AsyncCollection:
    """Return a collection, made if it is missing; several processes may do so at once.

    An existing collection keeps its own metadata.
    """
    try:
        return await client.get_or_create_collection(
            name,
            metadata=_made_by(fingerprint, dimension),
            configuration={"hnsw": {"space": "cosine", "ef_search": EF_SEARCH}},
            embedding_function=None,
        )
    except UniqueConstraintError:
        # Another process was faster between the server's look-up and its insert.
        return await client.get_collection(name, embedding_function=None)


def _check_fingerprint(collection: AsyncCollection, expected: str) -> None:
    """Refuse a collection whose vectors another embedder made.

    Raises:
        EmbedderMismatch: The stored fingerprint is missing or another one.
    """
    stored = (collection.metadata or {}).get("fingerprint")
    if stored != expected:
        raise another_embedder(str(stored or ""), expected)


def _made_by(fingerprint: str, dimension: int) -> dict[str, str | int]:
    return {"fingerprint": fingerprint, "dimension": dimension}
