"""What a contact said becomes memory: vectors of messages, facts, vectors of facts (W3, W4).

The same functions serve a turn's nodes and the import of a history in batches. Everything is
idempotent by message.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.chunks import chunk_id, split_for_embedding
from memory.domain import Actor, ContactObservations, Fact, Message, Observation, VectorItem
from memory.extraction import extract
from memory.ports import Embedder, FactStore, Ledger, VectorIndex
from memory.predicates import fact_sentence


@dataclass(frozen=True, slots=True)
class Capture:
    """The stores that capture writes."""

    ledger: Ledger
    facts: FactStore
    vectors: VectorIndex
    embedder: Embedder


async def import_batches(
    stores: Capture, batches: Iterable[Sequence[Message]], now: datetime
) -> int:
    """Take a history in, batch by batch in order; return how many messages were new.

    Not one of them is ever answered. The ledger always comes first; a batch is recorded while the
    one before it is still indexed.
    """
    new = 0
    indexing: asyncio.Task[None] | None = None
    try:
        for batch in batches:
            recorded = await stores.ledger.record(batch, history=True)
            new += len({entry.uid for entry in recorded if entry.is_new})
            if indexing is not None:
                await indexing
            indexing = asyncio.create_task(_index_batch(stores, batch, now))
        if indexing is not None:
            await indexing
    finally:
        if indexing is not None and not indexing.done():
            indexing.cancel()
            await asyncio.gather(indexing, return_exceptions=True)
    return new


async def _index_batch(stores: Capture, messages: Sequence[Message], now: datetime) -> None:
    await index_messages(stores, messages)
    await learn_facts(stores, messages, now)


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
