"""Starts a world's process, hears what it reports, kills it, starts it again."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import multiprocessing.forkserver
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess

from evals.errors import WorldDied
from evals.loops.http import Poster
from evals.loops.world import Called, Ready, WorldSpec, WorldTime, run_world

START_TIMEOUT_S = 300.0
POST_S = 0.02
"""The most time that passes in a world until the next of its webhooks begins or ends."""
LOOK_S = 0.05
STILL_LOOKS = 1_200
"""Looks at which no time has passed in a world, after which its server counts as hanging."""
_PRELOADED = [
    "evals.loops.world",
    "graph.agent",
    "langgraph.checkpoint.postgres.aio",
    "memory.chroma.index",
    "memory.minilm.embedder",
    "memory.postgres.facts",
    "server.app",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
]


@dataclass(frozen=True, slots=True)
class Nursery:
    """Where worlds are forked: a process that has imported what is slow to import."""

    context: ForkServerContext

    @classmethod
    def open(cls) -> Nursery:
        """Name what to import; the process starts with the first world."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOADED)
        return cls(context)

    def warm(self) -> None:
        """Start the process now, so that it imports while other things are made ready."""
        multiprocessing.forkserver.ensure_running()

    def world_time(self) -> WorldTime:
        """Return a time that a world's processes share."""
        return WorldTime(*(self.context.Value("d", n, lock=False) for n in (0.0, 0.0, math.inf)))


class WorldProcess:
    """One world's server process. `on_call` hears of every generated answer."""

    def __init__(self, nursery: Nursery, spec: WorldSpec, on_call: Callable[[str], None]) -> None:
        self.spec = spec
        self.poster = Poster(spec.port)
        self._nursery = nursery
        self._on_call = on_call
        self.time = nursery.world_time()
        self._on_their_way = 0
        self._process: ForkServerProcess | None = None
        self._connection: Connection | None = None
        self._ready = asyncio.Event()

    def now(self) -> float:
        """Return the world's time, in seconds since the epoch."""
        return self.time.now()

    def set_clock(self, at: float) -> None:
        """Make it so late in the world."""
        self.time.start.value = at - self.time.ran.value

    def advance(self, seconds: float) -> None:
        """Let time pass at once."""
        self.time.start.value += seconds

    async def pass_time(self, seconds: float) -> None:
        """Wait until so much time has passed in the world.

        Raises:
            WorldDied: the server ended, or time stands still there.
        """
        until, still = self.now() + seconds, 0
        while (now := self.now()) < until:
            self.check()
            await asyncio.sleep(LOOK_S)
            still = 0 if self.now() > now else still + 1
            if still >= STILL_LOOKS:
                raise WorldDied("the server hangs: no time passes there")

    @contextmanager
    def posting(self) -> Iterator[None]:
        """Let hardly any time pass in the world while webhooks are on their way to it.

        Neighbours follow each other at once by the world's time, however long the machine takes.
        """
        self._on_their_way += 1
        self.time.most.value = self.time.ran.value + POST_S
        try:
            yield
        finally:
            self._on_their_way -= 1
            most = self.time.ran.value + POST_S if self._on_their_way else math.inf
            self.time.most.value = most

    async def serving(self) -> None:
        """Wait while it was killed and is being started again."""
        await self._ready.wait()

    async def start(self) -> None:
        """Start the process and wait until it takes requests.

        Raises:
            WorldDied: it ended instead, or did not answer in time; its last words.
        """
        receiver, sender = self._nursery.context.Pipe(duplex=False)
        self._ready.clear()
        process = self._nursery.context.Process(
            target=run_world, args=(self.spec, sender, self.time), daemon=True
        )
        # Forking waits for the nursery, which imports for seconds the first time.
        await asyncio.to_thread(process.start)
        sender.close()
        self._process, self._connection = process, receiver
        loop = asyncio.get_running_loop()
        loop.add_reader(receiver.fileno(), self._hear, receiver)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._ready.is_set():
            self.check()
            if time.monotonic() > deadline:
                raise WorldDied("the server does not answer")
            try:
                async with asyncio.timeout(0.1):
                    await self._ready.wait()
            except TimeoutError:
                continue

    def check(self) -> None:
        """Raise WorldDied when the process has ended by itself."""
        process = self._process
        if process is not None and process.exitcode is not None:
            raise WorldDied(f"the server ended with {process.exitcode}: {self._last_words()}")

    async def kill(self) -> None:
        """End it as a power cut would; returns when it is gone."""
        process, self._process = self._process, None
        self._ready.clear()
        if process is not None:
            process.kill()
            await asyncio.to_thread(process.join)
            process.close()
        self._stop_hearing()
        self.poster.close()

    def hear(self) -> None:
        """Take in whatever it has reported until now."""
        if self._connection is not None:
            self._hear(self._connection)

    def _hear(self, connection: Connection) -> None:
        try:
            while connection.poll():
                report = connection.recv()
                if isinstance(report, Called):
                    self._on_call(report.thread_id)
                elif isinstance(report, Ready):
                    self._ready.set()
        except (EOFError, OSError):
            self._stop_hearing()

    def _stop_hearing(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        asyncio.get_running_loop().remove_reader(connection.fileno())
        try:
            # What was reported just before the end counts as well.
            while connection.poll():
                report = connection.recv()
                if isinstance(report, Called):
                    self._on_call(report.thread_id)
        except (EOFError, OSError):
            pass
        connection.close()

    def _last_words(self) -> str:
        try:
            lines = self.spec.log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return "it said nothing"
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def free_port() -> int:
    """Return a port on loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
