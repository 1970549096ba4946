"""A run's result as JSON (schema 1) and as a table for a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from evals.errors import BadInputError
from evals.run import Figures, Outcome, Request
from evals.workspace import describe_stores

SCHEMA = 1
_WHOLE_FROM = 100.0  # figures this large are shown without decimals


@dataclass(frozen=True, slots=True)
class Run:
    """What was run, when, for how long, and what came out."""

    suite: str
    request: Request
    outcome: Outcome
    started: datetime
    seconds: float


def as_json(run: Run) -> dict[str, Any]:  # Any: a JSON object
    """Return the result as the JSON object that the contract describes."""
    return {
        "schema": SCHEMA,
        "suite": run.suite,
        "version": _version(),
        "started": run.started.isoformat(),
        "seconds": round(run.seconds, 3),
        "seed": run.request.seed,
        "cases": [
            {
                "file": file.path,
                "sha256": file.sha256,
                "cases": file.count,
                "items": file.items,
            }
            for file in run.request.files
        ],
        "model": run.outcome.model,
        "embedder": run.outcome.embedder,
        "stores": describe_stores(run.request.settings),
        "systems": {
            name: {"metrics": _rounded(result.metrics), "by": _by(result.by)} | result.details
            for name, result in run.outcome.systems.items()
        },
        "failed": [asdict(failure) for failure in run.outcome.failed],
        "partial": run.outcome.partial,
    }


def write_json(path: Path, run: Run) -> None:
    """Write the result as a JSON file.

    Raises:
        BadInputError: the file cannot be written.
    """
    try:
        path.write_text(json.dumps(as_json(run), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"--json {path}: cannot be written ({error.strerror or error})"
        ) from error


def print_tables(console: Console, run: Run) -> None:
    """Print the figures: a row a system and one a group, then what failed."""
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


def _by(by: Mapping[str, Mapping[str, Figures]]) -> dict[str, dict[str, Figures]]:
    return {
        group: {value: _rounded(figures) for value, figures in values.items()}
        for group, values in by.items()
    }


def _rounded(figures: Figures) -> Figures:
    return {name: None if value is None else round(value, 6) for name, value in figures.items()}


def _version() -> str:
    try:
        return version("recollect")
    except PackageNotFoundError:
        return "unknown"
