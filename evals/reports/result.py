"""What a run measured, as the JSON of schema 1."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evals.errors import BadInputError
from evals.run import Figures, Item, Outcome, Request
from evals.workspace import describe_stores

SCHEMA = 1


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
            name: {
                "metrics": _rounded(result.metrics),
                "by": _by(result.by),
                "items": [_item(item) for item in result.items],
            }
            | result.details
            for name, result in run.outcome.systems.items()
        },
        "failed": [asdict(failure) for failure in run.outcome.failed],
        "skipped": run.outcome.skipped,
        "notes": run.outcome.notes,
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


def _by(by: Mapping[str, Mapping[str, Figures]]) -> dict[str, dict[str, Figures]]:
    return {
        group: {value: _rounded(figures) for value, figures in values.items()}
        for group, values in by.items()
    }


def _item(item: Item) -> dict[str, Any]:
    return asdict(item) | {"scores": _rounded(item.scores)}


def _rounded(figures: Figures) -> Figures:
    return {name: None if value is None else round(value, 6) for name, value in figures.items()}


def _version() -> str:
    try:
        return version("recollect")
    except PackageNotFoundError:
        return "unknown"
