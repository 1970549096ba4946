"""Projections made anew from the ledger (X4), while the old ones serve.

A new generation is owed everything there is, and by the ledger itself whatever comes meanwhile. It
is worked off like any other and takes the old one's place at once when nothing waits any more; old
ones are deleted at the end, when every process has noticed. Killed at any point, it goes on when it
is run again; several at once share the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Protocol

from memory.domain.projections import ProjectionName, Wanted
from memory.ports.bundle import Memory
from memory.ports.projections import Projection
from memory.projection.projector import Projector

# Vectors of facts follow from facts, those of summaries from episodes, which owe them as they are
# written; all vectors are one embedder's.
STAGES: Final[dict[Wanted, tuple[tuple[ProjectionName, ...], ...]]] = {
    "vectors": (("vectors", "tokens", "fact_vectors", "episode_vectors"),),
    "facts": (("facts",), ("fact_vectors", "entities")),
    "open_loops": (("open_loops",),),
    "episodes": (("episodes",), ("episode_vectors",)),
    "contacts": (("contact_states",),),
    "uses": (("uses",),),
    "all": (
        ("facts",),
        ("vectors", "tokens", "fact_vectors", "episode_vectors", "entities", "open_loops"),
        ("episodes", "contact_states", "uses"),
    ),
}
"""Which projections are made anew for what is wanted, one stage after the other."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Times in seconds: between two looks, and until others have noticed which one serves."""

    look_s: float = 0.5
    grace_s: float = 10.0


class Watcher(Protocol):
    """Whoever shows how far it is."""

    def begun(self, names: Sequence[ProjectionName], total: int, *, goes_on: bool) -> None:
        """A stage begins, or goes on, with so many items to take in."""
        ...

    def moved(self, waiting: int) -> None:
        """So many items wait still."""
        ...


async def rebuild(
    memory: Memory,
    projections: Sequence[Projection],
    wanted: Wanted,
    watcher: Watcher,
    pace: Pace | None = None,
) -> None:
    """Make projections anew for every tenant of the ledger, stage by stage.

    Raises:
        RebuildReplaced: another rebuild, under another embedder, has begun since.
        StoreUnavailable: a store does not answer; run again, it goes on.
    """
    pace = pace or Pace()
    by_name = {each.name: each for each in projections}
    tenants = await memory.contents.tenants()
    projector = Projector(memory, projections, tenants, builds=True)
    working = asyncio.create_task(projector.run())
    try:
        stages = [[by_name[name] for name in names] for names in STAGES[wanted]]
        for stage in stages:
            await _build(memory, stage, tenants, watcher, pace)
        # Once for all stages: until then both are there, and whoever has not noticed is answered.
        await asyncio.sleep(pace.grace_s)
        for stage in stages:
            await _drop_others(memory, stage)
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def _build(
    memory: Memory,
    stage: Sequence[Projection],
    tenants: Sequence[str],
    watcher: Watcher,
    pace: Pace,
) -> None:
    building = await memory.rebuilds.begin({each.name: each.fingerprint for each in stage})
    await _drop_others(memory, stage)
    for each, projection in zip(building, stage, strict=True):
        if not each.is_enrolled:
            async with aclosing(_everything(projection, tenants)) as items:
                await memory.rebuilds.enrol(each, items)
    total = await memory.rebuilds.waiting(building)
    goes_on = all(each.is_enrolled for each in building)
    watcher.begun([each.name for each in stage], total, goes_on=goes_on)
    while True:
        while waiting := await memory.rebuilds.waiting(building):
            watcher.moved(waiting)
            await asyncio.sleep(pace.look_s)
        if await memory.rebuilds.serve(building):
            break
    # Not before: what was given up for another must not have the index refused to that one.
    if any(each.name == "vectors" for each in stage):
        await memory.vectors.adopt()
    watcher.moved(0)
    for each, projection in zip(building, stage, strict=True):
        projection.serve(each.number)


async def _everything(
    projection: Projection, tenants: Sequence[str]
) -> AsyncGenerator[tuple[str, Sequence[str]]]:
    for tenant in tenants:
        async with aclosing(projection.everything(tenant)) as pages:
            async for items in pages:
                yield tenant, items


async def _drop_others(memory: Memory, stage: Sequence[Projection]) -> None:
    """Delete what generations left that are none any more."""
    generations = await memory.backlog.generations()
    for projection in stage:
        kept = [each.number for each in generations if each.projection == projection.name]
        await projection.drop(kept)
