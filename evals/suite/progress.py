"""Progress on stderr: a bar on a terminal, a line every few seconds otherwise."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

_LINE_EVERY_S = 5.0


class Progress:
    """Counts steps of a run; a context manager that takes its bar down at the end."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._done = 0
        self._total = 0
        self._said_at = time.monotonic()
        self._bar: Bar | None = None
        if self._stream.isatty():
            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(file=self._stream),
                transient=True,
            )
            self._task = self._bar.add_task("")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def expect(self, steps: int) -> None:
        """Say how many steps there will be."""
        self._total = steps
        if self._bar is not None:
            self._bar.update(self._task, total=steps)

    def say(self, line: str) -> None:
        """Write a line that stays, above the bar where there is one."""
        if self._bar is not None:
            self._bar.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=self._stream, flush=True)

    def step(self, doing: str, steps: int = 1) -> None:
        """Count steps, and say what is being done."""
        self._done += steps
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, description=doing)
        elif time.monotonic() - self._said_at >= _LINE_EVERY_S:
            self._said_at = time.monotonic()
            print(f"{doing}: {self._done} of {self._total}", file=self._stream, flush=True)
