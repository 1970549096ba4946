"""Erasing a person (X5): the ledger at once, other stores after it, and a look for what is left.

What the ledger's database holds goes in one transaction, in which the other stores are owed the
rest: killed at any point, it is as before or goes on at the next start. Nobody runs a turn of the
chats concerned meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from memory.domain.erasures import AskedBy, Erasure, ErasureExtent, Looked, Needles
from memory.errors import Transient
from memory.ports.bundle import Memory
from memory.ports.erasures import Erased, Traces
from memory.projection.projector import Projector
from memory.trust.exporting import unknown


class ErasureBusy(Transient):
    """A turn runs in one of their chats, or a reply is just being sent: try again in a moment."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Times in seconds: for chats to come to rest, between two tries, for other stores to follow.

    `looks`: how often what is left is owed anew and looked for again.
    """

    rest_s: float = 20.0
    again_s: float = 0.2
    follow_s: float = 60.0
    looks: int = 3


async def erase(
    memory: Memory,
    projector: Projector,
    tenant: str,
    contact_id: str,
    asked_by: AskedBy,
    pace: Pace | None = None,
) -> Erasure:
    """Erase all that is kept of a person; return the receipt, which says what is still owed.

    Raises:
        UnknownContact: nothing is kept of them.
        ErasureBusy: their chats do not come to rest; nothing was changed.
        StoreUnavailable: the ledger's database cannot be reached; nothing was changed.
    """
    pace = pace or Pace()
    known = await _known(memory, tenant, contact_id)
    others = [each for each in memory.traces if each.store != "postgres"]
    elsewhere = await _look(others, tenant, known)
    erased = await _erased(memory, tenant, contact_id, asked_by, known, pace)
    if elsewhere:
        await memory.erasures.count(tenant, erased.erasure_id, elsewhere.left)
    for cached in memory.caches:
        cached.clear()
    needles = erased.needles.with_uuids(*known.uuids)
    await _follow(memory, projector, tenant, erased.erasure_id, needles, pace)
    for cached in memory.caches:
        cached.clear()
    receipt = await memory.erasures.receipt(tenant, erased.erasure_id)
    if receipt is None:
        raise unknown(contact_id)
    return receipt


async def extent_of(memory: Memory, tenant: str, contact_id: str) -> ErasureExtent:
    """Return what would go with a person.

    Raises:
        UnknownContact: nothing is kept of them.
    """
    extent = await memory.erasures.extent(tenant, contact_id)
    if extent.is_empty:
        raise unknown(contact_id)
    return extent


async def _look(stores: Sequence[Traces], tenant: str, needles: Needles) -> Looked | None:
    """Look through stores; None where one of them cannot be asked."""
    places, left = 0, dict[str, int]()
    for each in stores:
        try:
            found = await each.look(tenant, needles)
        except Transient:
            return None
        places += found.places
        left |= {f"{each.store} {place}": count for place, count in found.left.items()}
    return Looked(places, left)


async def _known(memory: Memory, tenant: str, contact_id: str) -> Needles:
    """Return what is known of a person before: with ids of facts, which no row of theirs names."""
    extent = await extent_of(memory, tenant, contact_id)
    needles = await memory.erasures.needles(tenant, contact_id)
    with suppress(Transient):
        for each in extent.contacts:
            facts = await memory.all_facts.rows(tenant, each)
            needles = needles.with_uuids(*(fact.fact_id for fact in facts))
    return needles


async def _erased(
    memory: Memory,
    tenant: str,
    contact_id: str,
    asked_by: AskedBy,
    known: Needles,
    pace: Pace,
) -> Erased:
    """Have the ledger's part erased as soon as the chats stand still."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + pace.rest_s
    while clock() < deadline:
        extent = await extent_of(memory, tenant, contact_id)
        async with AsyncExitStack() as held:
            await _hold(memory, held, extent.threads, deadline)
            erased = await memory.erasures.erase(
                tenant, contact_id, asked_by, extent.threads, known.uuids
            )
        if erased is not None:
            return erased
        await asyncio.sleep(pace.again_s)
    raise ErasureBusy


async def _hold(
    memory: Memory, held: AsyncExitStack, threads: Sequence[str], deadline: float
) -> None:
    """Take the locks of chats, in one order for everybody."""
    try:
        async with asyncio.timeout_at(deadline):
            for thread_id in sorted(threads):
                await held.enter_async_context(memory.locks.hold(thread_id))
    except TimeoutError as error:
        raise ErasureBusy from error


async def _follow(
    memory: Memory,
    projector: Projector,
    tenant: str,
    erasure_id: str,
    needles: Needles,
    pace: Pace,
) -> None:
    """Have the other stores follow, look through all of them, and note what was found.

    Where one is down, or what is owed is not done in time, nobody looks: the receipt says so.
    """
    for look in range(pace.looks):
        try:
            async with asyncio.timeout(pace.follow_s):
                is_all_done = await projector.caught_up()
        except Transient:
            return
        except TimeoutError:
            is_all_done = False
        if not is_all_done:
            # Others' work may fill the backlog: what counts is what is owed of this.
            receipt = await memory.erasures.receipt(tenant, erasure_id)
            if receipt is None or receipt.owed:
                return
        found = await _look(memory.traces, tenant, needles)
        if found is None:
            return
        await memory.erasures.probed(tenant, erasure_id, found.places, found.left)
        if not found.left:
            return
        if look + 1 < pace.looks:
            # Somebody may have been writing it while it went.
            await memory.backlog.owe(tenant, ["facts"], [f"contact:{needles.contact_id}"])
            await memory.backlog.owe(
                tenant, ["vectors", "episode_vectors"], [f"anchor:contact:{needles.contact_id}"]
            )
