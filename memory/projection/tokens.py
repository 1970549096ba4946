"""What contacts said becomes token vectors, for late interaction; they go with the message."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from typing_extensions import override

from memory.domain.chats import Message
from memory.domain.drift import Compared, Comparison, Difference
from memory.domain.projections import ProjectionName
from memory.domain.recalls import Embedded, TokenMatrix
from memory.ports.bundle import Memory
from memory.ports.projections import Projection
from memory.projection.vectors import embedded_pieces


@dataclass(frozen=True, slots=True)
class MessageTokens(Projection):
    """The token vectors of a message, those of its pieces in a row. Items: uids.

    They come out of the pass that makes its vector. Without an embedder that gives any there are
    none, and ranking does without.
    """

    memory: Memory

    @property
    @override
    def name(self) -> ProjectionName:
        return "tokens"

    @property
    @override
    def fingerprint(self) -> str:
        return self.memory.embedder.token_space or "none"

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        reads = bool(self.memory.embedder.token_space)
        stored = await self.memory.ledger.settled(tenant, items) if reads else []
        said = [(entry.message, entry.changes) for entry in stored]
        kept = await self._write(tenant, said)
        await self.memory.tokens.delete(tenant, set(items) - kept)
        return len(kept)

    @override
    async def project_said(self, tenant: str, messages: Sequence[Message], generation: int) -> int:
        return len(await self._write(tenant, [(message, 0) for message in messages]))

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        async with aclosing(self.memory.contents.uids(tenant)) as said:
            async for uids in said:
                yield uids
        # Made anew in place: what should not be there is to be looked at, too.
        async with aclosing(self.memory.tokens.listing(tenant)) as kept:
            async for page in kept:
                yield list(page)

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        memory, space = self.memory, self.memory.embedder.token_space
        kept: dict[str, tuple[str, int]] = {}
        async with aclosing(memory.tokens.listing(tenant)) as pages:
            async for page in pages:
                kept |= page
        comparison = Comparison(kept, lambda kind, uid: Difference(kind, uid, (uid,)))
        anchors = await memory.contents.anchors(tenant) if space else []
        async with aclosing(memory.contents.said_in(tenant, anchors)) as said:
            async for stored in said:
                for entry in stored:
                    if embedded_pieces(entry.message):
                        comparison.ask(entry.uid, (space, entry.changes))
        return comparison.compared()

    async def _write(self, tenant: str, said: Sequence[tuple[Message, int]]) -> set[str]:
        """Write the token vectors of messages, each with its `changes`; return whose there are."""
        if not (space := self.memory.embedder.token_space):
            return set()
        pieces = [(m.uid, changes, piece) for m, changes in said for _, piece in embedded_pieces(m)]
        if not pieces:
            return set()
        read = await self.memory.embedder.read([piece for *_, piece in pieces])
        parts: dict[str, list[bytes]] = {}
        for (uid, _, _), embedded in zip(pieces, read, strict=True):
            parts.setdefault(uid, []).append(_vectors(embedded))
        width = next((each.tokens.width for each in read if each.tokens), 0)
        changes = {uid: number for uid, number, _ in pieces}
        entries = [
            (uid, changes[uid], TokenMatrix(b"".join(vectors), width))
            for uid, vectors in parts.items()
        ]
        await self.memory.tokens.put(tenant, space, entries)
        return set(parts)


def _vectors(embedded: Embedded) -> bytes:
    return embedded.tokens.vectors if embedded.tokens else b""
