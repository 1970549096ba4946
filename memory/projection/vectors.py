"""What contacts said becomes vectors (W3, W4), and goes when it is edited, deleted or withheld."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from memory.domain.chats import READ_CHARS, Actor, Message, StoredMessage
from memory.domain.drift import Compared
from memory.domain.projections import ANCHOR, ProjectionName
from memory.domain.recalls import VectorItem
from memory.ports.recall import VectorIndex, VectorKind
from memory.projection.vectors_of_kind import VectorsOfKind
from memory.text.apart import read_apart
from memory.text.chunks import chunk_id, item_of_chunk, split_for_embedding


@dataclass(frozen=True, slots=True)
class MessageVectors(VectorsOfKind):
    """A vector for each piece of a message. Items: uids, and `anchor:` for a whole anchor."""

    kind: ClassVar[VectorKind] = "message"

    @property
    @override
    def name(self) -> ProjectionName:
        return "vectors"

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        index = self.memory.vectors.of(generation)
        anchors = [item.removeprefix(ANCHOR) for item in items if item.startswith(ANCHOR)]
        uids = [item for item in items if not item.startswith(ANCHOR)]
        stored = await self.memory.ledger.settled(tenant, uids) if uids else []
        changed = [(each.message.anchor, each.uid) for each in stored if _may_differ(each)]
        await self.delete(index, tenant, changed)
        written = await self._write(index, tenant, _versions(stored))
        for anchor in anchors:
            written += await self._align(index, tenant, anchor)
        return written

    @override
    async def project_said(self, tenant: str, messages: Sequence[Message], generation: int) -> int:
        index = self.memory.vectors.of(generation)
        return await self._write(index, tenant, [(message, 0) for message in messages])

    @override
    def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        return self.memory.contents.uids(tenant)

    @override
    async def parts(self, tenant: str) -> Sequence[str]:
        return [str(shard) for shard in range(self.memory.vectors.shards)]

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        contents, index = self.memory.contents, self.memory.vectors.of(generation)
        comparison = await self.comparison(tenant, generation, [int(part)])
        anchors = [
            anchor
            for anchor in await contents.anchors(tenant)
            if index.shard_of(tenant, anchor) == int(part)
        ]
        async with aclosing(contents.said_in(tenant, anchors)) as pages:
            async for said in pages:
                for entry in said:
                    for chunk in expected_ids(entry.message):
                        comparison.ask((entry.message.anchor, chunk), entry.changes)
        return comparison.compared()

    async def _align(self, index: VectorIndex, tenant: str, anchor: str) -> int:
        """Delete what the ledger does not have under an anchor, and write what is not there."""
        said = await self.memory.ledger.said_in(tenant, anchor)
        wanted = {entry.uid: ids for entry in said if (ids := expected_ids(entry.message))}
        versions = {entry.uid: entry.changes for entry in said}
        found: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for chunk, version in (await index.items(tenant, "message", anchor)).items():
            found[item_of_chunk(chunk)][chunk] = version
        wrong = [
            uid
            for uid, chunks in found.items()
            if chunks.keys() != wanted.get(uid, set())
            or set(chunks.values()) != {versions.get(uid, 0)}
        ]
        await index.delete_items(tenant, "message", anchor, wrong)
        missing = wanted.keys() - (found.keys() - set(wrong))
        left_out = [entry for entry in said if entry.uid in missing]
        return await self._write(index, tenant, _versions(left_out))

    async def _write(
        self, index: VectorIndex, tenant: str, said: Sequence[tuple[Message, int]]
    ) -> int:
        """Write the vectors of messages, each with its version; return how many."""
        size = sum(len(message.text) for message, _ in said)
        pieces = await read_apart(
            lambda: [
                (message, version, number, piece)
                for message, version in said
                for number, piece in embedded_pieces(message)
            ],
            size,
        )
        if not pieces:
            return 0
        vectors = await self.memory.embedder.embed([piece for *_, piece in pieces])
        entries = [
            _item(message, version, number, vector)
            for (message, version, number, _), vector in zip(pieces, vectors, strict=True)
        ]
        await index.upsert(tenant, "message", entries)
        return len(entries)


def _versions(stored: Sequence[StoredMessage]) -> list[tuple[Message, int]]:
    return [(entry.message, entry.changes) for entry in stored]


def expected_ids(message: Message) -> set[str]:
    """Return the ids of the vectors that a message has to have; none where it is not indexed."""
    return {chunk_id(message.uid, number) for number, _ in embedded_pieces(message)}


def embedded_pieces(message: Message) -> list[tuple[int, str]]:
    """Return what is embedded of a message, numbered; a long one has several pieces.

    In a group a vector covers who speaks, too: questions there name people.
    """
    if message.actor is not Actor.CONTACT or message.withheld or not message.text.strip():
        return []
    is_named = message.is_group and message.sender_name
    text = f"{message.sender_name}: {message.text}" if is_named else message.text
    return list(enumerate(split_for_embedding(text[:READ_CHARS])))


def _may_differ(stored: StoredMessage) -> bool:
    """Tell whether there may be vectors of what a message said before."""
    return stored.changes > 0 or stored.withheld


def _item(message: Message, version: int, number: int, vector: tuple[float, ...]) -> VectorItem:
    metadata: dict[str, str | int | float | bool] = {
        "chat": message.chat.chat_id,
        "actor": message.sender_id,
        "timestamp": message.sent_at.timestamp(),
        "message_id": message.message_id,
        "is_group": message.is_group,
        "version": version,
    }
    return VectorItem(chunk_id(message.uid, number), message.anchor, vector, metadata)
