"""A run's figures as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich import box
from rich.console import Console
from rich.table import Table

from evals.reports.result import Run
from evals.suite.run import Figures

_WHOLE_FROM = 100.0  # figures this large are shown without decimals


def print_tables(console: Console, run: Run) -> None:
    """Print the figures: a row a system and one a group, then what failed or could not run."""
    systems = run.outcome.systems
    _print(console, run.suite, {name: result.metrics for name, result in systems.items()})
    groups = {group for result in systems.values() for group in result.by}
    for group in sorted(groups):
        rows = {
            f"{name} / {value}": figures
            for name, result in systems.items()
            for value, figures in result.by.get(group, {}).items()
        }
        _print(console, f"{run.suite} by {group}", rows)
    for note in run.outcome.notes:
        console.print(note, markup=False, highlight=False)
    for name, reason in run.outcome.skipped.items():
        console.print(f"skipped: {name}: {reason}", markup=False)
    for failure in run.outcome.failed:
        console.print(f"failed: {failure.case} ({failure.system}): {failure.reason}", markup=False)
    if run.outcome.partial:
        console.print("partial: stopped before the end; the figures cover what was done")


def _print(console: Console, title: str, rows: Mapping[str, Figures]) -> None:
    names = list(
        dict.fromkeys(
            n for figures in rows.values() for n, value in figures.items() if value is not None
        )
    )
    if not names:
        return
    # Few rows and many figures read better the other way round.
    table = Table(title=title, box=box.SIMPLE, title_justify="left")
    if len(rows) <= len(names):
        table.add_column("")
        for title_of_row in rows:
            table.add_column(title_of_row, justify="right")
        for name in names:
            table.add_row(name, *(_shown(figures.get(name)) for figures in rows.values()))
    else:
        table.add_column("")
        for name in names:
            table.add_column(name, justify="right")
        for title_of_row, figures in rows.items():
            table.add_row(title_of_row, *(_shown(figures.get(name)) for name in names))
    console.print(table)


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= _WHOLE_FROM or value == int(value) else f"{value:.3f}"
