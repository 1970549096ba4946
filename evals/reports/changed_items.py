"""Which items got better from one result to the other, and which worse. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.reports.comparison import keyed
from evals.reports.meanings import meaning_of
from evals.reports.page.worst import worst_metrics
from evals.reports.saved import SavedSystem

_SAME = 1e-6
"""Item scores are rounded to six digits."""


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """One item that both have, and its score in each by one metric."""

    case: str
    item: str
    metric: str
    a: float
    b: float
    is_better: bool


@dataclass(frozen=True, slots=True)
class ChangedItems:
    """Items that changed, what changed most first; `same`: how many scores did not."""

    better: tuple[ChangedItem, ...]
    worse: tuple[ChangedItem, ...]
    same: int


def changed_items(suite: str, a: SavedSystem, b: SavedSystem) -> ChangedItems:
    """Compare what both have, by the metrics by which a suite's worst cases are chosen."""
    left, right = keyed(a.items), keyed(b.items)
    metrics = [name for name in worst_metrics(suite, a) if name in worst_metrics(suite, b)]
    changed: list[ChangedItem] = []
    same = 0
    for key in sorted(left.keys() & right.keys()):
        for metric in metrics:
            before, after = left[key].scores.get(metric), right[key].scores.get(metric)
            if before is None or after is None:
                continue
            if abs(after - before) <= _SAME:
                same += 1
                continue
            is_better = (after > before) == (meaning_of(metric, suite).better == "higher")
            changed.append(ChangedItem(key[0], key[1], metric, before, after, is_better))
    return ChangedItems(
        _most_first([one for one in changed if one.is_better]),
        _most_first([one for one in changed if not one.is_better]),
        same,
    )


def _most_first(items: Sequence[ChangedItem]) -> tuple[ChangedItem, ...]:
    return tuple(sorted(items, key=lambda one: (-abs(one.b - one.a), one.case, one.item)))
