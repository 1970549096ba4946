"""Other processes with a lease, and what the process table says about their servers."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
CLIENT = """
import sys
from pathlib import Path
from memory.embedded import EmbeddedStoreError, lease
try:
    held = lease(Path(sys.argv[1]))
except EmbeddedStoreError as exc:
    print("refused:", exc, flush=True)
    sys.exit(1)
print(held.stores.database_url, held.stores.chroma_url, flush=True)
sys.stdin.read()
held.close()
"""


class Interpreter(NamedTuple):
    """A Python that runs as some user, with the environment it needs."""

    executable: str
    environment: dict[str, str]
    uid: int | None = None


OURS = Interpreter(sys.executable, {"PYTHONPATH": str(ROOT)})


class Client:
    """Another process with a lease, alive until its input closes or it is killed."""

    def __init__(self, data_dir: Path, python: Interpreter = OURS, setup: str = "") -> None:
        self._process = subprocess.Popen(
            [python.executable, "-c", textwrap.dedent(setup) + CLIENT, str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd="/",
            text=True,
            env=os.environ | python.environment,
            user=python.uid,
            group=python.uid,
            extra_groups=None if python.uid is None else [],
        )
        self._line: str | None = None

    @property
    def line(self) -> str:
        """What it printed: both addresses, or why it was refused."""
        if self._line is None:
            assert self._process.stdout is not None
            self._line = self._process.stdout.readline().strip()
        return self._line

    @property
    def database_url(self) -> str:
        """Address of Postgres as this client was told."""
        return self.line.split(" ")[0]

    @property
    def chroma_url(self) -> str:
        """Address of Chroma as this client was told."""
        return self.line.split(" ")[1]

    def leave(self) -> int:
        """Let it close its lease and end; return its exit status."""
        self._process.communicate()
        return self._process.returncode

    def kill(self) -> None:
        """Kill it without a chance to clean up."""
        self._process.kill()
        self._process.communicate()


def eventually(condition: Callable[[], bool], timeout_s: float = 10.0) -> bool:
    """Wait for a condition."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def processes_of(data_dir: Path) -> dict[str, int]:
    """Return pids by kind (supervisor, postgres, chroma), read from the process table."""
    found = {}
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,stat=,command="], capture_output=True, text=True, check=True
    )
    for line in listing.stdout.splitlines():
        pid, stat, command = line.split(None, 2)
        if stat.startswith("Z") or f"{data_dir}" not in command:
            continue
        for kind, sign in (
            ("supervisor", "memory.embedded.supervisor"),
            ("postgres", f"-D {data_dir}/postgres-18"),
            ("chroma", "chromadb_rust_bindings"),
        ):
            if sign in command:
                found[kind] = int(pid)
    return found
