"""What a contact said becomes memory: vectors of messages, facts, vectors of facts (W3, W4).

The same functions serve a turn's nodes and the import of a history in batches. Everything is
idempotent by message.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from memory.chunks import chunk_id, split_for_embedding
from memory.domain import Actor, ContactObservations, Fact, Message, Observation, VectorItem
from memory.extraction import extract
from memory.ports import Embedder, FactStore, Ledger, VectorIndex
from memory.predicates import fact_sentence

BATCHES_AHEAD = 2


@dataclass(frozen=True, slots=True)
class Capture:
    """The stores that capture writes."""

    ledger: Ledger
    facts: FactStore
    vectors: VectorIndex
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class HistoryBatch:
    """Messages in order. Those of `known_too` are indexed even if the ledger has them already.

    None: all are.
    """

    messages: Sequence[Message]
    known_too: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A batch that is recorded and indexed: its messages, those new, and the facts learned."""

    messages: int
    new: int
    facts: int


async def import_batches(
    stores: Capture, batches: Iterable[Sequence[Message]], now: datetime
) -> int:
    """Take a history in, batch by batch in order; return how many messages were new.

    Not one of them is ever answered.
    """

    async def each() -> AsyncIterator[HistoryBatch]:
        for batch in batches:
            yield HistoryBatch(batch)

    async with aclosing(take_history(stores, each(), now)) as taken:
        return sum([batch.new async for batch in taken])


async def take_history(
    stores: Capture, batches: AsyncIterator[HistoryBatch], now: datetime
) -> AsyncGenerator[Taken]:
    """Take a history in, in order and without a reply; yield each batch once it is searchable.

    The ledger always comes first; up to `BATCHES_AHEAD` batches are recorded before the one that
    is indexed next, so that neither the processor nor the stores wait for each other.
    """
    indexing: deque[asyncio.Task[Taken]] = deque()
    try:
        async for batch in batches:
            recorded = await stores.ledger.record(batch.messages, history=True)
            new = {entry.uid for entry in recorded if entry.is_new}
            before = indexing[-1] if indexing else None
            indexing.append(asyncio.create_task(_index_batch(stores, batch, new, now, before)))
            while len(indexing) > BATCHES_AHEAD:
                yield await _first(indexing)
        while indexing:
            yield await _first(indexing)
    finally:
        for task in indexing:
            task.cancel()
        await asyncio.gather(*indexing, return_exceptions=True)


async def _first(indexing: deque[asyncio.Task[Taken]]) -> Taken:
    """Wait for the oldest batch; it stays in line until it is done, to be cancelled otherwise."""
    taken = await indexing[0]
    indexing.popleft()
    return taken


async def _index_batch(
    stores: Capture,
    batch: HistoryBatch,
    new: Collection[str],
    now: datetime,
    before: asyncio.Task[Taken] | None,
) -> Taken:
    known_too = batch.known_too
    messages = [
        m for m in batch.messages if known_too is None or m.uid in new or m.uid in known_too
    ]
    await index_messages(stores, messages)
    if before is not None:
        await asyncio.wait([before])  # facts are learned in the order in which they were told
    learned = await learn_facts(stores, messages, now)
    return Taken(len(batch.messages), len(new), len(learned))


async def index_messages(stores: Capture, messages: Sequence[Message]) -> None:
    """Put the vectors of what contacts said into the index; a long message has several.

    In a group a vector covers who speaks, too: questions there name people.
    """
    pieces = [
        (message, number, piece)
        for message in messages
        if message.actor is Actor.CONTACT and message.text.strip()
        for number, piece in enumerate(split_for_embedding(_embedded_text(message)))
    ]
    if not pieces:
        return
    vectors = await stores.embedder.embed([piece for _, _, piece in pieces])
    items: defaultdict[str, list[VectorItem]] = defaultdict(list)
    for (message, number, _), vector in zip(pieces, vectors, strict=True):
        item_id = chunk_id(message.uid, number)
        metadata: dict[str, str | int | float | bool] = {
            "chat": message.chat.chat_id,
            "actor": message.sender_id,
            "timestamp": message.sent_at.timestamp(),
            "message_id": message.message_id,
            "is_group": message.is_group,
        }
        items[message.chat.tenant].append(VectorItem(item_id, message.anchor, vector, metadata))
    for tenant, batch in items.items():
        await stores.vectors.upsert(tenant, "message", batch)


def _embedded_text(message: Message) -> str:
    if message.is_group and message.sender_name:
        return f"{message.sender_name}: {message.text}"
    return message.text


async def learn_facts(stores: Capture, messages: Sequence[Message], now: datetime) -> list[Fact]:
    """Read facts from what contacts said and store them; return those that became active.

    Forwarded text is no statement of its sender (X6), and only who may command the agent may tell
    it how to behave from now on (N10), whichever way a message came in.
    """
    told: defaultdict[str, list[ContactObservations]] = defaultdict(list)
    for message in messages:
        if message.actor is Actor.CONTACT and not message.forwarded and message.text.strip():
            observations = extract(
                message.text,
                source_uid=message.uid,
                stated_at=message.sent_at,
                anchor=message.anchor,
            )
            if rightful := _within_rights(message, observations):
                told[message.chat.tenant].append(ContactObservations(message.contact_id, rightful))
    learned: list[Fact] = []
    for tenant, batches in told.items():
        learned += await stores.facts.apply_many(tenant, batches, now)
    await _index_facts(stores, learned)
    return learned


def _within_rights(
    message: Message, observations: Sequence[Observation]
) -> tuple[Observation, ...]:
    return tuple(o for o in observations if message.is_owner or o.category != "instruction")


async def _index_facts(stores: Capture, facts: Sequence[Fact]) -> None:
    if not facts:
        return
    vectors = await stores.embedder.embed([fact_sentence(fact) for fact in facts])
    items: defaultdict[str, list[VectorItem]] = defaultdict(list)
    for fact, vector in zip(facts, vectors, strict=True):
        metadata: dict[str, str | int | float | bool] = {
            "contact": fact.contact_id,
            "message_uid": fact.source_uid,
            "timestamp": fact.valid_from.timestamp(),
        }
        items[fact.tenant].append(VectorItem(fact.fact_id, fact.anchor, vector, metadata))
    for tenant, batch in items.items():
        await stores.vectors.upsert(tenant, "knowledge", batch)
