"""Scores of the `open_loops` suite from what was listed at each check. Pure.

A listed loop is right where a label `open` has its turn and kind; one that a label `allowed` has
counts neither way; any other is wrong. Counts of all checks are pooled.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evals.open_loops.cases import LoopCheck, OpenLoopCase
from evals.suite.run import Figures, Item, SystemResult

Key = tuple[str, str]
"""A turn's id and a kind."""


class Listed(NamedTuple):
    """A loop that was listed: its turn, its kind, and the day it is due as ISO 8601."""

    turn: str
    kind: str
    due: str | None


@dataclass(frozen=True, slots=True)
class Checked:
    """One check of a case and what was listed then."""

    case: OpenLoopCase
    number: int
    listed: tuple[Listed, ...]

    @property
    def check(self) -> LoopCheck:
        """What should have been listed."""
        return self.case.checks[self.number]


def score(checked: Sequence[Checked]) -> SystemResult:
    """Return the figures over all checks, by kind, by language and by tag."""
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    langs: defaultdict[str, Counter[str]] = defaultdict(Counter)
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    for one in checked:
        for kind, counts in _counts(one).items():
            kinds[kind] += counts
            total += counts
            langs[one.case.lang] += counts
            for tag in one.case.tags:
                if not tag.startswith("voice:"):
                    tags[tag] += counts
    return SystemResult(
        {"checks": float(len(checked)), **figures(total)},
        {
            "kind": _grouped(kinds),
            "lang": _grouped(langs),
            "tag": _grouped(tags),
        },
        [_item(one) for one in checked],
    )


def figures(counts: Counter[str]) -> Figures:
    """Return the metrics of pooled counts; None where there was nothing to measure."""
    right, listed, wanted = counts["right"], counts["right"] + counts["wrong"], counts["wanted"]
    return {
        "wanted": float(wanted),
        "recall": _share(right, wanted),
        "precision": _share(right, listed),
        "f1": _share(2 * right, listed + wanted),
        "precision_any_kind": _share(right + counts["other_kind"], listed),
        "closed_violations": _share(counts["violations"], counts["closed"]),
        "due_right": _share(counts["due_right"], counts["due"]),
    }


def _counts(one: Checked) -> dict[str, Counter[str]]:
    """Return what counts at a check, by kind."""
    check = one.check
    found: dict[Key, str | None] = {(each.turn, each.kind): each.due for each in one.listed}
    wanted: dict[Key, str | None] = {(each.turn, each.kind): each.due for each in check.open}
    closed = {(each.turn, each.kind) for each in check.closed}
    allowed = {(each.turn, each.kind) for each in check.allowed} - wanted.keys()
    turns = {turn for turn, _ in wanted}
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, due in wanted.items():
        tally = counts[key[1]]
        tally["wanted"] += 1
        if key in found:
            tally["right"] += 1
            if due is not None:
                tally["due"] += 1
                tally["due_right"] += found[key] == due
    for key in found.keys() - wanted.keys() - allowed:
        counts[key[1]]["wrong"] += 1
        counts[key[1]]["other_kind"] += key[0] in turns
    for key in closed - wanted.keys():
        counts[key[1]]["closed"] += 1
        counts[key[1]]["violations"] += key in found
    return counts


def _grouped(groups: dict[str, Counter[str]]) -> dict[str, Figures]:
    return {name: figures(counts) for name, counts in sorted(groups.items())}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _item(one: Checked) -> Item:
    total: Counter[str] = sum(_counts(one).values(), Counter())
    own = figures(total)
    return Item(
        case=one.case.case_id,
        item=f"{one.number}:{one.check.after}",
        groups={"lang": one.case.lang},
        scores={name: own[name] for name in ("recall", "precision", "f1")},
        evidence=tuple(_names((each.turn, each.kind) for each in one.check.open)),
        found=tuple({"id": name} for name in _names((x.turn, x.kind) for x in one.listed)),
    )


def _names(keys: Iterable[Key]) -> list[str]:
    return [f"{turn} {kind}" for turn, kind in keys]
