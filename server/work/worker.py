"""Runs turns: one job a chat, several chats at once, in any number of processes.

A job says that a chat may have work; the ledger and the checkpoints say what it is. Under the
chat's lock a job finishes what is unfinished, then runs a turn for every sender who has been quiet
long enough, and has the chat looked at again when the next one is due. A turn that an outage broke
is resumed with back-off, and given up in the end; any other failure ends its turn at once. Either
is listed, and the chat's next message is answered. Chats whose job was lost, or whose worker died,
are found again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from graph.agent import Agent, Event, Failed, NodeDone, Stored
from graph.retry import is_outage
from memory.domain.chats import ChatRef
from memory.domain.work import Waiting
from memory.errors import Transient, reason_of
from server.work.debounce import debounce_for
from server.work.queue import QueueTerms, run_queue
from server.work.upkeep import keep_up

SENDERS_AT_ONCE = 20
"""Senders of one chat whose turns one job runs; the rest comes with the next job."""
ORPHANS_AT_ONCE = 200

Accompany = Callable[[ChatRef, "asyncio.Future[bool]"], Awaitable[None]]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How much at once, how often, how long. Times in seconds.

    An attempt that an outage broke is followed by another after `retry_s`, twice that, and so on
    up to `retry_cap_s`, `attempts` times in all: with the defaults for about an hour. A message
    that its turn cannot even claim is given up after `claims`. A job counts as its dead worker's
    when it is older than `grace_s` and its chat's lock is free at two looks, `rescue_s` apart.
    """

    chats: int = 6
    poll_s: float = 0.1
    sweep_s: float = 2.0
    resume_s: float = 60.0
    rescue_s: float = 0.5
    grace_s: float = 1.5
    retry_s: float = 1.0
    retry_cap_s: float = 120.0
    attempts: int = 40
    claims: int = 5
    stop_s: float = 20.0

    def pause(self, failures: int) -> float:
        """Return how long to wait after so many failures in a row, at least one; jittered."""
        longest = float(min(self.retry_s * 2.0 ** min(failures - 1, 30), self.retry_cap_s))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 no secret


async def _nothing(_chat: ChatRef, _replied: asyncio.Future[bool]) -> None:
    return


