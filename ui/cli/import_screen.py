"""What an import shows: a bar on a terminal, a line every few seconds otherwise, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from memory.domain.imports import ImportState
from ui.cli.terminal import printable

LINE_EVERY_S = 5.0
SPEED_OVER_S = 30.0


class ImportScreen:
    """Progress of one import: `graph.importing.chats.Watcher`. A context manager for its bar."""

    def __init__(self) -> None:
        self.position = 0
        self.total = 0
        self.is_repeat = False
        self._start = 0
        self._began = self._said_at = time.monotonic()
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        # Known before anything is drawn: what draws puts itself in the place of sys.stderr.
        is_terminal = sys.stderr.isatty()
        self.can_ask = is_terminal and sys.stdin.isatty()
        self._bar: Progress | None = None
        if is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TaskProgressColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[speed]} messages/s"),
                TimeRemainingColumn(compact=True),
                console=self._console,
                speed_estimate_period=SPEED_OVER_S,
            )
            self._task = self._bar.add_task("", total=None, start=False, speed="-")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
            self._bar.start_task(self._task)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def per_second(self) -> float:
        """Messages a second since it began."""
        return (self.position - self._start) / max(time.monotonic() - self._began, 1e-3)

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Show on a terminal that a file is being read."""
        with self._console.status(f"Reading {printable(name)} …"):
            yield

    def title(self, text: str) -> None:
        """Say what is imported."""
        if self._bar is None:
            self.note(text)
        else:
            self._bar.update(self._task, description=text)

    def begun(self, state: ImportState) -> None:
        """Start, or go on after `state.position` messages."""
        self.position = self._start = state.position
        self.total = state.total
        self.is_repeat = state.finished_at is not None
        self._began = self._said_at = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, total=state.total, completed=state.position)
        if state.position and not self.is_repeat:
            self.note(f"Going on after {state.position:,} of {state.total:,} messages.")

    def moved(self, position: int) -> None:
        """Show that so many messages are recorded and searchable."""
        self.position = position
        if self._bar is not None:
            self._bar.update(self._task, completed=position, speed=f"{self.per_second:,.0f}")
        elif position < self.total and time.monotonic() - self._said_at >= LINE_EVERY_S:
            self._said_at = time.monotonic()
            left = (self.total - position) / max(self.per_second, 1e-3)
            self.note(
                f"{position:,} of {self.total:,} messages · {self.per_second:,.0f} messages/s"
                f" · about {duration(left)} left"
            )

    def joined(self, chat: str, file_name: str) -> None:
        """Say which chat it goes on with."""
        self.note(f"Goes on with the chat “{chat}”, imported from {file_name}.")

    def waiting(self, reason: str, pause_s: float) -> None:
        """Say that something does not answer."""
        self.note(f"{reason}: trying again in {pause_s:.0f} s.")

    def note(self, text: str) -> None:
        """Write a line to standard error."""
        self._console.print(printable(text), soft_wrap=True)

    def say(self, text: str) -> None:
        """Write a line of the outcome to standard output."""
        sys.stdout.write(printable(text) + "\n")
        sys.stdout.flush()


def asked_number(question: str, choices: Sequence[str]) -> int:
    """Ask for one of the choices by its number until one is given; return its index, from 0."""
    for number, choice in enumerate(choices, 1):
        sys.stderr.write(f"  {number:>2}  {choice}\n")
    while True:
        sys.stderr.write(f"{question} [1-{len(choices)}] ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        if line.strip().isdecimal() and 1 <= int(line) <= len(choices):
            return int(line) - 1


def duration(seconds: float) -> str:
    """Return a time span in words: `40 s`, `12 min`, `3 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def period(first: datetime | None, last: datetime | None) -> str:
    """Return a span of time in days, in the local time zone; empty when nothing was said."""
    if first is None or last is None:
        return ""
    return f"{first.astimezone():%Y-%m-%d} to {last.astimezone():%Y-%m-%d}"
