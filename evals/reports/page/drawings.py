"""Which plots a result gives, from its figures, items and samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evals.reports.meanings import explained, headlines, meaning_of, shown
from evals.reports.plots import Axis, bar_plot, line_plot, linear, logarithmic, tone_of
from evals.reports.saved import SavedItem, SavedResult, SavedSystem
from evals.suite.metrics import found_fraction
from evals.suite.requirements import PRODUCT

DEEPEST = 10
"""Items keep this many hits."""
_FASTEST_MS = 0.1  # what is faster stands at the axis' end
_MOST_GROUPS = 16


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plot with its title, what it shows in a sentence, and the names of its colours."""

    title: str
    says: str
    svg: str
    legend: tuple[tuple[str, str], ...] = ()


def systems_of(result: SavedResult) -> dict[str, SavedSystem]:
    """Return the systems, the product first: it has the accent colour and the first column."""
    names = sorted(result.systems, key=lambda name: name != PRODUCT)
    return {name: result.systems[name] for name in names}


def drawings(result: SavedResult) -> list[Drawing]:
    """Return the plots over everything, those without data left out."""
    systems = systems_of(result)
    drawn = [
        _recall_over_k(systems),
        *_latencies(systems),
        _growth(systems),
        *(_peers(systems) if result.suite == "peers" else []),
    ]
    return [one for one in drawn if one is not None]


def group_drawing(
    group: str, metric: str, rows: Mapping[str, Mapping[str, float | None]]
) -> Drawing | None:
    """Return one metric of each value (row) by system; None for too many values or only zeros."""
    values = [value for row in rows.values() for value in row.values() if value]
    if not values or len(rows) > _MOST_GROUPS:
        return None
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    label = f"{metric} by {group}: " + "; ".join(
        f"{value}: " + ", ".join(f"{name} {shown(figure)}" for name, figure in row.items())
        for value, row in rows.items()
    )
    svg = bar_plot(label, rows, share=meaning_of(metric).is_share and max(values) <= 1)
    return Drawing(f"{metric} by {group}", "", svg, _legend(names))


def _recall_over_k(systems: Mapping[str, SavedSystem]) -> Drawing | None:
    curves = {
        name: _curve(system.items)
        for name, system in systems.items()
        if "frac@10" in system.metrics
    }
    curves = {name: points for name, points in curves.items() if points}
    if not curves:
        return None
    values = [value for points in curves.values() for _, value in points]
    top = max(values) <= 0.5
    y = linear("", values, share=not top)
    depths = tuple(float(k) for k in range(1, DEEPEST + 1))
    x = Axis("k, the first hits looked at", depths[0], depths[-1], marks=depths)
    label = f"Share of the evidence among the first k hits, k from 1 to {DEEPEST}: " + "; ".join(
        f"{name} from {shown(points[0][1])} to {shown(points[-1][1])}"
        for name, points in curves.items()
    )
    return Drawing(
        "Evidence found over k",
        "Share of the evidence among the first k hits. Higher and further left is better.",
        line_plot(label, x, y, curves, dots=True),
        _legend(list(curves)),
    )


def _curve(items: Sequence[SavedItem]) -> list[tuple[float, float]]:
    asked = [(item, tuple(one.id for one in item.found)) for item in items if item.evidence]
    if not asked:
        return []
    return [
        (float(k), fmean(found_fraction(ids, item.evidence, k) for item, ids in asked))
        for k in range(1, DEEPEST + 1)
    ]


def _latencies(systems: Mapping[str, SavedSystem]) -> list[Drawing]:
    """Return the curves of all samples: one plot a name when systems differ, else one for all."""
    if len(systems) == 1:
        samples = next(iter(systems.values())).samples
        return [_latency("Where the milliseconds lie", samples)] if samples else []
    names = dict.fromkeys(name for system in systems.values() for name in system.samples)
    return [
        _latency(
            f"{name.removesuffix('_ms').capitalize()} times",
            {who: one.samples[name] for who, one in systems.items() if name in one.samples},
        )
        for name in names
    ]


def _latency(title: str, samples: Mapping[str, Sequence[float]]) -> Drawing:
    known = {name: sorted(values) for name, values in samples.items() if values}
    x = logarithmic(
        "milliseconds, each mark ten times the one before",
        [value for values in known.values() for value in values],
        _FASTEST_MS,
    )
    curves = {
        name: [(value, (rank + 1) / len(values)) for rank, value in enumerate(values)]
        for name, values in known.items()
    }
    label = f"{title}: " + "; ".join(
        f"{name} half within {shown(values[(len(values) - 1) // 2])} ms,"
        f" all within {shown(values[-1])} ms"
        for name, values in known.items()
    )
    return Drawing(
        title,
        "Share that was done within so many milliseconds. Further left is faster.",
        line_plot(label, x, linear("", [1.0], share=True), curves, dots=False),
        _legend(list(known)),
    )


def _growth(systems: Mapping[str, SavedSystem]) -> Drawing | None:
    points = [
        row
        for system in systems.values()
        for row in system.growth
        if (row.get("messages") or 0) > 0
    ]
    names = list(dict.fromkeys(name for row in points for name in row if "_ms" in name))
    curves = {
        name: sorted((row["messages"] or 0.0, row[name]) for row in points if row.get(name))
        for name in names
    }
    curves = {name: places for name, places in curves.items() if places}
    if not curves:
        return None
    x = logarithmic(
        "messages in the store", [a for places in curves.values() for a, _ in places], 1.0
    )
    y = linear("", [b or 0.0 for places in curves.values() for _, b in places])
    label = "Milliseconds by messages in the store: " + "; ".join(
        f"{name}: " + ", ".join(f"{shown(b)} at {shown(a)}" for a, b in places)
        for name, places in curves.items()
    )
    return Drawing(
        "Growth with size",
        "Milliseconds of one retrieval as the store fills. Flat is what one wants.",
        line_plot(label, x, y, curves, dots=True),
        _legend(list(curves)),
    )


def _peers(systems: Mapping[str, SavedSystem]) -> list[Drawing]:
    measured = list(dict.fromkeys(name for one in systems.values() for name in one.metrics))
    drawn = []
    for metric in headlines("peers", measured):
        bars = {name: {name: one.metrics.get(metric)} for name, one in systems.items()}
        label = f"{metric}: " + ", ".join(
            f"{name} {shown(bar[name])}" for name, bar in bars.items()
        )
        svg = bar_plot(label, bars, share=meaning_of(metric).is_share)
        if svg:
            drawn.append(Drawing(metric, explained(metric), svg))
    return drawn


def _legend(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if len(names) < 2:
        return ()
    return tuple((tone_of(number), name) for number, name in enumerate(names))
