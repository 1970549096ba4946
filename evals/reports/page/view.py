"""What the page shows of a result, ready to be laid out: every number is a text here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from evals.reports.meanings import QUESTIONS, explained, headlines, meaning_of, shown
from evals.reports.page.drawings import Drawing, drawings, group_drawing, systems_of
from evals.reports.page.worst import WorstCase, worst_cases, worst_metrics
from evals.reports.saved import Saved, SavedFailure, SavedResult, SavedSystem, SavedViolation
from evals.suite.run import Texts

_LONG = 15
"""A table with more rows is folded."""


@dataclass(frozen=True, slots=True)
class Headline:
    """One figure of the product, what it means, and how the others did."""

    metric: str
    value: str
    says: str
    others: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure; `is_best`: of its row."""

    text: str
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its head, what that means, its figures."""

    head: str
    says: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of figures. `is_long`: it is folded until asked for."""

    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Figures by the values of one group: a plot and a table of the leading metric, then all."""

    name: str
    plot: Drawing | None
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page, from top to bottom."""

    suite: str
    asks: str
    subtitle: str
    partial: bool
    system: str
    headlines: tuple[Headline, ...]
    drawings: tuple[Drawing, ...]
    metrics: Table
    groups: tuple[Group, ...]
    worst_by: str
    came: str
    worst: tuple[WorstCase, ...]
    violations: tuple[SavedViolation, ...]
    failed: tuple[SavedFailure, ...]
    skipped: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    setup: tuple[tuple[str, str], ...]
    cases: tuple[tuple[str, str, str, str], ...]
    command: str


def view_of(result: SavedResult, texts: Texts) -> Page:
    """Return the page of a result."""
    systems = systems_of(result)
    name, product = next(iter(systems.items()), ("", SavedSystem(metrics={})))
    return Page(
        suite=result.suite,
        asks=QUESTIONS.get(result.suite, ""),
        subtitle=subtitle(result),
        partial=result.partial,
        system=name,
        headlines=tuple(_headlines(result.suite, systems)),
        drawings=tuple(_marked(one) for one in drawings(result)),
        metrics=_all_metrics(result.suite, systems),
        groups=tuple(_group(result.suite, group, systems) for group in _group_names(systems)),
        worst_by=", ".join(worst_metrics(result.suite, product)),
        came="What came instead" if "frac@10" in product.metrics else "What was found",
        worst=tuple(worst_cases(result, texts)),
        violations=product.violations,
        failed=result.failed,
        skipped=tuple(result.skipped.items()),
        notes=result.notes,
        setup=tuple(_setup(result)),
        cases=tuple((c.file, f"{c.cases:,}", f"{c.items:,}", c.sha256) for c in result.cases),
        command=result.command,
    )


def subtitle(result: SavedResult) -> str:
    """Return in a line which version ran, when, how long, and over how much."""
    parts = ["Recollect" if result.version == "unknown" else f"Recollect {result.version}"]
    try:
        started = datetime.fromisoformat(result.started)
        parts.append(f"{started.day} {started:%B %Y, %H:%M %Z}".strip())
    except ValueError:
        parts.append(result.started)
    parts.append(f"{result.seconds:,.0f} s" if result.seconds >= 1 else f"{result.seconds:.2f} s")
    if result.cases:
        cases, items = sum(c.cases for c in result.cases), sum(c.items for c in result.cases)
        parts.append(f"{cases:,} {'case' if cases == 1 else 'cases'}, {items:,} items")
    return " · ".join(part for part in parts if part)


def _headlines(suite: str, systems: Mapping[str, SavedSystem]) -> list[Headline]:
    if not systems:
        return []
    (_, product), *others = systems.items()
    measured = [name for name, value in product.metrics.items() if value is not None]
    return [
        Headline(
            metric,
            shown(product.metrics[metric]),
            explained(metric, suite),
            tuple(
                (name, shown(one.metrics[metric]))
                for name, one in others
                if one.metrics.get(metric) is not None
            ),
        )
        for metric in headlines(suite, measured)
    ]


