"""What a run measured, as the JSON of schema 1."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from evals.reports.environment import describe_environment, version_of
from evals.suite.outputs import write_output
from evals.suite.run import Figures, Item, Outcome, Request
from evals.suite.workspace import describe_stores

SCHEMA = 1
_SPREAD_LEVELS = 4
"""Down to the metrics of a system and its items, one a line; what is below stands in one."""
_PART_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Run:
    """What was run, when, for how long, and what came out; `argv` is what was typed."""

    suite: str
    request: Request
    outcome: Outcome
    started: datetime
    seconds: float
    argv: tuple[str, ...] = ()


def as_json(run: Run) -> dict[str, Any]:  # Any: a JSON object
    """Return the result as the JSON object that the contract describes."""
    return {
        "schema": SCHEMA,
        "suite": run.suite,
        "version": version_of("recollect", "unknown"),
        "started": run.started.isoformat(),
        "seconds": round(run.seconds, 3),
        "seed": run.request.seed,
        "limit": run.request.limit,
        "command": shlex.join(["recollect", "eval", *run.argv]) if run.argv else "",
        "environment": describe_environment(),
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
    write_output("--json", path, _spread(as_json(run)) + "\n")


def _by(by: Mapping[str, Mapping[str, Figures]]) -> dict[str, dict[str, Figures]]:
    return {
        group: {value: _rounded(figures) for value, figures in values.items()}
        for group, values in by.items()
    }


def _item(item: Item) -> dict[str, Any]:
    return {
        "case": item.case,
        "item": item.item,
        "groups": item.groups,
        "scores": _rounded(item.scores),
        "evidence": list(item.evidence),
        "found": [_short(one) for one in item.found],
    }


def _short(found: Mapping[str, Any]) -> dict[str, Any]:
    """Round the score parts: a result of thousands of items is mostly these."""
    return {
        key: _short(value)
        if isinstance(value, Mapping)
        else round(value, _PART_DIGITS)
        if isinstance(value, float)
        else value
        for key, value in found.items()
        if not isinstance(value, float) or math.isfinite(value)
    }


def _rounded(figures: Figures) -> Figures:
    # What is not a number was not measured, and JSON has no word for it.
    return {
        name: None if value is None or not math.isfinite(value) else round(float(value), 6)
        for name, value in figures.items()
    }


def _spread(value: Any, level: int = 0) -> str:
    """Write JSON that people can look into and that does not grow by its indentation."""
    if not isinstance(value, dict | list) or not value or level >= _SPREAD_LEVELS:
        return json.dumps(value)
    pad = "\n" + " " * (level + 1)
    if isinstance(value, list):
        inner = [_spread(one, level + 1) for one in value]
        opening, closing = "[", "]"
    else:
        inner = [f"{json.dumps(str(k))}: {_spread(v, level + 1)}" for k, v in value.items()]
        opening, closing = "{", "}"
    return f"{opening}{pad}{f',{pad}'.join(inner)}{pad[:-1]}{closing}"
