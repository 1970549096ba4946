"""An ASGI app on a port of its own, in a thread, for as long as a `with` block lasts."""

from __future__ import annotations

import socket
import threading
import time
from typing import Self

import uvicorn
from starlette.types import ASGIApp

START_TIMEOUT_S = 10.0


class ServerThread:
    """Serves an app on loopback. The port is bound at once and stays the same over restarts."""

    def __init__(self, app: ASGIApp, port: int = 0) -> None:
        self._app = app
        self.port = port
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Serve; returns once it answers. Raises TimeoutError when it does not come up."""
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            self._app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        deadline = time.monotonic() + START_TIMEOUT_S
        while not server.started:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no server on port {self.port}")
            time.sleep(0.005)
        self._server, self._thread = server, thread

    def stop(self) -> None:
        """Stop serving; does nothing when it is not."""
        if self._server and self._thread:
            self._server.should_exit = True
            self._thread.join(START_TIMEOUT_S)
        self._server = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()
