"""`recollect eval compare`: what changed between two results, and whether it is noise."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from evals.errors import BadInputError
from evals.reports.bootstrap import FEWEST, SAMPLES
from evals.reports.comparison import Change, Comparison, compare
from evals.reports.meanings import headlines, shown
from evals.reports.saved import SavedResult, SavedSystem, read_result
from evals.suite.outputs import PLAIN_WIDTH, check_output, write_output
from evals.suite.requirements import PRODUCT

SCHEMA = 1
_GROUPS_OF_ONE_METRIC = 1


def run_compare(argv: Sequence[str]) -> int:
    """Compare two results, print what changed.

    Returns:
        0, whatever changed.

    Raises:
        BadInputError: a file is no result, the suites differ, a system or metric is in neither.
        SystemExit: the arguments are not understood, or help was asked for.
    """
    arguments = _parser().parse_args(argv)
    check_output("--json", arguments.json)
    a, b = read_result(arguments.a), read_result(arguments.b)
    if a.suite != b.suite:
        raise BadInputError(
            f"{arguments.a} is of suite {a.suite}, {arguments.b} of {b.suite}: nothing to compare"
        )
    names = _systems(a, b, arguments.system)
    mine, theirs = a.systems[names[0]], b.systems[names[1]]
    _known_metrics(arguments.metric, mine, theirs)
    result = compare(a.suite, mine, theirs, arguments.samples, arguments.seed, arguments.metric)
    warnings = _warnings(a, b, mine, theirs)
    for line in warnings:
        print(f"recollect eval compare: {line}", file=sys.stderr)  # noqa: T201
    _print(a.suite, arguments, names, result)
    if arguments.json is not None:
        content = _as_json(a.suite, arguments, names, result, warnings)
        write_output("--json", arguments.json, json.dumps(content, indent=1) + "\n")
    return 0


def _systems(a: SavedResult, b: SavedResult, asked: str | None) -> tuple[str, str]:
    """Return the system of each file: the product, or what was asked for (`NAME` or `A:B`)."""
    both = [name for name in a.systems if name in b.systems]
    if asked is None:
        if PRODUCT in both or len(both) == 1:
            name = PRODUCT if PRODUCT in both else both[0]
            return name, name
        raise BadInputError(f"--system NAME is needed; in both: {', '.join(both) or 'none'}")
    first, _, second = asked.partition(":")
    chosen = (first, second or first)
    for name, result in zip(chosen, (a, b), strict=True):
        if name not in result.systems:
            known = ", ".join(result.systems)
            raise BadInputError(f"--system {asked!r}: {name!r} is none of {known}")
    return chosen


def _known_metrics(asked: Sequence[str], a: SavedSystem, b: SavedSystem) -> None:
    both = [name for name in a.metrics if name in b.metrics]
    for name in asked:
        if name not in both:
            raise BadInputError(f"--metric {name!r}: both have {', '.join(both) or 'none'}")


def _warnings(a: SavedResult, b: SavedResult, mine: SavedSystem, theirs: SavedSystem) -> list[str]:
    differ = {
        "the case files": ([c.sha256 for c in a.cases], [c.sha256 for c in b.cases]),
        "the embedders": (a.embedder, b.embedder),
        "the models": (a.model, b.model),
        "k, the hits asked for,": (mine.k, theirs.k),
        "the limits (--limit)": (a.limit, b.limit),
        "the machines": (_machine(a), _machine(b)),
    }
    lines = [
        f"warning: {what} differ" + (f" ({x} and {y})" if isinstance(x, int | str) else "")
        for what, (x, y) in differ.items()
        if x != y
    ]
    partial = [name for name, result in (("A", a), ("B", b)) if result.partial]
    return lines + [
        f"warning: {name} is partial: it was stopped before its end" for name in partial
    ]


def _machine(result: SavedResult) -> tuple[str, ...]:
    return tuple(result.environment.get(key, "") for key in ("platform", "processors", "python"))


def _print(
    suite: str, arguments: argparse.Namespace, names: tuple[str, str], result: Comparison
) -> None:
    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    who = names[0] if names[0] == names[1] else f"{names[0]} (A) and {names[1]} (B)"
    _table(console, f"{suite}: {who}, A to B", "metric", result.metrics)
    itemwise = [name for name, change in result.metrics.items() if change.items]
    chosen = list(arguments.metric) or headlines(suite, itemwise)[:_GROUPS_OF_ONE_METRIC]
    for group, values in result.by.items():
        for name in chosen:
            rows = {value: found[name] for value, found in values.items() if name in found}
            _table(console, f"{name} by {group}", group, rows)
    for line in _footnotes(arguments, result):
        console.print(line, markup=False, highlight=False)


def _footnotes(arguments: argparse.Namespace, result: Comparison) -> list[str]:
    lines = [f"{result.matched:,} items are in both."]
    if result.only_a or result.only_b:
        lines[0] += f" Left out: {result.only_a:,} only in A, {result.only_b:,} only in B."
    if not result.matched:
        return [*lines, "Without items there are no intervals: these are single figures."]
    drawn = f"{result.units:,} {result.unit}s"
    lines.append(
        f"Intervals: 95 %, paired bootstrap of {drawn}, {arguments.samples:,} samples,"
        f" seed {arguments.seed}. One of twenty that are noise looks real."
    )
    if result.unit == "item":
        lines.append(
            f"Fewer than {FEWEST} cases: items are drawn one by one. Those of one conversation are"
            " alike, so the intervals are rather too narrow."
        )
    verdicts = {change.verdict for change in result.metrics.values()}
    for values in result.by.values():
        verdicts |= {one.verdict for found in values.values() for one in found.values()}
    if "no items" in verdicts:
        lines.append("no items: no mean over items, so nothing says how much it scatters.")
    if "too few" in verdicts:
        lines.append(f"too few: it rests on fewer than {FEWEST} {result.unit}s.")
    return lines


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
            _signed(change.difference),
            f"{_signed(bounds.low)} to {_signed(bounds.high)}" if bounds else "",
            f"{change.items:,}" if change.items else "",
            change.verdict,
        )
    console.print(table)


def _signed(value: float | None) -> str:
    if value is None:
        return "–"
    return f"+{shown(value)}" if value > 0 else shown(value).replace("-", "−")


def _as_json(
    suite: str,
    arguments: argparse.Namespace,
    names: tuple[str, str],
    result: Comparison,
    warnings: Sequence[str],
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "suite": suite,
        "a": {"file": str(arguments.a), "system": names[0]},
        "b": {"file": str(arguments.b), "system": names[1]},
        "warnings": list(warnings),
        "items": {"both": result.matched, "only_a": result.only_a, "only_b": result.only_b},
        "bootstrap": {
            "unit": result.unit,
            "units": result.units,
            "samples": arguments.samples,
            "seed": arguments.seed,
        },
        "metrics": _changes(result.metrics),
        "by": {
            group: {value: _changes(found) for value, found in values.items()}
            for group, values in result.by.items()
        },
    }


def _changes(changes: Mapping[str, Change]) -> dict[str, Any]:
    return {name: asdict(one) | {"difference": one.difference} for name, one in changes.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="recollect eval compare",
        description="Print what changed from result A to result B, both written by --json, and"
        " whether the difference is noise:\nthe 95 % interval of a paired bootstrap over the items"
        " that both have, whole cases drawn together.",
        epilog="exit status: 0; 2 a file is no result, or the suites differ",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("a", type=Path, metavar="A.json", help="the result before")
    parser.add_argument("b", type=Path, metavar="B.json", help="the result after")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the comparison as JSON")
    parser.add_argument(
        "--system",
        metavar="NAME",
        help=f"compare this system, '{PRODUCT}' by default; 'bm25:dense' sets A's bm25 against"
        " B's dense",
    )
    parser.add_argument(
        "--metric",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="only these metrics, overall and by group",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the bootstrap")
    parser.add_argument(
        "--samples", type=_samples, default=SAMPLES, metavar="N", help="bootstrap samples (2,000)"
    )
    return parser


def _samples(text: str) -> int:
    number = int(text)
    if not 1_000 <= number <= 100_000:
        raise argparse.ArgumentTypeError("must be between 1,000 and 100,000")
    return number
