"""The server process of a world: the product's own app, a scripted model and a shifted clock.

This module is what a world's process runs; `evals.loops.process` starts and kills it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol

import uvicorn
from uvicorn.importer import import_from_string

from evals.suite.scripted import CALL, ScriptedChatModel
from graph.bootstrap import Overrides
from graph.settings import Settings

GENERATION_NODE = "generate"
SERVER = "server.app:create_app"
"""Named as on uvicorn's command line: the server is driven from outside, no part of the evals."""
TICK_S = 0.02
LONGEST_TICK_S = 0.05


class Number(Protocol):
    """A number that processes share."""

    value: float


@dataclass(frozen=True, slots=True)
class WorldTime:
    """What time it is in a world: `ran` counts the seconds that its server has run since `start`.

    The server writes `ran`, never beyond `most`; the player writes the other two.
    """

    start: Number
    ran: Number
    most: Number

    def now(self) -> float:
        """Return the world's time, in seconds since the epoch."""
        return self.start.value + self.ran.value


class Clock:
    """Lets a world's time pass as its server gets on.

    A tick that comes late counts as one that came in time, and none come while the server is down.
    """

    def __init__(self, world: WorldTime) -> None:
        self._world = world
        self._ticked_at: float | None = None

    def now(self) -> datetime:
        """Return the world's time."""
        return datetime.fromtimestamp(self._world.now() + self._since_tick(), UTC)

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            self._world.ran.value += self._since_tick()
            self._ticked_at = time.monotonic()
            await asyncio.sleep(TICK_S)

    def _since_tick(self) -> float:
        if self._ticked_at is None:
            return 0.0
        left = max(self._world.most.value - self._world.ran.value, 0.0)
        return min(time.monotonic() - self._ticked_at, LONGEST_TICK_S, left)


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """What a world's process needs. `name` is part of every answer's text.

    `tamper` names a function `module:function` that is called first: a test breaks the product
    with it and sees the figures rise.
    """

    name: str
    settings: Settings
    port: int
    log: Path
    tamper: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """One answer was generated, for this LangGraph thread."""

    thread_id: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The server takes requests."""


def run_world(spec: WorldSpec, connection: Connection, world: WorldTime) -> None:
    """Serve until killed. Reports `Ready` and every `Called` on the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when this ends
    _log_to(spec.log)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    if spec.tamper:
        import_from_string(spec.tamper)()
    # The process id keeps the answers of a restarted process apart from those before.
    model = ScriptedChatModel(
        otherwise=f"Answer {CALL} of {spec.name} process {os.getpid()}.",
        on_call=lambda metadata: _report(connection, metadata),
    )

    clock = Clock(world)
    create_app = import_from_string(SERVER)
    app = create_app(spec.settings, Overrides(model=model, clock=clock.now))
    config = uvicorn.Config(app, log_level="error", access_log=False)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", spec.port))
    _Server(config, connection, clock).run(sockets=[listener])
    sys.exit(1)


def _report(connection: Connection, metadata: Mapping[str, Any]) -> None:
    # What else asks the model (to extract, to summarise) is no answer.
    if metadata.get("langgraph_node", GENERATION_NODE) == GENERATION_NODE:
        connection.send(Called(str(metadata.get("thread_id", ""))))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, connection: Connection, clock: Clock) -> None:
        super().__init__(config)
        self._connection = connection
        self._clock = clock

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ticking = asyncio.create_task(self._clock.run())
            self._connection.send(Ready())


def _log_to(path: Path) -> None:
    with path.open("ab") as log:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
