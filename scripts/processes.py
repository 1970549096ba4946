"""Run web and worker processes of one machine: `python scripts/processes.py start|stop DIR`.

`start DIR --webs 2 --workers 2` starts them over the stores that the settings name, webs on ports
one after the other, and prints their addresses, one a line, once all of them work. `stop DIR` has
them finish what they do and waits for their end. Locks and logs of the processes lie in DIR.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory.embedded import locks, process
from memory.embedded.errors import EmbeddedStoreError
from memory.errors import RecollectError

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"
DEFAULT_PORT = 8000
STOP = (process.Stop(signal.SIGTERM, 30.0), process.Stop(signal.SIGKILL, 10.0))
"""Turns and sends under way have 20 s to end."""
MODULE = "server"
WORKS = b"Recollect works for"

Role = Literal["both", "web", "worker"]
_FLAGS: Mapping[Role, tuple[str, ...]] = {
    "both": (),
    "web": ("--no-worker",),
    "worker": ("--no-web",),
}


def command_line(role: Role, port: int) -> tuple[str, ...]:
    """Return the command line of a process; a worker has no use for its port."""
    return (sys.executable, "-m", MODULE, *_FLAGS[role], "--port", str(port))


def environment() -> dict[str, str]:
    """Return our own environment, in which the product is found from any folder."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def is_open(port: int) -> bool:
    """Tell whether something listens on a port of this machine."""
    try:
        with socket.create_connection((HOST, port), 1.0):
            return True
    except OSError:
        return False


def start(folder: Path, webs: int, workers: int, port: int) -> list[str]:
    """Start the processes and return the addresses of the webs, once everything works.

    Raises:
        EmbeddedStoreError: they run already, a port is taken, or one ended; none is left then.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(_is_held(lock) for lock in folder.glob("*.lock")):
        raise EmbeddedStoreError(f"processes run already in {folder}; stop them first")
    ports = range(port, port + webs)
    if taken := [each for each in ports if is_open(each)]:
        raise EmbeddedStoreError(f"port {taken[0]} is taken; choose another with --port")
    started: list[tuple[process.Spec, subprocess.Popen[bytes], Callable[[], bool]]] = []
    try:
        for each in ports:
            spec = _spec(folder, f"web-{each}", command_line("web", each))
            started.append((spec, _launch(spec), partial(is_open, each)))
        for number in range(1, workers + 1):
            spec = _spec(folder, f"worker-{number}", command_line("worker", port))
            started.append((spec, _launch(spec), partial(_says, spec.log, WORKS)))
        for spec, child, works in started:
            process.wait_until(works, spec, child)
    except BaseException:
        process.stop_children([(spec, child) for spec, child, _ in started])
        raise
    for _, child, _ in started:
        # They outlive us on purpose; without this their handles would warn when they are dropped.
        child.returncode = 0
    return [f"http://{HOST}:{each}" for each in ports]


def stop(folder: Path) -> int:
    """Stop what `start` started in a folder, all at once; return how many processes ran.

    Raises:
        EmbeddedStoreError: a process does not stop.
    """
    running = [_spec(folder, lock.stem, ()) for lock in folder.glob("*.lock") if _is_held(lock)]
    with ThreadPoolExecutor(max(len(running), 1)) as threads:
        list(threads.map(process.stop_orphan, running))
    return len(running)


def _spec(folder: Path, name: str, argv: tuple[str, ...]) -> process.Spec:
    return process.Spec(name, argv, MODULE, folder / f"{name}.lock", folder / f"{name}.log", STOP)


def _launch(spec: process.Spec) -> subprocess.Popen[bytes]:
    spec.log.unlink(missing_ok=True)
    return process.start(spec, dies_with_us=False, environment=environment(), folder=Path.cwd())


def _says(log: Path, words: bytes) -> bool:
    return words in log.read_bytes()


def _is_held(lock: Path) -> bool:
    descriptor = locks.open_lock(lock)
    try:
        return not locks.try_exclusive(descriptor)
    finally:
        os.close(descriptor)


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Run web and worker processes of one machine.")
    parser.add_argument("action", choices=("start", "stop"))
    parser.add_argument("dir", type=Path, help="folder of their locks and logs")
    parser.add_argument("--webs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="the first web's")
    options = parser.parse_args(arguments)
    folder: Path = options.dir.resolve()
    try:
        if options.action == "stop":
            print(f"{stop(folder)} processes stopped")
            return 0
        print(*start(folder, options.webs, options.workers, options.port), sep="\n")
    except (RecollectError, OSError) as exc:
        print(f"processes: {exc}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
