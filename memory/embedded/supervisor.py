"""The process that owns the servers of one data folder, for as long as it has clients.

`python -m memory.embedded.supervisor DATA_DIR LOCK_FD`, started by `launcher.py` with the locked
descriptor of `supervisor.lock`, which it keeps. It starts both servers, publishes `state.json`,
restarts what dies, and once it gets `clients.lock` exclusively (no client is left) it stops the
servers and ends. It depends on the standard library alone, so that it starts fast.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from memory.embedded import chroma, locks, postgres, process
from memory.embedded.account import postgres_account
from memory.embedded.errors import EmbeddedStoreError
from memory.embedded.layout import (
    Layout,
    State,
    read_state,
    unusable,
    write_atomically,
    write_state,
)

WATCH_S = 0.1
"""Seconds between two looks at clients and servers."""
PORT_ATTEMPTS = 3


class Supervisor:
    """Both servers of one data folder."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._children: dict[str, tuple[process.Spec, subprocess.Popen[bytes]]] = {}
        self._port = 0
        self._sockets: Path | None = None
        self._is_told_to_stop = False

    def serve(self, clients_fd: int, lock_fd: int) -> None:
        """Run from start to the moment to stop.

        Raises:
            EmbeddedStoreError: a server cannot be started.
        """
        self._start()
        self._watch(clients_fd, lock_fd)

    def stop(self) -> None:
        """Withdraw the state file and stop both servers."""
        self._withdraw()
        process.stop_children(list(self._children.values()))
        if self._sockets is not None:
            with contextlib.suppress(OSError):
                self._sockets.rmdir()

    def tell_to_stop(self, _signum: int, _frame: FrameType | None) -> None:
        """Handle SIGTERM: stop although there are clients."""
        self._is_told_to_stop = True

    def _start(self) -> None:
        """Clean up after a supervisor that was killed, start both servers and publish them."""
        for name in ("postgres", "chroma"):
            self._layout.log(name).unlink(missing_ok=True)
        self._layout.chroma.mkdir(mode=0o700, exist_ok=True)
        before = read_state(self._layout.last_state)
        process.stop_orphan(self._chroma_spec())
        self._port = chroma.free_port(before.chroma_port if before else 0)
        self._spawn("chroma", self._chroma_spec())
        self._start_postgres()
        self._await_chroma()
        self._publish()

    def _watch(self, clients_fd: int, lock_fd: int) -> None:
        """Restart servers that die, until the last client is gone or we are told to stop."""
        while not self._is_told_to_stop and not locks.try_exclusive(clients_fd):
            if not _is_same_file(self._layout.lock("supervisor"), lock_fd):
                return  # The data folder was removed under us.
            dead = [name for name, (_, child) in self._children.items() if child.poll() is not None]
            if dead:
                self._withdraw()
                for name in dead:
                    self._restart(name)
                self._publish()
            time.sleep(WATCH_S)

    def _withdraw(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._layout.state.replace(self._layout.last_state)

    def _start_postgres(self) -> None:
        layout = self._layout
        account = postgres_account()
        bin_dir = postgres.binaries(layout.data_dir, account)
        sockets = postgres.socket_folder(layout.postgres, account)
        self._sockets = sockets
        spec = postgres.socket_spec(
            bin_dir,
            layout.postgres,
            sockets,
            layout.lock("postgres"),
            layout.log("postgres"),
            account,
        )
        process.stop_orphan(spec)
        postgres.create_cluster(bin_dir, layout.postgres, account, password="")
        postgres.remove_stale_pid(layout.postgres)
        child = self._spawn("postgres", spec)
        process.wait_until(lambda: postgres.is_ready(layout.postgres, child.pid), spec, child)

    def _await_chroma(self) -> None:
        for attempt in range(PORT_ATTEMPTS):
            spec, child = self._children["chroma"]
            try:
                process.wait_until(lambda: chroma.answers(self._port), spec, child)
            except EmbeddedStoreError:
                if attempt == PORT_ATTEMPTS - 1 or chroma.free_port(self._port) == self._port:
                    raise
                # Somebody took the port between our choice and Chroma's bind.
                self._port = chroma.free_port()
                self._spawn("chroma", self._chroma_spec())
            else:
                return

    def _restart(self, name: str) -> None:
        if name == "postgres":
            self._start_postgres()
        else:
            process.stop_orphan(self._chroma_spec())
            self._spawn("chroma", self._chroma_spec())
            self._await_chroma()

    def _spawn(self, name: str, spec: process.Spec) -> subprocess.Popen[bytes]:
        child = process.start(spec, dies_with_us=True)
        self._children[name] = (spec, child)
        return child

    def _chroma_spec(self) -> process.Spec:
        layout = self._layout
        return chroma.spec(layout.chroma, self._port, layout.lock("chroma"), layout.log("chroma"))

    def _publish(self) -> None:
        assert self._sockets is not None
        state = State(postgres.socket_url(self._sockets), chroma.url(self._port), self._port)
        write_state(self._layout.state, state)


def main(arguments: list[str]) -> int:
    """Become a process of its own and serve one data folder; return the exit status."""
    layout, lock_fd = Layout(Path(arguments[0])), int(arguments[1])
    os.set_inheritable(lock_fd, False)
    # The client waits for its child only; the grandchild is nobody's zombie later.
    if os.fork():
        os._exit(0)
    supervisor = Supervisor(layout)
    signal.signal(signal.SIGTERM, supervisor.tell_to_stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    clients_fd = locks.open_lock(layout.lock("clients"))
    failure = _attempt(layout, lambda: supervisor.serve(clients_fd, lock_fd))
    failure = _attempt(layout, supervisor.stop) or failure
    if failure:
        with contextlib.suppress(OSError):
            write_atomically(layout.failure, failure)
    # In this order: a client that gets clients.lock must find supervisor.lock free.
    os.close(lock_fd)
    os.close(clients_fd)
    return 1 if failure else 0


def _attempt(layout: Layout, action: Callable[[], object]) -> str:
    try:
        action()
    except EmbeddedStoreError as exc:
        return str(exc)
    except OSError as exc:
        return str(unusable(layout.data_dir, exc))
    return ""


def _is_same_file(path: Path, fd: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(fd))
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
