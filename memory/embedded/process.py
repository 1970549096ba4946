"""Server processes whose life a lock file shows, so that no pid is ever trusted by itself.

A server inherits the locked descriptor of its lock file: while it or a child of it lives, the
lock is held. The file's content is its pid, believed only if the lock is held and the process's
command line names the server's folder.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memory.embedded import locks
from memory.embedded.account import Account
from memory.embedded.errors import EmbeddedStoreError

PR_SET_PDEATHSIG = 1
"""Source: Linux `prctl(2)`."""
START_TIMEOUT_S = 60.0
LAST_WAIT_S = 10.0


class Stop(NamedTuple):
    """One step of stopping: a signal and how long to wait after it, in seconds."""

    signum: int
    wait_s: float


class Spec(NamedTuple):
    """A server to run.

    `marker` is the argument by which its command line is recognised; `stop` the signals that
    end it, gentlest first.
    """

    name: str
    argv: tuple[str, ...]
    marker: str
    lock: Path
    log: Path
    stop: tuple[Stop, ...]
    account: Account | None = None


def start(
    spec: Spec,
    *,
    dies_with_us: bool,
    environment: Mapping[str, str] | None = None,
    folder: Path = Path("/"),
) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own, in `folder`.

    With `dies_with_us` it gets its first stop signal when the calling process dies; Linux only,
    and the calling thread must be one that lives as long as the process. Without an `environment`
    it gets ours, without libpq's variables.

    Raises:
        EmbeddedStoreError: one is running already, or it cannot be executed.
    """
    account = spec.account
    lock_fd = locks.open_lock(spec.lock)
    try:
        if not locks.try_exclusive(lock_fd):
            raise EmbeddedStoreError(f"{spec.name} runs already on {spec.marker}")
        death_signal = spec.stop[0].signum if dies_with_us else 0
        with spec.log.open("ab") as log:
            return subprocess.Popen(
                spec.argv,
                cwd=folder,
                env=clean_environment(os.environ) if environment is None else environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(lock_fd,),
                # Safe: our callers run one thread.
                preexec_fn=_child_setup(lock_fd, death_signal),  # noqa: PLW1509
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            )
    except (OSError, subprocess.SubprocessError) as exc:
        raise EmbeddedStoreError(f"cannot start {spec.name}: {exc}") from exc
    finally:
        os.close(lock_fd)


def run(argv: Sequence[str], account: Account | None, text: str = "") -> tuple[int, str]:
    """Run a command to its end, with `text` as its input; return exit status and output.

    Raises:
        EmbeddedStoreError: it cannot be executed.
    """
    try:
        done = subprocess.run(
            argv,
            cwd="/",
            env=clean_environment(os.environ),
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    except (OSError, subprocess.SubprocessError) as exc:
        raise EmbeddedStoreError(f"cannot run {argv[0]}: {exc}") from exc
    return done.returncode, done.stdout.decode(errors="replace")


def stop_children(servers: Sequence[tuple[Spec, subprocess.Popen[bytes]]]) -> None:
    """Stop servers that are our children, all at the same time, and wait until they are gone."""
    for spec, process in servers:
        if process.poll() is None:
            process.send_signal(spec.stop[0].signum)
    for spec, process in servers:
        for step in spec.stop:
            if process.poll() is None and step is not spec.stop[0]:
                process.send_signal(step.signum)
            try:
                process.wait(step.wait_s)
                break
            except subprocess.TimeoutExpired:
                continue


def stop_orphan(spec: Spec) -> None:
    """Stop a server that outlived whoever started it, and wait until its lock is free.

    Raises:
        EmbeddedStoreError: it does not stop.
    """
    lock_fd = locks.open_lock(spec.lock)
    try:
        if locks.try_exclusive(lock_fd):
            return
        for step in spec.stop:
            pid = _pid_in(lock_fd)
            if pid and names(pid, spec.marker):
                os.kill(pid, step.signum)
            if locks.wait_exclusive(lock_fd, step.wait_s):
                return
        if not locks.wait_exclusive(lock_fd, LAST_WAIT_S):
            raise EmbeddedStoreError(
                f"{spec.name} of an earlier run still holds {spec.marker}; end it by hand"
            )
    except ProcessLookupError:
        if not locks.wait_exclusive(lock_fd, LAST_WAIT_S):
            raise EmbeddedStoreError(f"{spec.name} did not stop on {spec.marker}") from None
    finally:
        os.close(lock_fd)


def wait_until(ready: Callable[[], bool], spec: Spec, process: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers.

    Raises:
        EmbeddedStoreError: it ended instead, or took longer than 60 s.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while not ready():
        if process.poll() is not None:
            raise EmbeddedStoreError(
                f"{spec.name} could not start on {spec.marker}: {last_words(spec.log)}"
            )
        if time.monotonic() >= deadline:
            raise EmbeddedStoreError(f"{spec.name} did not answer in time; see {spec.log}")
        time.sleep(locks.POLL_S)


def last_words(log: Path) -> str:
    """Return the line of a log that says best why its writer ended."""
    try:
        return telling_line(log.read_text("utf-8", errors="replace"))
    except OSError:
        return "no log"


def telling_line(text: str) -> str:
    """Return the last line that names an error, else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL" in line or "rror" in line]
    return (telling or lines or ["no message"])[-1]


def names(pid: int, marker: str) -> bool:
    """Tell whether a live process has `marker` in its command line."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        return os.fsencode(marker) in raw.split(b"\0")
    except OSError:
        if sys.platform == "linux":
            return False
    listing = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False
    )
    return os.fsencode(marker) in listing.stdout


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Drop libpq's variables: a PGDATA or PGOPTIONS of the user must not reach our servers."""
    kept = {name: value for name, value in environment.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C", "ANONYMIZED_TELEMETRY": "False"}


def _child_setup(lock_fd: int, death_signal: int) -> Callable[[], None]:
    # Runs in the child after it changed its user: that change clears the death signal.
    libc = ctypes.CDLL(None) if death_signal and sys.platform == "linux" else None
    parent = os.getpid()

    def setup() -> None:
        os.ftruncate(lock_fd, 0)
        os.pwrite(lock_fd, str(os.getpid()).encode(), 0)
        if libc is not None:
            libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
            if os.getppid() != parent:
                os.kill(os.getpid(), signal.SIGKILL)

    return setup


def _pid_in(lock_fd: int) -> int:
    raw = os.pread(lock_fd, 20, 0).strip()
    return int(raw) if raw.isdigit() else 0
