"""What may be compared with what, and what has to be said beside it; for any who show it."""

from __future__ import annotations

from evals.errors import BadInputError
from evals.reports.bootstrap import FEWEST
from evals.reports.comparison import Comparison
from evals.reports.meanings import shown
from evals.reports.saved import SavedResult, SavedSystem
from evals.suite.requirements import PRODUCT


def check_suites(a: SavedResult, b: SavedResult, a_name: str, b_name: str) -> None:
    """Refuse results of two suites.

    Raises:
        BadInputError: the suites differ.
    """
    if a.suite != b.suite:
        raise BadInputError(
            f"{a_name} is of suite {a.suite}, {b_name} of {b.suite}: nothing to compare"
        )


def systems_to_compare(a: SavedResult, b: SavedResult, asked: str | None = None) -> tuple[str, str]:
    """Return the system of each file: the product, or what was asked for (`NAME` or `A:B`).

    Raises:
        BadInputError: one of them has no such system, or it has to be said which.
    """
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


def warnings_of(
    a: SavedResult, b: SavedResult, mine: SavedSystem, theirs: SavedSystem
) -> list[str]:
    """Return what makes two results hard to compare, a line each."""
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


def footnotes(result: Comparison, samples: int, seed: int) -> list[str]:
    """Return what a reader of a comparison must know: what it rests on, and what that means."""
    lines = [f"{result.matched:,} items are in both."]
    if result.only_a or result.only_b:
        lines[0] += f" Left out: {result.only_a:,} only in A, {result.only_b:,} only in B."
    if not result.matched:
        return [*lines, "Without items there are no intervals: these are single figures."]
    drawn = f"{result.units:,} {result.unit}s"
    lines.append(
        f"Intervals: 95 %, paired bootstrap of {drawn}, {samples:,} samples,"
        f" seed {seed}. One of twenty that are noise looks real."
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


def signed(value: float | None) -> str:
    """Return a difference as people read it."""
    if value is None:
        return "–"
    return f"+{shown(value)}" if value > 0 else shown(value).replace("-", "−")