def _all_metrics(suite: str, systems: Mapping[str, SavedSystem]) -> Table:
    names = list(
        dict.fromkeys(
            name
            for one in systems.values()
            for name, value in one.metrics.items()
            if value is not None
        )
    )
    rows = [
        _row(suite, name, name, [one.metrics.get(name) for one in systems.values()], explain=True)
        for name in names
    ]
    return Table("All figures, by system", "metric", tuple(systems), tuple(rows))


def _group_names(systems: Mapping[str, SavedSystem]) -> list[str]:
    return sorted({group for one in systems.values() for group in one.by})


def _group(suite: str, group: str, systems: Mapping[str, SavedSystem]) -> Group:
    by = {name: one.by[group] for name, one in systems.items() if one.by.get(group)}
    values = list(dict.fromkeys(value for rows in by.values() for value in rows))
    metrics = list(
        dict.fromkeys(
            metric
            for rows in by.values()
            for figures in rows.values()
            for metric, figure in figures.items()
            if figure is not None
        )
    )
    compared = [metric for metric in metrics if meaning_of(metric, suite).better != "neither"]
    lead = next(iter(headlines(suite, compared)), None)
    if lead is None:
        return Group(group, None, (_everything(group, by, values, metrics),))
    figures = {value: {name: by[name].get(value, {}).get(lead) for name in by} for value in values}
    plot = group_drawing(group, lead, figures)
    tables = [] if len(by) == 1 else [_leading(suite, group, lead, by, values, systems)]
    tables.append(_everything(group, by, values, metrics))
    return Group(group, _marked(plot) if plot else None, tuple(tables))


def _leading(
    suite: str,
    group: str,
    metric: str,
    by: Mapping[str, Mapping[str, Saved]],
    values: Sequence[str],
    systems: Mapping[str, SavedSystem],
) -> Table:
    first = next(iter(systems.values()))
    counts = Counter(
        value for item in first.items for value in item.groups.get(group, "").split(", ")
    )
    rows = []
    for value in values:
        row = _row(suite, metric, value, [by[name].get(value, {}).get(metric) for name in by])
        rows.append(Row(row.head, "", (Cell(shown(counts.get(value))), *row.cells)))
    caption = f"{metric} by {group}"
    return Table(caption, group, ("items", *by), tuple(rows), len(rows) > _LONG)


def _everything(
    group: str,
    by: Mapping[str, Mapping[str, Saved]],
    values: Sequence[str],
    metrics: Sequence[str],
) -> Table:
    rows = [
        Row(
            value if len(by) == 1 else f"{value}, {name}",
            "",
            tuple(Cell(shown(by[name][value].get(metric))) for metric in metrics),
        )
        for value in values
        for name in by
        if value in by[name]
    ]
    long = len(by) > 1 or len(rows) > _LONG
    return Table(f"All figures by {group}", group, tuple(metrics), tuple(rows), long)


def _row(
    suite: str,
    metric: str,
    head: str,
    values: Sequence[float | None],
    *,
    explain: bool = False,
) -> Row:
    meaning = meaning_of(metric, suite)
    known = [value for value in values if value is not None]
    best = None
    if len(known) > 1 and meaning.better != "neither" and min(known) < max(known):
        best = max(known) if meaning.better == "higher" else min(known)
    cells = tuple(Cell(shown(value), value is not None and value == best) for value in values)
    return Row(head, explained(metric, suite) if explain else "", cells)


def _marked(drawing: Drawing) -> Drawing:
    """Hold the SVG for markup: `plots` escapes every text that it takes in."""
    markup = Markup(drawing.svg)  # noqa: S704
    return Drawing(drawing.title, drawing.says, markup, drawing.legend)


def _setup(result: SavedResult) -> list[tuple[str, str]]:
    rows = [
        ("Recollect", result.version),
        ("started", result.started),
        ("seed", str(result.seed)),
        ("limit", "none" if result.limit is None else f"first {result.limit:,} of each file"),
        ("model", result.model or "none"),
        ("embedder", result.embedder or "none"),
    ]
    rows += [(f"store: {name}", where) for name, where in result.stores.items()]
    return rows + list(result.environment.items())
