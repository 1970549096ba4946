"""A command on a pseudo terminal of its own, with somebody who types."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
WITHIN_S = 45.0
CTRL_C, CTRL_D, ENTER, TAB, UP = "\x03", "\x04", "\r", "\t", "\x1b[A"

_ONWARD = re.compile(r"\x1b\[(\d*)C")
_STEERING = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[@-Z\\-_=>])")


class Terminal:
    """A process whose ends are all one terminal. A context manager, which ends the process."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], columns: int = 100
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.began = time.monotonic()
        self._written = b""
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            # Its own size counts, not that of whoever runs the tests.
            env={k: v for k, v in environment.items() if k not in ("COLUMNS", "LINES")}
            | {"TERM": "xterm"},
            cwd=ROOT,
            start_new_session=True,
            # Ctrl-C reaches those whose terminal this is.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._master)

    @property
    def text(self) -> str:
        """What was written so far, without colours; a cursor that moves on is a space."""
        written = self._written.decode("utf-8", "replace").replace("\r\n", "\n")
        moved = _ONWARD.sub(lambda found: " " * int(found[1] or 1), written)
        return _STEERING.sub("", moved)

    @property
    def written(self) -> bytes:
        """All that was written so far, as the terminal got it."""
        return self._written

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def paste(self, text: str) -> None:
        """Paste, as terminals do since they say where a paste begins and ends."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def until(self, *wanted: str, times: int = 1) -> str:
        """Read until any of these were written so often in all; return the text so far.

        Raises:
            TimeoutError: it was not written in time.
        """
        deadline = time.monotonic() + WITHIN_S
        while sum(self.text.count(each) for each in wanted) < times:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{wanted!r} is not in {self.text[-2000:]!r}")
            if not self._read() and self._process.poll() is not None and not self._read():
                raise TimeoutError(f"it ended without {wanted!r}: {self.text[-2000:]!r}")
        return self.text

    def settle(self, quiet_s: float = 0.7) -> None:
        """Read until nothing was written for so long: the prompt is there, and takes keys."""
        since = time.monotonic()
        while time.monotonic() - since < quiet_s:
            if self._read():
                since = time.monotonic()

    def interrupt(self) -> None:
        """Send the signal that Ctrl-C sends where no editor reads keys."""
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Read until it ends by itself; return its status.

        Raises:
            TimeoutError: it does not end.
        """
        deadline = time.monotonic() + WITHIN_S
        while self._process.poll() is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"it does not end: {self.text[-2000:]!r}")
            self._read()
        while self._read():
            pass
        return self._process.returncode

    def _read(self) -> bool:
        if not select.select([self._master], [], [], 0.02)[0]:
            return False
        with suppress(OSError):
            piece = os.read(self._master, 65_536)
            self._written += piece
            return bool(piece)
        return False
