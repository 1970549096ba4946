"""Real processes of the product for end-to-end tests."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Self

from tests.stores import store_environment

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0

_STORES: dict[Path, dict[str, str]] = {}


def command(*arguments: str) -> list[str]:
    """Return the command line of `recollect` with these arguments."""
    return [sys.executable, "-m", "ui.cli.main", *arguments]


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    """Return an environment in which the product uses `data_dir`, or the servers under test."""
    if data_dir not in _STORES:
        _STORES[data_dir] = store_environment(data_dir, is_first_start=True)
    return {
        **os.environ,
        **_STORES[data_dir],
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "RECOLLECT_DATA_DIR": str(data_dir),
        **more,
    }


def recollect(
    data_dir: Path, *arguments: str, said: str | bytes = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, with `said` on its standard input."""
    done = subprocess.run(
        command(*arguments),
        input=said.encode() if isinstance(said, str) else said,
        env=environment(data_dir, **more),
        cwd=ROOT,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


class Playground:
    """`recollect ui` as a process of its own, from its address line to Ctrl-C."""

    def __init__(self, data_dir: Path, port: str = "0", **more: str) -> None:
        started = time.monotonic()
        self._process = subprocess.Popen(
            command("ui", "--port", port, "--no-browser"),
            env=environment(data_dir, **more),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A shell's background job would ignore Ctrl-C; a person's does not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        )
        self.first = self._line()
        self.first_s = time.monotonic() - started
        line = self._line()
        self.url = line.removeprefix("Recollect: ").strip()
        self.start_s = time.monotonic() - started
        assert self.url.startswith("http://127.0.0.1:"), line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> tuple[int, str]:
        """Interrupt it; return its exit status and what it said after its address."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            rest, _ = self._process.communicate(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        return self._process.returncode, rest

    def kill(self) -> None:
        """End it as a crash would: in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()

    def _line(self) -> str:
        lines: queue.Queue[str] = queue.Queue()
        out = self._process.stdout
        assert out is not None

        def read(stream: IO[str]) -> None:
            lines.put(stream.readline())

        threading.Thread(target=read, args=[out], daemon=True).start()
        try:
            return lines.get(timeout=START_TIMEOUT_S)
        except queue.Empty:
            self._process.kill()
            raise TimeoutError("the playground did not start") from None
