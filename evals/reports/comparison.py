"""Two results of one suite, metric by metric: what changed, and whether that is noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from evals.reports.bootstrap import (
    Interval,
    Numbers,
    Units,
    interval,
    units_of,
    weighted_auroc,
    weights,
)
from evals.reports.meanings import meaning_of
from evals.reports.saved import Saved, SavedItem, SavedSystem
from evals.suite.metrics import auroc

Verdict = Literal["better", "worse", "changed", "noise", "too few", "no items"]

AUROC = "abstain_auroc"
_CONFIDENCE, _LABEL = "confidence", "is_answerable"
_SAME_MEAN = 1e-4  # item scores are rounded to six digits
_WHOLE = ("", "")


@dataclass(frozen=True, slots=True)
class Change:
    """One metric in both results. `interval`: of the difference B - A; None where there is none.

    `items`: how many matched items it rests on; 0 where the metric is no mean over items, and A and
    B are then the results' own figures.
    """

    a: float | None
    b: float | None
    interval: Interval | None
    verdict: Verdict
    items: int

    @property
    def difference(self) -> float | None:
        """B - A; None where one of them was not measured."""
        return None if self.a is None or self.b is None else self.b - self.a


@dataclass(frozen=True, slots=True)
class Comparison:
    """All metrics that both have, over everything and by group and value.

    `unit`: what the bootstrap drew. `only_a`, `only_b`: items without a partner, left out.
    """

    matched: int
    only_a: int
    only_b: int
    unit: Literal["case", "item"]
    units: int
    metrics: dict[str, Change]
    by: dict[str, dict[str, dict[str, Change]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Pairs:
    a: tuple[SavedItem, ...]
    b: tuple[SavedItem, ...]

    def column(self, metric: str) -> tuple[Numbers, Numbers]:
        return _scores(self.a, metric), _scores(self.b, metric)

    def within(self, group: str, value: str) -> npt.NDArray[np.bool_]:
        if not group:
            return np.ones(len(self.a), np.bool_)
        # An item with several tags has them in one text, as in "negation, family".
        own = [one.groups.get(group, "") for one in self.a]
        return np.array([value == one or value in one.split(", ") for one in own], np.bool_)


def compare(
    suite: str, a: SavedSystem, b: SavedSystem, samples: int, seed: int, only: Sequence[str] = ()
) -> Comparison:
    """Compare one system's results; `only`: these metrics, else all that both have."""
    left, right = keyed(a.items), keyed(b.items)
    keys = sorted(left.keys() & right.keys())
    pairs = _Pairs(tuple(left[key] for key in keys), tuple(right[key] for key in keys))
    units = units_of([key[0] for key in keys])
    names = [name for name in a.metrics if name in b.metrics and (not only or name in only)]
    means = [name for name in names if _is_mean(a, name) and _is_mean(b, name)]
    areas = [name for name in names if name == AUROC and _has_labels(pairs)]
    places = [_WHOLE, *_groups(a, b)]
    drawn = _Drawn(suite, pairs, units, places)
    changes = drawn.changes(means, areas, samples, seed) if keys else {}

    def filled(place: tuple[str, str], mine: Saved, theirs: Saved) -> dict[str, Change]:
        return {
            name: changes.get((place, name)) or _bare(mine.get(name), theirs.get(name))
            for name in names
            if (place, name) in changes or (name in mine and name in theirs)
        }

    by: dict[str, dict[str, dict[str, Change]]] = {}
    for group, value in places[1:]:
        found = filled((group, value), a.by[group][value], b.by[group][value])
        by.setdefault(group, {})[value] = found
    return Comparison(
        len(keys),
        len(left) - len(keys),
        len(right) - len(keys),
        units.kind,
        units.count,
        filled(_WHOLE, a.metrics, b.metrics),
        by,
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The bootstrap of every metric in every place, from the same draws."""

    suite: str
    pairs: _Pairs
    units: Units
    places: Sequence[tuple[str, str]]

    def changes(
        self, means: Sequence[str], areas: Sequence[str], samples: int, seed: int
    ) -> dict[tuple[tuple[str, str], str], Change]:
        within = {place: self.pairs.within(*place) for place in self.places}
        columns, chosen = self._columns(means, within)
        labelled = self._labelled(within) if areas else {}
        sums: list[Numbers] = []
        areas_drawn: dict[tuple[str, str], list[Numbers]] = {place: [] for place in labelled}
        for block in weights(self.units, samples, seed):
            if chosen:
                sums.append(block @ columns)
            for place, area in labelled.items():
                areas_drawn[place].append(area(block))
        found: dict[tuple[tuple[str, str], str], Change] = {}
        totals = np.vstack(sums) if sums else np.empty((0, 0))
        for number, (place, name) in enumerate(chosen):
            with np.errstate(invalid="ignore", divide="ignore"):
                drawn = totals[:, 2 * number] / totals[:, 2 * number + 1]
            found[place, name] = self._mean_change(name, within[place], drawn)
        for place, blocks in areas_drawn.items():
            found[place, AUROC] = self._area_change(within[place], np.concatenate(blocks))
        return found

    def _columns(
        self, means: Sequence[str], within: Mapping[tuple[str, str], npt.NDArray[np.bool_]]
    ) -> tuple[Numbers, list[tuple[tuple[str, str], str]]]:
        columns: list[Numbers] = []
        chosen = []
        for name in means:
            a, b = self.pairs.column(name)
            for place, mask in within.items():
                counts = mask & np.isfinite(a) & np.isfinite(b)
                if counts.any():
                    columns += [np.where(counts, b - a, 0.0), counts.astype(np.float64)]
                    chosen.append((place, name))
        return np.column_stack(columns) if columns else np.empty((0, 0)), chosen

    def _labelled(
        self, within: Mapping[tuple[str, str], npt.NDArray[np.bool_]]
    ) -> dict[tuple[str, str], Callable[[Numbers], Numbers]]:
        a, b = self.pairs.column(_CONFIDENCE)
        positive = self.pairs.column(_LABEL)[0] > 0

        def area(mask: npt.NDArray[np.bool_]) -> Callable[[Numbers], Numbers]:
            return lambda block: (
                weighted_auroc(block[:, mask], b[mask], positive[mask])
                - weighted_auroc(block[:, mask], a[mask], positive[mask])
            )

        known = np.isfinite(a) & np.isfinite(b)
        masks = {place: mask & known for place, mask in within.items()}
        return {
            place: area(mask)
            for place, mask in masks.items()
            if positive[mask].any() and not positive[mask].all()
        }

    def _mean_change(self, name: str, mask: npt.NDArray[np.bool_], drawn: Numbers) -> Change:
        a, b = self.pairs.column(name)
        counts = mask & np.isfinite(a) & np.isfinite(b)
        return self._change(name, float(a[counts].mean()), float(b[counts].mean()), counts, drawn)

    def _area_change(self, mask: npt.NDArray[np.bool_], drawn: Numbers) -> Change:
        a, b = self.pairs.column(_CONFIDENCE)
        counts = mask & np.isfinite(a) & np.isfinite(b)
        positive = self.pairs.column(_LABEL)[0] > 0
        of = [auroc(x[counts & positive].tolist(), x[counts & ~positive].tolist()) for x in (a, b)]
        return self._change(AUROC, of[0] or 0.0, of[1] or 0.0, counts, drawn)

    def _change(
        self, name: str, a: float, b: float, counts: npt.NDArray[np.bool_], drawn: Numbers
    ) -> Change:
        units = len(np.unique(self.units.of[counts]))
        bounds = interval(drawn, units)
        verdict = _verdict(meaning_of(name, self.suite).better, bounds)
        return Change(a, b, bounds, verdict, int(counts.sum()))


def _verdict(better: str, bounds: Interval | None) -> Verdict:
    if bounds is None:
        return "too few"
    if bounds.low <= 0 <= bounds.high:
        return "noise"
    if better == "neither":
        return "changed"
    return "better" if (bounds.low > 0) == (better == "higher") else "worse"


def _bare(a: float | None, b: float | None) -> Change:
    return Change(a, b, None, "no items", 0)


def keyed(items: Sequence[SavedItem]) -> dict[tuple[str, str, int], SavedItem]:
    """Return items by case, id and, where both are used again, the how manyth it is."""
    seen: Counter[tuple[str, str]] = Counter()
    keyed = {}
    for item in items:
        key = (item.case, item.item)
        keyed[*key, seen[key]] = item
        seen[key] += 1
    return keyed


def _scores(items: Sequence[SavedItem], metric: str) -> Numbers:
    values = [item.scores.get(metric) for item in items]
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _is_mean(system: SavedSystem, metric: str) -> bool:
    """Whether a metric is the mean of its items' scores, so that drawing items means something."""
    figure = system.metrics.get(metric)
    scores = _scores(system.items, metric)
    scores = scores[np.isfinite(scores)]
    if figure is None or not len(scores):
        return False
    return abs(float(scores.mean()) - figure) <= _SAME_MEAN * max(1.0, abs(figure))


def _has_labels(pairs: _Pairs) -> bool:
    return any(
        item.scores.get(_CONFIDENCE) is not None and item.scores.get(_LABEL) is not None
        for item in pairs.a
    )


def _groups(a: SavedSystem, b: SavedSystem) -> list[tuple[str, str]]:
    return [
        (group, value)
        for group, values in a.by.items()
        for value in values
        if value in b.by.get(group, {})
    ]
