"""Ports of search: words, vectors, and what makes vectors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from memory.domain.recalls import Audience, Embedded, Hit, Lexical, Line, TokenMatrix, VectorItem

VectorKind = Literal["message", "knowledge", "episode"]


class ListedVector(NamedTuple):
    """What is stored with a vector: its scope, its id, and whatever else is known of it."""

    anchor: str
    item_id: str
    metadata: Mapping[str, object]


class LexicalIndex(Protocol):
    """Exact BM25 over what contacts said, within a scope, and the lines that ranking reads."""

    async def search(self, tenant: str, anchors: Sequence[str], query: str, limit: int) -> Lexical:
        """Return at most `limit` messages, best first; none when no term matches."""
        ...

    async def audience(
        self, tenant: str, contact_id: str, anchor: str, uids: Sequence[str], asker: str = ""
    ) -> Audience:
        """Tell whether contacts said anything in the anchor beside the messages of these uids.

        With it come the further anchors that this contact may hear in a direct chat; none for an
        empty `contact_id`. `asker`: of whom it is told whether they claimed anything of others, and
        what is kept of them.
        """
        ...

    async def lines(
        self,
        tenant: str,
        anchors: Sequence[str],
        uids: Sequence[str],
        terms: Sequence[str],
        *,
        reach: int = 0,
        space: str = "",
    ) -> list[Line]:
        """Return these messages and those up to `reach` positions beside them, in no order.

        Only what contacts and the agent said under the anchors, and nothing withheld. Of `terms`
        it is told how often each stands in a line; token vectors come with it where `space` made
        them, and the kinds of thing that it tells of.
        """
        ...


class VectorIndex(Protocol):
    """Vectors by kind, scoped by tenant and anchor: ids and scope only, never text (X4)."""

    def of(self, generation: int) -> VectorIndex:
        """Return the same index in another making, which may be empty as yet."""
        ...

    def serve(self, kind: VectorKind, generation: int) -> None:
        """Answer from this making of a kind from now on; from the first one at first."""
        ...

    async def adopt(self) -> None:
        """Let the index be this embedder's: it is refused to whoever opens it with another."""
        ...

    async def drop(self, kind: VectorKind, kept: Collection[int]) -> None:
        """Delete every making of a kind but these."""
        ...

    async def upsert(self, tenant: str, kind: VectorKind, items: Sequence[VectorItem]) -> None:
        """Store vectors; an id already there is replaced."""
        ...

    async def items(self, tenant: str, kind: VectorKind, anchor: str) -> dict[str, int]:
        """Return the ids under an anchor, chunks by themselves, each with its `version` (or 0)."""
        ...

    async def present(
        self, tenant: str, kind: VectorKind, items: Sequence[tuple[str, str]]
    ) -> set[tuple[str, str]]:
        """Return those of the (anchor, item id) pairs that have a vector."""
        ...

    @property
    def shards(self) -> int:
        """Into how many parts each kind is spread, by anchors."""
        ...

    def shard_of(self, tenant: str, anchor: str) -> int:
        """Return the part, from 0, that an anchor's vectors are in."""
        ...

    def listing(
        self, tenant: str, kind: VectorKind, shard: int
    ) -> AsyncGenerator[Sequence[ListedVector]]:
        """Yield all that a part holds of a tenant, page by page, chunks by themselves."""
        ...

    async def search(
        self,
        tenant: str,
        kind: VectorKind,
        anchors: Sequence[str],
        vector: Sequence[float],
        limit: int,
    ) -> list[Hit]:
        """Return at most `limit` items of the anchors by cosine similarity, best first."""
        ...

    async def delete(self, tenant: str, kind: VectorKind, anchor: str) -> None:
        """Remove an anchor's vectors."""
        ...

    async def delete_known(self, tenant: str, contact_id: str) -> None:
        """Remove the vectors of all facts about a contact, under whatever anchor they are."""
        ...

    async def delete_items(
        self, tenant: str, kind: VectorKind, anchor: str, item_ids: Sequence[str]
    ) -> None:
        """Remove single items of an anchor with all their chunks."""
        ...

    async def count(self, tenant: str, kind: VectorKind) -> int:
        """Return how many vectors a tenant has."""
        ...


class TokenVectors(Protocol):
    """The vectors of messages' word pieces, beside the ledger: they go when the message goes."""

    async def put(
        self, tenant: str, space: str, entries: Sequence[tuple[str, int, TokenMatrix]]
    ) -> None:
        """Keep what messages are made of, by uid and the message's `changes`, in place of others.

        `space` names what made them (`Embedder.token_space`). A message that is not in the ledger
        is left out.
        """
        ...

    async def delete(self, tenant: str, uids: Collection[str]) -> None:
        """Remove those of these messages."""
        ...

    def listing(self, tenant: str) -> AsyncGenerator[Mapping[str, tuple[str, int]]]:
        """Yield, page by page, each uid with the space and the `changes` of what is kept."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors. The fingerprint names model, dimension and normalisation."""

    @property
    def fingerprint(self) -> str:
        """Identity of the vectors this embedder makes, e.g. `all-MiniLM-L6-v2/384/l2`."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed texts; one vector each, in order. Long texts must be split before."""
        ...

    @property
    def token_space(self) -> str:
        """Identity of the vectors of pieces; empty where `read` gives none."""
        ...

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed texts and, where the embedder can, their word pieces, in order."""
        ...