class Worker:
    """Runs the turns of some channels until it is stopped.

    `on_reply` is called when a reply may leave; `accompany` when one is begun, with what will tell
    whether it was written.
    """

    def __init__(
        self,
        agent: Agent,
        channels: Sequence[str],
        on_reply: Callable[[], None],
        accompany: Accompany = _nothing,
        pace: Pace | None = None,
    ) -> None:
        self._agent = agent
        self._channels = tuple(channels)
        self._tenants = agent.stores.settings.served_tenants
        self._on_reply = on_reply
        self._accompany = accompany
        self._pace = pace or Pace()
        self._stopping = False
        self._loops: list[asyncio.Task[None]] = []
        self._suspects: set[int] = set()
        self._notices: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Work until `stop`; outlives every failure."""
        pace = self._pace
        self._loops = [
            asyncio.create_task(self._persistently(step, rest_s))
            for step, rest_s in (
                (self._work, 0.0),
                (self._rescue, pace.rescue_s),
                (self._find_orphans, pace.sweep_s),
                (self._find_abandoned, pace.resume_s),
            )
        ]
        await asyncio.wait(self._loops)

    async def stop(self) -> None:
        """Begin nothing more; wait for running turns, and hand back what lasts longer."""
        self._stopping = True
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, *self._notices, return_exceptions=True)

    async def _persistently(self, step: Callable[[], Awaitable[None]], rest_s: float) -> None:
        failures = 0
        while not self._stopping:
            try:
                await step()
                failures = 0
            # The outer loop: whatever is wrong with the stores, the worker goes on.
            except Exception as error:  # noqa: BLE001
                failures += 1
                log.warning("the worker cannot read its work: %s", reason_of(error))
                await asyncio.sleep(min(self._pace.pause(failures), 5.0))
                continue
            # A step may have swallowed the cancellation of `stop`.
            if not self._stopping:
                await asyncio.sleep(rest_s)

    async def _work(self) -> None:
        pace = self._pace
        terms = QueueTerms(pace.chats, pace.poll_s, pace.stop_s)
        database_url = self._agent.stores.database_url
        await run_queue(database_url, self._tenants, terms, self._attend, self._keep_up)
        log.warning("the worker lost the queue's connection; it starts anew")
        await asyncio.sleep(pace.poll_s)

    async def _keep_up(self, tenant: str) -> None:
        try:
            await keep_up(self._agent.stores, tenant)
        # The outer loop of upkeep: the next run, ten minutes later, tries again.
        except Exception as error:  # noqa: BLE001
            log.warning("upkeep stopped: %s", reason_of(error))

    async def _rescue(self) -> None:
        jobs = self._agent.stores.memory.jobs
        found = await jobs.suspects(self._tenants, self._pace.grace_s)
        if dead := found & self._suspects:
            rescued = await jobs.rescue(self._tenants, dead)
            log.warning("%d chats were taken over from workers that died", rescued)
        self._suspects = found - dead

    async def _find_orphans(self) -> None:
        jobs = self._agent.stores.memory.jobs
        found = await jobs.orphans(self._tenants, self._channels, ORPHANS_AT_ONCE)
        for chat in found:
            await jobs.schedule(chat)

    async def _find_abandoned(self) -> None:
        stores = self._agent.stores
        threads = await stores.saver.unfinished_threads(self._tenants, self._channels)
        for chat in await stores.memory.jobs.abandoned(self._tenants, self._channels, threads):
            await stores.memory.jobs.schedule(chat)

    async def _attend(self, chat: ChatRef, failures: int) -> None:
        """Do what is due in a chat, and see to it that what is not due yet comes again."""
        try:
            await self._attempt(chat, failures)
        except asyncio.CancelledError:
            log.warning("a turn was interrupted; whoever works next finishes it")
            with contextlib.suppress(Exception):
                await asyncio.shield(self._agent.stores.memory.jobs.schedule(chat))
            raise

    async def _attempt(self, chat: ChatRef, failures: int) -> None:
        try:
            async with self._agent.stores.memory.locks.hold(chat.thread_id):
                await self._look_after(chat, failures)
        # The outer loop of one chat: what its stores raise must not stop the others.
        except Exception as error:  # noqa: BLE001
            log.warning("a chat could not be worked on: %s", reason_of(error))
            await self._come_back(chat, failures + 1)

    async def _come_back(self, chat: ChatRef, failures: int) -> None:
        """Have the chat looked at again, as soon as that can be written down.

        A job that ended without it would be forgotten: the queue's own connection may be back
        before ours. Whoever is killed meanwhile leaves a dead worker's job, which is taken over.
        """
        while True:
            try:
                pause = self._pace.pause(failures)
                await self._agent.stores.memory.jobs.postpone(chat, pause, failures)
            except Transient:
                await asyncio.sleep(self._pace.rescue_s)
            else:
                return

    async def _look_after(self, chat: ChatRef, failures: int) -> None:
        stores = self._agent.stores
        failed = await self._follow(chat, self._agent.resume_held(chat))
        tried: dict[str, str] = {}
        if failed is None or not failed.is_outage:
            failed = await self._converse(chat, tried)
        if failed is not None and failed.is_outage:
            await self._postpone(chat, failures + 1, failed)
            return
        waiting = await stores.memory.turns.waiting(chat, SENDERS_AT_ONCE)
        stuck = [entry for entry in waiting if entry.newest.uid in tried]
        if stuck and failures + 1 >= self._pace.claims:
            for entry in stuck:
                turn_id = await self._agent.bury(entry.newest, tried[entry.newest.uid])
                log.warning("turn %s failed, given up: it could not begin", turn_id)
            stuck, waiting = [], await stores.memory.turns.waiting(chat, SENDERS_AT_ONCE)
        delays = [await self._wait_s(entry) for entry in waiting if entry not in stuck]
        if stuck:
            pause = self._pace.pause(failures + 1)
            await stores.memory.jobs.postpone(chat, min([pause, *delays]), failures + 1)
        elif delays:
            await stores.memory.jobs.schedule(chat, min(delays))

    async def _converse(self, chat: ChatRef, tried: dict[str, str]) -> Failed | None:
        """Run a turn for each sender who is due; return the outage that ended it, if one did.

        `tried` gets the messages of these turns, with what went wrong.
        """
        for waiting in await self._agent.stores.memory.turns.waiting(chat, SENDERS_AT_ONCE):
            if await self._wait_s(waiting) > 0:
                continue
            failed = await self._follow(chat, self._agent.send_held(waiting.newest))
            if failed is not None and failed.is_outage:
                return failed
            tried[waiting.newest.uid] = failed.reason if failed else "no turn took the message"
            if failed is not None:
                turn = f"{failed.turn_id}, given up" if failed.turn_id else "that has not begun"
                log.warning("a turn failed (%s): %s", turn, failed.reason)
        return None

    async def _wait_s(self, waiting: Waiting) -> float:
        stores = self._agent.stores
        debounce = await debounce_for(stores, waiting.newest.chat)
        return debounce.wait_s(waiting, stores.clock())

    async def _postpone(self, chat: ChatRef, failures: int, failed: Failed) -> None:
        gives_up = bool(failed.turn_id) and failures >= self._pace.attempts
        pause = self._pace.pause(failures)
        log.warning(
            "turn %s failed (attempt %d%s): %s",
            failed.turn_id or "not begun",
            failures,
            ", given up" if gives_up else f", again in {pause:.0f} s",
            failed.reason,
        )
        if gives_up:
            await self._agent.give_up(chat)
            await self._agent.stores.memory.jobs.schedule(chat)
        else:
            await self._agent.stores.memory.jobs.postpone(chat, pause, failures)

    async def _follow(self, chat: ChatRef, events: AsyncIterator[Event]) -> Failed | None:
        """Run a turn to its end; return its failure, None when there was none."""
        failed = None
        replied: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        try:
            async for event in events:
                if isinstance(event, Failed):
                    failed = event
                elif isinstance(event, Stored):
                    replied.set_result(event.has_reply)
                    self._on_reply()
                elif isinstance(event, NodeDone) and event.node == "retrieve":
                    task = asyncio.ensure_future(self._accompany(chat, replied))
                    self._notices.add(task)
                    task.add_done_callback(self._notices.discard)
        # The outer loop of one turn: what its stores raise is a failure like any other.
        except Exception as error:  # noqa: BLE001
            failed = Failed("", reason_of(error), is_outage(error))
        finally:
            if not replied.done():
                replied.set_result(False)
        return failed
