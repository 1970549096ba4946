"""Messages are imported by batches: recorded, then indexed and read for facts; never answered."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from memory.domain.chats import Message
from memory.facts.learning import learn_facts
from memory.ports.bundle import Memory
from memory.transcript.indexing import index_messages

BATCHES_AHEAD = 2


@dataclass(frozen=True, slots=True)
class ImportBatch:
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
    memory: Memory, batches: Iterable[Sequence[Message]], now: datetime
) -> int:
    """Import batch by batch in order; return how many messages were new.

    Not one of them is ever answered.
    """

    async def each() -> AsyncIterator[ImportBatch]:
        for batch in batches:
            yield ImportBatch(batch)

    async with aclosing(import_each(memory, each(), now)) as taken:
        return sum([batch.new async for batch in taken])


async def import_each(
    memory: Memory, batches: AsyncIterator[ImportBatch], now: datetime
) -> AsyncGenerator[Taken]:
    """Import in order and without a reply; yield each batch once it is searchable.

    The ledger always comes first; up to `BATCHES_AHEAD` batches are recorded before the one that
    is indexed next, so that neither the processor nor the stores wait for each other.
    """
    indexing: deque[asyncio.Task[Taken]] = deque()
    try:
        async for batch in batches:
            recorded = await memory.ledger.record(batch.messages, history=True)
            new = {entry.uid for entry in recorded if entry.is_new}
            before = indexing[-1] if indexing else None
            indexing.append(asyncio.create_task(_index_batch(memory, batch, new, now, before)))
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
    memory: Memory,
    batch: ImportBatch,
    new: Collection[str],
    now: datetime,
    before: asyncio.Task[Taken] | None,
) -> Taken:
    known_too = batch.known_too
    messages = [
        m for m in batch.messages if known_too is None or m.uid in new or m.uid in known_too
    ]
    await index_messages(memory, messages)
    if before is not None:
        await asyncio.wait([before])  # facts are learned in the order in which they were told
    learned = await learn_facts(memory, messages, now)
    return Taken(len(batch.messages), len(new), len(learned))
