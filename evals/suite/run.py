"""What a suite is given and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from pydantic import BaseModel

from evals.suite.case_files import CaseFile
from evals.suite.progress import Progress
from graph.settings import Settings

Figures = dict[str, float | None]
"""Metrics by name; None where there was nothing to measure, which is never the same as zero."""

ItemId = tuple[str, str]
"""A case's id and the id of something in it: a question, a turn, a check."""


@dataclass(frozen=True, slots=True)
class Request:
    """One run as asked for on the command line; `systems` empty: all of the suite's own.

    `orders`: how many orders of deliveries the `loops` suite draws; None: its default.
    `cross_check`: also score with the peers' libraries, and compare. `answers`: also answer the
    questions, judged where there is a model. `sizes`: at how many messages in the store `latency`
    measures retrieval; empty: its default. `own`: the same for one person's own; empty: not.
    """

    settings: Settings
    files: tuple[CaseFile[BaseModel], ...]
    systems: tuple[str, ...]
    limit: int | None
    seed: int
    progress: Progress
    orders: int | None = None
    cross_check: bool = False
    answers: bool = False
    sizes: tuple[int, ...] = ()
    own: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One scored thing of a case: a question, a check, a dialogue. It holds no text.

    `groups`: the value that it counts under, by group (`category`, `lang`). `scores`: those of the
    suite's metrics that are a mean over items, for this item. `evidence`: what was looked for.
    `found`: what came instead, best first, as JSON: `id`, and what else explains it (`score`,
    `parts`).
    """

    case: str
    item: str
    groups: dict[str, str]
    scores: Figures
    evidence: tuple[str, ...] = ()
    found: tuple[dict[str, Any], ...] = ()  # Any: JSON


@dataclass(frozen=True, slots=True)
class Texts:
    """What a report shows of the ids in items: `items` the items' own, `sources` their evidence's.

    A source says who speaks, and when.
    """

    items: dict[ItemId, str]
    sources: dict[ItemId, str] = field(default_factory=dict)


@dataclass(slots=True)
class SystemResult:
    """One system's figures, over everything and by group (`category`) and value.

    `items`: what the means are over, so that a run can be looked into and compared. `details` are
    further keys of the JSON. A report draws these of them: `samples`, milliseconds by name
    (`search_ms`), thinned (`evals.suite.metrics.thinned`); `growth`, a list of `{"messages": n,
    "retrieve_ms_p50": x}`. `k` is how many hits each search was asked for.
    """

    metrics: Figures = field(default_factory=dict)
    by: dict[str, dict[str, Figures]] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)  # Any: a suite's own JSON


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that could not be run, and why. It counts in no figure."""

    case: str
    system: str
    reason: str

    @classmethod
    def of(cls, case: str, system: str, error: Exception) -> Self:
        """Return the failure that an error is: its type, and the first line of what it says."""
        return cls(case, system, f"{type(error).__name__}: {error}".splitlines()[0])


@dataclass(slots=True)
class Outcome:
    """What a run measured so far. A suite fills it as it goes, so that Ctrl-C keeps it.

    `skipped`: systems that could not run, and why. `notes`: what a reader of the figures must know.
    """

    embedder: str = ""
    model: str | None = None
    systems: dict[str, SystemResult] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    partial: bool = False


def select(known: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Return the systems to run, in the suite's order; all when none is asked for."""
    return [name for name in known if not asked or name in asked]
