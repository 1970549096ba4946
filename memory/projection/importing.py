"""Messages are imported by batches: recorded, then taken in by projections; never answered."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from memory.domain.chats import Message
from memory.domain.projections import CHAT
from memory.ports.bundle import Memory
from memory.projection.projector import Projector
from memory.transcript.intake import note_rules, withheld_by

BATCHES_AHEAD = 2
PATIENCE_S = 120.0
"""So long the projections' own workers leave to an import what it recorded: they would read it a
second time, and so slow the import down that they had the next batch to read, too."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A batch that is recorded and searchable: its messages, those new, and the facts learned."""

    messages: int
    new: int
    facts: int


async def import_batches(
    memory: Memory, projector: Projector, batches: Iterable[Sequence[Message]]
) -> int:
    """Import batch by batch in order; return how many messages were new.

    Not one of them is ever answered. When it returns, all projections have taken them in.
    """

    async def each() -> AsyncIterator[Sequence[Message]]:
        for batch in batches:
            yield batch

    async with aclosing(import_each(memory, projector, each())) as taken:
        new = sum([batch.new async for batch in taken])
    await projector.caught_up()
    return new


async def import_each(
    memory: Memory,
    projector: Projector,
    batches: AsyncIterator[Sequence[Message]],
    source: str = "",
) -> AsyncGenerator[Taken]:
    """Import in order and without a reply; yield each batch once it is searchable.

    The ledger always comes first; up to `BATCHES_AHEAD` batches are recorded before the one that
    is taken in next, so that neither the processor nor the stores wait for each other. Recorded, a
    batch is owed to every projection: whatever interrupts this, it is taken in. `source` names what
    they come from: nothing is recorded of one that was erased.
    """
    under_way: deque[asyncio.Task[Taken]] = deque()
    try:
        async for batch in batches:
            rules = await memory.rules.of(batch[0].chat.tenant) if batch else []
            batch = [withheld_by(message, rules) for message in batch]
            recorded = await memory.ledger.record(batch, history=True, about=source)
            await note_rules(memory, batch, rules)
            new = {entry.uid for entry in recorded if entry.is_new}
            await _postpone(memory, batch, new)
            before = under_way[-1] if under_way else None
            under_way.append(asyncio.create_task(_take_in(projector, batch, new, before)))
            while len(under_way) > BATCHES_AHEAD:
                yield await _first(under_way)
        while under_way:
            yield await _first(under_way)
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _postpone(memory: Memory, batch: Sequence[Message], new: Collection[str]) -> None:
    """Keep what was recorded for the one who imports it, and its chats until they are all there."""
    if new:
        items = [*new, *{CHAT + message.chat.thread_id for message in batch}]
        await memory.backlog.postpone(batch[0].chat.tenant, items, PATIENCE_S)


async def _first(under_way: deque[asyncio.Task[Taken]]) -> Taken:
    """Wait for the oldest batch; it stays in line until it is done, to be cancelled otherwise."""
    taken = await under_way[0]
    under_way.popleft()
    return taken


async def _take_in(
    projector: Projector,
    batch: Sequence[Message],
    new: Collection[str],
    before: asyncio.Task[Taken] | None,
) -> Taken:
    """Take in a batch: what is new as it was just recorded, the rest where it is owed still."""
    tenant = batch[0].chat.tenant if batch else ""
    fresh = [message for message in batch if message.uid in new]
    known = [message.uid for message in batch if message.uid not in new]
    await projector.take_in_said("vectors", tenant, fresh)
    await projector.take_in("vectors", tenant, known)
    await projector.take_in_said("tokens", tenant, fresh)
    await projector.take_in("tokens", tenant, known)
    if before is not None:
        await asyncio.wait([before])  # batches are known to be in line in their order
    await projector.take_in_said("contact_states", tenant, fresh)
    await projector.take_in("contact_states", tenant, known)
    facts = await projector.take_in_said("facts", tenant, fresh)
    facts += await projector.take_in("facts", tenant, known)
    # While the vectors of what was said are at hand.
    chats = sorted({CHAT + message.chat.thread_id for message in batch})
    await projector.take_in("episodes", tenant, chats)
    return Taken(len(batch), len(new), facts)
