"""Runs the turns of channels whose replies leave through the outbox.

The ledger is the queue: whatever is pending there, or unfinished in the checkpoints, gets done,
whoever stored it and however often this process was killed. Several chats run at once, one turn a
chat. A turn that an outage broke is resumed with back-off; any other failure stays listed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from graph.agent import Agent, Event, Failed, NodeDone, Stored
from graph.retry import is_outage, reason_of
from memory.domain import ChatRef, StoredMessage

CHANNEL = "waha"
SCAN_LIMIT = 500
"""Chats looked at in one go; more than are ever in trouble at once."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How much at once, how often, how long. Times in seconds.

    An attempt that an outage broke is followed by another after `retry_s`, twice that, and so on
    up to `retry_cap_s`, `attempts` times in all: with the defaults for about an hour.
    """

    chats: int = 6
    poll_s: float = 1.0
    retry_s: float = 1.0
    retry_cap_s: float = 300.0
    attempts: int = 20
    stop_s: float = 20.0

    def pause(self, failures: int) -> float:
        """Return how long to wait after so many failures in a row, at least one."""
        return float(min(self.retry_s * 2.0 ** min(failures - 1, 30), self.retry_cap_s))


@dataclass(slots=True)
class _Trouble:
    """A chat whose turn did not end: to be resumed before anything new of it is begun."""

    chat: ChatRef
    failures: int = 0
    due: float = field(default_factory=time.monotonic)


async def _nothing(_chat: ChatRef) -> None:
    return


class Worker:
    """Runs turns until it is stopped. `on_reply` is called when a reply may leave."""

    def __init__(
        self,
        agent: Agent,
        on_reply: Callable[[], None],
        on_typing: Callable[[ChatRef], Awaitable[None]] = _nothing,
        pace: Pace | None = None,
    ) -> None:
        self._agent = agent
        self._on_reply = on_reply
        self._on_typing = on_typing
        self._pace = pace or Pace()
        self._work = asyncio.Event()
        self._stopping = False
        self._running: dict[str, asyncio.Task[None]] = {}
        self._troubles: dict[str, _Trouble] = {}
        self._notices: set[asyncio.Task[None]] = set()

    def wake(self) -> None:
        """Look for work now: a message was stored."""
        self._work.set()

    async def run(self) -> None:
        """Work until `stop`; outlives every failure."""
        await self._persistently(self._find_unfinished, once=True)
        await self._persistently(self._begin_pending, once=False)

    async def stop(self) -> None:
        """Begin nothing more; wait for running turns, and leave what lasts longer for a resume."""
        self._stopping = True
        self.wake()
        running = [*self._running.values(), *self._notices]
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=self._pace.stop_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        if late:
            log.warning("%d turns were interrupted; the next start finishes them", len(late))

    async def _persistently(self, step: Callable[[], Awaitable[None]], *, once: bool) -> None:
        failures = 0
        while not self._stopping:
            self._work.clear()
            try:
                await step()
                failures = 0
            # The outer loop: whatever is wrong with the stores, the worker goes on.
            except Exception as error:  # noqa: BLE001
                failures += 1
                log.warning("the worker cannot read its work: %s", reason_of(error))
                await asyncio.sleep(min(self._pace.pause(failures), 10.0))
                continue
            if once:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._pace.poll_s):
                    await self._work.wait()

    async def _find_unfinished(self) -> None:
        stores = self._agent.stores
        threads = await stores.saver.unfinished_threads()
        for chat in await stores.turns.chats_of_threads(stores.settings.tenant, CHANNEL, threads):
            self._troubles.setdefault(chat.thread_id, _Trouble(chat))

    async def _begin_pending(self) -> None:
        stores = self._agent.stores
        waiting = await stores.turns.waiting(stores.settings.tenant, CHANNEL, SCAN_LIMIT)
        now = time.monotonic()
        for thread_id, trouble in list(self._troubles.items()):
            if trouble.due <= now:
                self._begin(thread_id, self._recover(trouble))
        for stored in waiting:
            thread_id = stored.message.chat.thread_id
            if thread_id not in self._troubles:
                self._begin(thread_id, self._converse(stored))

    def _begin(self, thread_id: str, work: Awaitable[None]) -> None:
        if thread_id in self._running or len(self._running) >= self._pace.chats or self._stopping:
            _discard(work)
            return
        task = asyncio.ensure_future(work)
        self._running[thread_id] = task

        def ended(_task: asyncio.Future[None]) -> None:
            del self._running[thread_id]
            self.wake()

        task.add_done_callback(ended)

    async def _recover(self, trouble: _Trouble) -> None:
        failed = await self._follow(trouble.chat, self._agent.resume(trouble.chat))
        if failed is None:
            self._troubles.pop(trouble.chat.thread_id, None)
        else:
            self._postpone(trouble, failed)

    async def _converse(self, stored: StoredMessage) -> None:
        chat = stored.message.chat
        failed = await self._follow(chat, self._agent.send(stored.message))
        if failed is not None:
            trouble = self._troubles.setdefault(chat.thread_id, _Trouble(chat))
            self._postpone(trouble, failed)

    def _postpone(self, trouble: _Trouble, failed: Failed) -> None:
        trouble.failures += 1
        gives_up = not failed.is_outage or trouble.failures >= self._pace.attempts
        # A message that fails before its turn claims it is still pending: never in a tight loop.
        pause = self._pace.retry_cap_s if gives_up else self._pace.pause(trouble.failures)
        trouble.due = time.monotonic() + pause
        log.warning(
            "turn %s failed (attempt %d%s): %s",
            failed.turn_id or "not begun",
            trouble.failures,
            ", given up" if gives_up else f", again in {pause:.0f} s",
            failed.reason,
        )
        if gives_up and failed.turn_id:
            del self._troubles[trouble.chat.thread_id]

    async def _follow(self, chat: ChatRef, events: AsyncIterator[Event]) -> Failed | None:
        """Run a turn to its end; return its failure, None when there was none."""
        failed = None
        try:
            async for event in events:
                if isinstance(event, Failed):
                    failed = event
                elif isinstance(event, Stored):
                    self._on_reply()
                elif isinstance(event, NodeDone) and event.node == "retrieve":
                    self._show_typing(chat)
        # The outer loop of one chat: what its stores raise must not stop the others.
        except Exception as error:  # noqa: BLE001
            return Failed("", reason_of(error), is_outage(error))
        return failed

    def _show_typing(self, chat: ChatRef) -> None:
        task = asyncio.ensure_future(self._on_typing(chat))
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)


def _discard(work: Awaitable[None]) -> None:
    """Close a coroutine that will not be awaited."""
    close = getattr(work, "close", None)
    if close is not None:
        close()
