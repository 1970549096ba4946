"""The server process of a world: the product's own app, a scripted model and a shifted clock.

This module is what a world's process runs; `evals.loops.process` starts and kills it.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol

import uvicorn
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr
from uvicorn.importer import import_from_string

from graph.bootstrap import Overrides
from graph.settings import Settings

GENERATION_NODE = "generate"
SERVER = "server.app:create_app"
"""Named as on uvicorn's command line: the server is driven from outside, no part of the evals."""


class Shift(Protocol):
    """Seconds that a world's clock is ahead of the machine's; shared by its processes."""

    value: float


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


class LoopModel(BaseChatModel):
    """Every answer has its own text; every call is reported before it is answered."""

    name_of_world: str
    _report: Callable[[Called], None] = PrivateAttr()
    _answers: int = PrivateAttr(default=0)

    def reports_to(self, report: Callable[[Called], None]) -> None:
        """Say whom to tell of a call."""
        self._report = report

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # Any: LangChain's signature
    ) -> ChatResult:
        del messages, stop, kwargs
        return self._answered(run_manager.metadata if run_manager else {})

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del messages, stop, kwargs
        return self._answered(run_manager.metadata if run_manager else {})

    def _answered(self, metadata: dict[str, Any]) -> ChatResult:
        # What else asks the model (to extract, to summarise) is no answer.
        if metadata.get("langgraph_node", GENERATION_NODE) == GENERATION_NODE:
            self._report(Called(str(metadata.get("thread_id", ""))))
        self._answers += 1
        text = f"Answer {self._answers} of {self.name_of_world}."
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text))])


def run_world(spec: WorldSpec, connection: Connection, shift: Shift) -> None:
    """Serve until killed. Reports `Ready` and every `Called` on the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when this ends
    _log_to(spec.log)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    if spec.tamper:
        import_from_string(spec.tamper)()
    # The process id keeps the answers of a restarted process apart from those before.
    model = LoopModel(name_of_world=f"{spec.name} process {os.getpid()}")
    model.reports_to(connection.send)

    def clock() -> datetime:
        return datetime.fromtimestamp(time.time() + shift.value, UTC)

    create_app = import_from_string(SERVER)
    app = create_app(spec.settings, Overrides(model=model, clock=clock))
    config = uvicorn.Config(app, log_level="error", access_log=False)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", spec.port))
    _Server(config, connection).run(sockets=[listener])
    sys.exit(1)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, connection: Connection) -> None:
        super().__init__(config)
        self._connection = connection

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
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
