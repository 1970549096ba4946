"""`recollect eval compare`: what changed between two results, and whether it is noise."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from evals.errors import BadInputError
from evals.reports.bootstrap import SAMPLES
from evals.reports.comparison import Change, Comparison, compare
from evals.reports.meanings import headlines, shown
from evals.reports.pairing import (
    check_suites,
    footnotes,
    signed,
    systems_to_compare,
    warnings_of,
)
from evals.reports.saved import SavedSystem, read_result
from evals.suite.outputs import PLAIN_WIDTH, check_output, write_output
from evals.suite.requirements import PRODUCT

SCHEMA = 1
_GROUPS_OF_ONE_METRIC = 1


@dataclass(frozen=True, slots=True)
class _Asked:
    """A comparison as the command line asks for it."""

    a: Path
    b: Path
    metric: Sequence[str]
    seed: int
    samples: int


def _samples(given: int) -> int:
    if not 1_000 <= given <= 100_000:
        raise typer.BadParameter("must be between 1,000 and 100,000")
    return given


def compare_results(
    a: Annotated[Path, typer.Argument(metavar="A.json", help="The result before.")],
    b: Annotated[Path, typer.Argument(metavar="B.json", help="The result after.")],
    to_json: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write the comparison as JSON.")
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Compare this system, '{PRODUCT}' by default; 'bm25:dense' sets A's bm25 against"
            " B's dense.",
        ),
    ] = None,
    metric: Annotated[
        list[str],
        typer.Option(metavar="NAME...", help="Only these metrics, overall and by group."),
    ] = [],  # noqa: B006  typer copies it
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the bootstrap.")] = 0,
    samples: Annotated[
        int, typer.Option(metavar="N", callback=_samples, help="Bootstrap samples.")
    ] = SAMPLES,
) -> int:
    """Print what changed from result A to result B, and whether the difference is noise.

    Both were written by --json. Noise: the 95 % interval of a paired bootstrap over the items that
    both have, whole cases drawn together. Exit status: 0; 2 a file is no result, or the suites
    differ.
    """
    asked = _Asked(a, b, metric, seed, samples)
    check_output("--json", to_json)
    before, after = read_result(a), read_result(b)
    check_suites(before, after, str(a), str(b))
    names = systems_to_compare(before, after, system)
    mine, theirs = before.systems[names[0]], after.systems[names[1]]
    _known_metrics(metric, mine, theirs)
    result = compare(before.suite, mine, theirs, samples, seed, metric)
    warnings = warnings_of(before, after, mine, theirs)
    for line in warnings:
        print(f"recollect eval compare: {line}", file=sys.stderr)  # noqa: T201
    _print(before.suite, asked, names, result)
    if to_json is not None:
        content = _as_json(before.suite, asked, names, result, warnings)
        write_output("--json", to_json, json.dumps(content, indent=1) + "\n")
    return 0


def _known_metrics(asked: Sequence[str], a: SavedSystem, b: SavedSystem) -> None:
    both = [name for name in a.metrics if name in b.metrics]
    for name in asked:
        if name not in both:
            raise BadInputError(f"--metric {name!r}: both have {', '.join(both) or 'none'}")


def _print(suite: str, asked: _Asked, names: tuple[str, str], result: Comparison) -> None:
    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    who = names[0] if names[0] == names[1] else f"{names[0]} (A) and {names[1]} (B)"
    _table(console, f"{suite}: {who}, A to B", "metric", result.metrics)
    itemwise = [name for name, change in result.metrics.items() if change.items]
    chosen = list(asked.metric) or headlines(suite, itemwise)[:_GROUPS_OF_ONE_METRIC]
    for group, values in result.by.items():
        for name in chosen:
            rows = {value: found[name] for value, found in values.items() if name in found}
            _table(console, f"{name} by {group}", group, rows)
    for line in footnotes(result, asked.samples, asked.seed):
        console.print(line, markup=False, highlight=False)


def _table(console: Console, title: str, first: str, rows: Mapping[str, Change]) -> None:
    shown_rows = {
        name: change for name, change in rows.items() if (change.a, change.b) != (None, None)
    }
    if not shown_rows:
        return
    table = Table(title=title, box=box.SIMPLE, title_justify="left")
    table.add_column(first, overflow="fold")
    for heading in ("A", "B", "B - A", "95 % interval", "items"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for name, change in shown_rows.items():
        bounds = change.interval
        table.add_row(
            name,
            shown(change.a),
            shown(change.b),
            signed(change.difference),
            f"{signed(bounds.low)} to {signed(bounds.high)}" if bounds else "",
            f"{change.items:,}" if change.items else "",
            change.verdict,
        )
    console.print(table)


def _as_json(
    suite: str,
    asked: _Asked,
    names: tuple[str, str],
    result: Comparison,
    warnings: Sequence[str],
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "suite": suite,
        "a": {"file": str(asked.a), "system": names[0]},
        "b": {"file": str(asked.b), "system": names[1]},
        "warnings": list(warnings),
        "items": {"both": result.matched, "only_a": result.only_a, "only_b": result.only_b},
        "bootstrap": {
            "unit": result.unit,
            "units": result.units,
            "samples": asked.samples,
            "seed": asked.seed,
        },
        "metrics": _changes(result.metrics),
        "by": {
            group: {value: _changes(found) for value, found in values.items()}
            for group, values in result.by.items()
        },
    }


def _changes(changes: Mapping[str, Change]) -> dict[str, Any]:
    return {name: asdict(one) | {"difference": one.difference} for name, one in changes.items()}
