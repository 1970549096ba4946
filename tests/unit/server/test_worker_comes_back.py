"""A chat that could not be worked on is looked at again, whatever is down meanwhile."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from graph.agent import Agent
from memory.domain.chats import ChatRef
from memory.errors import StoreUnavailable
from server.work.worker import Pace, Worker

pytestmark = pytest.mark.anyio

CHAT = ChatRef("t", "waha", "phone", "ana")
DOWN = StoreUnavailable("RECOLLECT_DATABASE_URL", "here", "down")


class Jobs:
    """Jobs of a database that is down for so many calls."""

    def __init__(self, down_for: int) -> None:
        self.down_for = down_for
        self.noted: list[str] = []

    async def postpone(self, chat: ChatRef, delay_s: float, failures: int) -> None:
        self.down_for -= 1
        if self.down_for >= 0:
            raise DOWN
        self.noted.append(f"postponed after {failures}")

    async def schedule(self, chat: ChatRef, delay_s: float = 0.0) -> None:
        self.noted.append("scheduled")


def _worker(jobs: Jobs) -> Worker:
    def hold(name: str) -> Any:
        raise DOWN

    memory = SimpleNamespace(jobs=jobs, locks=SimpleNamespace(hold=hold))
    stores = SimpleNamespace(memory=memory, settings=SimpleNamespace(served_tenants=("t",)))
    agent = cast("Agent", SimpleNamespace(stores=stores))
    return Worker(agent, ["waha"], lambda: None, pace=Pace(rescue_s=0.01))


async def test_its_job_does_not_end_before_it_is_written_down() -> None:
    jobs = Jobs(down_for=3)
    await _worker(jobs)._attend(CHAT, 4)
    assert jobs.noted == ["postponed after 5"]


async def test_a_stop_while_the_database_is_down_leaves_it_to_others() -> None:
    jobs = Jobs(down_for=1_000)
    attending = asyncio.create_task(_worker(jobs)._attend(CHAT, 0))
    await asyncio.sleep(0.05)
    attending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attending
    assert jobs.noted == ["scheduled"]
