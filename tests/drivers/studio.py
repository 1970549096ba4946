"""`langgraph dev` as a process of its own on fresh stores, as a developer starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import httpx

from scripts.processes import ROOT
from tests.drivers.serving import free_port

_QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
}


@dataclass
class Studio:
    """The Agent Server over stores. `with` starts it; leaving ends it and what it started.

    Its own files go to `folder`, so that nothing of it outlives a test in the project.
    """

    stores: dict[str, str]
    folder: Path
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        """Nothing runs yet."""
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What it has printed."""
        return (self.folder / "log").read_text(encoding="utf-8")

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
        command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
        command += ["--config", str(ROOT / "langgraph.json"), "--port", str(self.port)]
        command += ["--n-jobs-per-worker", "10"]
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("RECOLLECT_", "OPENAI_", "LANG"))
        }
        environment = kept | self.stores | _QUIET | {"PYTHONPATH": str(ROOT)}
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + patience_s
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"langgraph dev does not answer:\n{self.log[-2000:]}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End it and its whole process group as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        self._end(signal.SIGINT)

    def _end(self, number: signal.Signals) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise
        finally:
            self.process = None

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/ok", timeout=5).is_success
        except httpx.HTTPError:
            return False
