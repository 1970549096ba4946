"""`recollect rebuild`: vectors and facts made anew from the transcript."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
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

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from memory.domain.projections import ProjectionName, Wanted
from memory.trust.rebuild import STAGES, Pace, rebuild
from ui.cli.import_screen import LINE_EVERY_S, duration
from ui.cli.terminal import printable

_MOST_LISTED = 10


class RebuildScreen:
    """A bar on a terminal, a line every few seconds otherwise, on standard error."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._names = ""
        self._total = 0
        self._began = self._said_at = time.monotonic()
        self._bar: Progress | None = None
        if sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TaskProgressColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(compact=True),
                console=self._console,
            )
            self._task = self._bar.add_task("", total=None)

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

    def begun(self, names: Sequence[ProjectionName], total: int, *, goes_on: bool) -> None:
        """Start, or go on with a stage of so many items."""
        self._names, self._total = ", ".join(names), total
        self._began = self._said_at = time.monotonic()
        if goes_on:
            self.note(f"Going on with {self._names}: {total:,} to take in still.")
        elif self._bar is None:
            self.note(f"Making {self._names} anew: {total:,} to take in.")
        if self._bar is not None:
            self._bar.reset(self._task, total=total, description=self._names)

    def moved(self, waiting: int) -> None:
        """Show that so many items are left."""
        # What comes meanwhile is taken in, too.
        done = max(0, self._total - waiting)
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
        elif waiting and time.monotonic() - self._said_at >= LINE_EVERY_S:
            self._said_at = time.monotonic()
            per_second = done / max(self._said_at - self._began, 1e-3)
            left = f" · about {duration(waiting / per_second)} left" if done else ""
            self.note(f"{self._names}: {done:,} of {self._total:,}{left}")

    def note(self, text: str) -> None:
        """Write a line to standard error."""
        self._console.print(printable(text), soft_wrap=True)


async def run_rebuild(
    settings: Settings,
    wanted: Wanted,
    overrides: Overrides | None = None,
    pace: Pace | None = None,
    *,
    asks_again: bool = False,
) -> int:
    """Make projections anew; return 1 where something was set aside for good, else 0.

    `asks_again`: a model that reads facts is asked about messages that it told nothing of, within
    the calls of the day.
    """
    # Facts alone leave the index to the embedder that made it.
    rebuilds = wanted != "facts"
    async with open_stores(
        settings, overrides, projects=False, rebuilds=rebuilds, asks_again=asks_again
    ) as stores:
        memory, projections = stores.memory, stores.projector.projections
        with RebuildScreen() as screen:
            await rebuild(memory, projections, wanted, screen, pace)
        aside = await memory.backlog.aside(await memory.contents.tenants(), _MOST_LISTED)
    made = {name for stage in STAGES[wanted] for name in stage}
    failed = [each for each in aside if each.projection in made]
    for each in failed:
        screen.note(f"set aside in {each.projection}: {each.item} ({each.reason})")
    sys.stdout.write("Made anew, but for what was set aside.\n" if failed else "Made anew.\n")
    return 1 if failed else 0
