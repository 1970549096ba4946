"""Leases on the embedded stores: servers live while a process holds one.

A lease is a shared `flock` that the kernel drops when its process ends, so `kill -9` counts as
leaving. Its descriptor closes on exec: a subprocess does not prolong it. A child made by a bare
`os.fork` (or multiprocessing's "fork" method) does: it shares the lease, which then ends when both
have closed it or ended; use "spawn" where that is not wanted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from memory.embedded import layout as layouts
from memory.embedded import locks
from memory.embedded.errors import EmbeddedStoreError
from memory.embedded.layout import Layout, State
from memory.embedded.process import last_words

LEASE_TIMEOUT_S = 90.0
"""Longest wait for servers that start or stop."""


@dataclass(frozen=True)
class EmbeddedStores:
    """Addresses of the running servers, in the form of the RECOLLECT_ settings."""

    database_url: str
    chroma_url: str


class Lease:
    """A hold on the servers of a data folder; a context manager. Closing it twice is fine."""

    def __init__(self, stores: EmbeddedStores, clients_fd: int) -> None:
        self.stores = stores
        self._clients_fd: int | None = clients_fd

    def close(self) -> None:
        """Give up the hold; the servers stop when no process holds them."""
        if self._clients_fd is not None:
            os.close(self._clients_fd)
            self._clients_fd = None

    def __enter__(self) -> Self:
        """Return the lease itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the lease."""
        self.close()


def lease(data_dir: Path) -> Lease:
    """Hold the servers of a data folder, started if need be; blocks (use `asyncio.to_thread`).

    Every process with a lease on the folder shares one Postgres and one Chroma server. They stop
    when the last lease is closed or its process has ended.

    Raises:
        EmbeddedStoreError: they cannot be started; the message says why in one line.
    """
    locks.require_posix()
    layout = layouts.prepare(data_dir)
    try:
        clients_fd = locks.open_lock(layout.lock("clients"))
        try:
            # Waits while a supervisor whose last client left is stopping.
            if not locks.wait_shared(clients_fd, LEASE_TIMEOUT_S):
                raise EmbeddedStoreError(f"the servers on {layout.data_dir} do not stop")
            state = _running(layout)
        except BaseException:
            os.close(clients_fd)
            raise
    except OSError as exc:
        raise layouts.unusable(data_dir, exc) from exc
    return Lease(EmbeddedStores(state.database_url, state.chroma_url), clients_fd)


def _running(layout: Layout) -> State:
    start_fd = locks.open_lock(layout.lock("start"))
    try:
        if not locks.wait_exclusive(start_fd, LEASE_TIMEOUT_S):
            raise EmbeddedStoreError(f"another process is starting servers on {layout.data_dir}")
        return _started(layout)
    finally:
        os.close(start_fd)


def _started(layout: Layout) -> State:
    has_spawned = False
    deadline = time.monotonic() + LEASE_TIMEOUT_S
    while time.monotonic() < deadline:
        supervisor_fd = locks.open_lock(layout.lock("supervisor"))
        try:
            if locks.try_exclusive(supervisor_fd):
                if has_spawned:
                    raise EmbeddedStoreError(_why_it_failed(layout))
                _spawn_supervisor(layout, supervisor_fd)
                has_spawned = True
            elif state := layouts.read_state(layout.state):
                return state
        finally:
            os.close(supervisor_fd)
        time.sleep(locks.POLL_S)
    raise EmbeddedStoreError(f"the servers on {layout.data_dir} did not start in time")


def _spawn_supervisor(layout: Layout, supervisor_fd: int) -> None:
    """Start a supervisor that inherits the lock, so that there is no moment without its holder."""
    if layout.state.exists():
        layout.state.replace(layout.last_state)
    layout.failure.unlink(missing_ok=True)
    module = "memory.embedded.supervisor"
    source_root = str(Path(__file__).resolve().parents[2])
    paths = [source_root, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    with layout.log("supervisor").open("wb") as log:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(layout.data_dir), str(supervisor_fd)],
            cwd="/",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=(supervisor_fd,),
        )
        child.wait()


def _why_it_failed(layout: Layout) -> str:
    try:
        return layout.failure.read_text("utf-8").strip()
    except FileNotFoundError:
        return f"the servers' supervisor ended: {last_words(layout.log('supervisor'))}"
