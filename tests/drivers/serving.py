"""The server as a process of its own, as a user starts it, and its ledger seen from the side."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import httpx
import psycopg
from psycopg.rows import dict_row

from scripts.processes import ROOT, Role, command_line
from tests.stores import database_url

HMAC_KEY = "a key for tests"


def is_free(port: int) -> bool:
    """Tell whether a port on loopback is free now."""
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False


def free_port() -> int:
    """Return a port on loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def clean_environment(stores: Mapping[str, str]) -> dict[str, str]:
    """Return our environment without settings of the user's, but with those of the stores."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RECOLLECT_", "OPENAI_"))
    }
    # A loaded machine is not what is tested.
    own = {"PYTHONPATH": str(ROOT), "RECOLLECT_STORE_PATIENCE_S": "30"}
    return kept | own | dict(stores)


def run_command(stores: Mapping[str, str], *arguments: str) -> subprocess.Popen[str]:
    """Start a command of `recollect` on stores; its output can be read from the process."""
    return subprocess.Popen(
        [sys.executable, "-m", "ui.cli.main", *arguments],
        cwd=ROOT,
        env=clean_environment(stores),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


@dataclass
class Serving:
    """A server process over stores and a gateway. `with` starts it and stops it with SIGTERM.

    A `worker` has no web: nobody waits until it works. `command` is for those who start the server
    in another way; a port is added.
    """

    stores: dict[str, str]
    gateway_url: str
    settings: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    role: Role = "both"

    def __post_init__(self) -> None:
        """Nothing runs yet."""
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def webhook_url(self) -> str:
        """Where WAHA posts to."""
        return f"{self.url}/webhooks/waha/default"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self, patience_s: float = 60.0) -> None:
        """Start it and wait until it answers.

        Raises:
            RuntimeError: it ended instead, or did not answer in time.
        """
        environment = clean_environment(self.stores) | {
            "RECOLLECT_WAHA_URL": self.gateway_url,
            "RECOLLECT_WAHA_HMAC_KEY": HMAC_KEY,
            "RECOLLECT_DEBOUNCE_MS": "0",
            "RECOLLECT_SEND_PACE_MS": "0",
            **self.settings,
        }
        self.process = subprocess.Popen(
            (*self.command, "--port", str(self.port))
            if self.command
            else command_line(self.role, self.port),
            cwd=ROOT,
            env=environment,
        )
        if self.role == "worker":
            return
        deadline = time.monotonic() + patience_s
        while not self._answers():
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with status {self.process.returncode}")
            if time.monotonic() > deadline:
                self.kill()
                raise RuntimeError("the server does not answer")
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def stop(self, patience_s: float = 30.0) -> int:
        """Stop it as a user would and return its exit status."""
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            self.process = None

    def rows(self, query: str, *parameters: object) -> list[dict[str, Any]]:
        """Ask its database directly."""
        url = database_url(self.stores)
        options = "-c search_path=recollect"
        with psycopg.connect(url, options=options, row_factory=dict_row) as connection:
            return connection.execute(query.encode(), parameters).fetchall()

    def health(self) -> dict[str, Any]:
        """Return what `/health` says."""
        found: dict[str, Any] = httpx.get(f"{self.url}/health", timeout=10).json()
        return found

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/health", timeout=5).is_success
        except httpx.HTTPError:
            return False
