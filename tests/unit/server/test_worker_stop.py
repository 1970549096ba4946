"""A worker that is told to stop ends at once, whatever its loops are doing."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any, cast

import pytest

from server.work.worker import Worker

pytestmark = pytest.mark.anyio


async def test_a_loop_whose_step_swallows_the_cancellation_ends_with_the_stop() -> None:
    # Any: of the agent, a loop that does nothing reads the tenants alone.
    agent = cast(Any, SimpleNamespace(stores=SimpleNamespace(settings=SimpleNamespace())))
    agent.stores.settings.served_tenants = ["t"]
    worker = Worker(agent, ["waha"], lambda: None)
    begun = asyncio.Event()

    async def deaf() -> None:
        begun.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)

    worker._loops = [asyncio.create_task(worker._persistently(deaf, 60))]
    await begun.wait()
    async with asyncio.timeout(2):
        await worker.stop()
