"""File locks (`flock`): the kernel drops them when a process ends, however it ends."""

from __future__ import annotations

import os
import time
from pathlib import Path

from memory.embedded.errors import EmbeddedStoreError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

POLL_S = 0.01
"""Seconds between two looks at a lock, a file or a port."""


def require_posix() -> None:
    """Refuse a platform without `flock`.

    Raises:
        EmbeddedStoreError: on such a platform.
    """
    if fcntl is None:
        raise EmbeddedStoreError(
            "the embedded stores need Linux or macOS; set RECOLLECT_DATABASE_URL and"
            " RECOLLECT_CHROMA_URL to servers of your own"
        )


def open_lock(path: Path) -> int:
    """Open (and create) a lock file; return its descriptor, which no exec'd child inherits."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def try_exclusive(fd: int) -> bool:
    """Take the exclusive lock if nobody else holds it in any form."""
    return _try(fd, fcntl.LOCK_EX)


def wait_exclusive(fd: int, timeout_s: float) -> bool:
    """Take the exclusive lock within `timeout_s` seconds, trying at least once."""
    return _wait(fd, fcntl.LOCK_EX, timeout_s)


def wait_shared(fd: int, timeout_s: float) -> bool:
    """Take the shared lock within `timeout_s` seconds, trying at least once."""
    return _wait(fd, fcntl.LOCK_SH, timeout_s)


def _wait(fd: int, kind: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while not _try(fd, kind):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_S)
    return True


def _try(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
