"""What a suite is given and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.case_files import CaseFile
from evals.progress import Progress
from graph.settings import Settings

Figures = dict[str, float | None]
"""Metrics by name; None where there was nothing to measure, which is never the same as zero."""


@dataclass(frozen=True, slots=True)
class Request:
    """One run as asked for on the command line; `systems` empty: all of the suite's own.

    `orders`: how many orders of deliveries the `loops` suite draws; None: its default.
    """

    settings: Settings
    files: tuple[CaseFile, ...]
    systems: tuple[str, ...]
    limit: int | None
    seed: int
    progress: Progress
    orders: int | None = None


@dataclass(slots=True)
class SystemResult:
    """One system's figures, over everything and by group (`category`) and value.

    `details` are further keys of the JSON, beside `metrics` and `by`.
    """

    metrics: Figures = field(default_factory=dict)
    by: dict[str, dict[str, Figures]] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)  # Any: a suite's own JSON


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that could not be run, and why. It counts in no figure."""

    case: str
    system: str
    reason: str


@dataclass(slots=True)
class Outcome:
    """What a run measured so far. A suite fills it as it goes, so that Ctrl-C keeps it."""

    embedder: str = ""
    model: str | None = None
    systems: dict[str, SystemResult] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    partial: bool = False


def select(known: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Return the systems to run, in the suite's order; all when none is asked for."""
    return [name for name in known if not asked or name in asked]
