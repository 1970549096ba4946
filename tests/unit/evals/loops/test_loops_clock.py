"""A world's time passes as its server gets on: a slow machine makes no message late."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from evals.errors import WorldDied
from evals.loops import process
from evals.loops.process import Nursery, WorldProcess
from evals.loops.world import LONGEST_TICK_S, Clock, WorldSpec
from graph.settings import Settings

pytestmark = pytest.mark.anyio

START = 1_789_000_000.0


@pytest.fixture
def world() -> WorldProcess:
    spec = WorldSpec("world 0", Settings(), 0, Path("unused"))
    made = WorldProcess(Nursery.open(), spec, lambda _thread: None)
    made.set_clock(START)
    return made


@pytest.fixture
async def clock(world: WorldProcess) -> AsyncIterator[Clock]:
    clock = Clock(world.time)
    running = asyncio.create_task(clock.run())
    await asyncio.sleep(0)
    yield clock
    running.cancel()


async def test_time_passes_and_can_be_set_forward(world: WorldProcess, clock: Clock) -> None:
    await world.pass_time(0.2)
    assert START + 0.2 <= world.now() < START + 1
    world.advance(3_600)
    assert clock.now().timestamp() == pytest.approx(world.now(), abs=0.2)
    assert world.now() >= START + 3_600


async def test_a_server_that_gets_nowhere_loses_no_time(world: WorldProcess, clock: Clock) -> None:
    before = clock.now().timestamp()
    time.sleep(0.5)  # noqa: ASYNC251 what a machine without a free core does to it
    assert clock.now().timestamp() - before <= LONGEST_TICK_S + 0.01


async def test_hardly_any_time_passes_while_a_webhook_is_on_its_way(
    world: WorldProcess, clock: Clock
) -> None:
    with world.posting():
        with world.posting():
            await asyncio.sleep(0.2)
        await asyncio.sleep(0.2)
        assert world.now() - START <= 2 * process.POST_S + 0.05
    await world.pass_time(0.2)


async def test_a_world_without_time_is_no_endless_wait(
    world: WorldProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LOOK_S", 0.0)
    with pytest.raises(WorldDied, match="no time passes there"):
        await world.pass_time(1)
