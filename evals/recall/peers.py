"""The `peers` suite: what other memories cost and find, beside the product, on the same cases.

Every system runs in a process of its own, one after the other, with the same embedder where it
takes one, on the same texts. What is not installed is skipped by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evals.recall.cases import RecallCase
from evals.recall.scores import score
from evals.suite.case_files import cases_of
from evals.suite.requirements import PRODUCT
from evals.suite.run import Figures, Item, Outcome, Request, SystemResult, select
from evals.suite.workspace import run_folder
from evals.systems.driver import Candidate, Played, Run, candidates, play
from evals.systems.footprint import MB
from evals.systems.registry import PEERS, demand, installed, is_target

SYSTEMS = (PRODUCT, *PEERS)
RANKED = 10
"""How many turns a search is asked for: as many as a prompt shows."""

_QUALITY = ("frac@10", "all@10")


async def run_peers(request: Request, outcome: Outcome) -> None:
    """Run every case through every system that is installed, a system at a time.

    Raises:
        BadInputError: a system that was asked for by name cannot run.
    """
    cases = cases_of(request.files, RecallCase)
    names = systems_of(request, outcome)
    async with run_folder() as folder:
        systems = await candidates(names, folder)
        request.progress.expect(sum(len(case.questions) + 1 for case in cases) * len(systems))
        run = Run(cases, RANKED, request.settings, folder, request.progress, "peers")
        for system in systems:
            await measure(system, run, outcome)


def systems_of(request: Request, outcome: Outcome) -> list[str]:
    """Return the names of the systems to run; list those that are not installed as skipped.

    Raises:
        BadInputError: one that was asked for by name is not installed.
    """
    known = select(SYSTEMS, request.systems)
    peers = [name for name in known if name in PEERS]
    if request.systems:
        demand(peers)
    _, outcome.skipped = installed(peers)
    others = [name for name in request.systems if is_target(name)]
    return [name for name in known if name not in outcome.skipped] + others


async def measure(system: Candidate, run: Run, outcome: Outcome) -> None:
    """Run a system; what it did so far is in `outcome` however it ends."""
    played = Played()
    try:
        await play(system, run, played)
    finally:
        outcome.systems[system.name] = figures(system, played)
        outcome.failed += played.failed
        outcome.embedder = outcome.embedder or played.embedder or ""
        if played.baseline is not None and not outcome.notes:
            outcome.notes.append(
                f"rss_mb: the process's peak beyond the {played.baseline / MB:.0f} MB of Python"
                " with the suite imported, and its servers' peak; disk_mb: after the last case"
            )


def figures(system: Candidate, played: Played) -> SystemResult:
    """Return the suite's figures of one system; quality by category as well."""
    scored = score(played.answered, played.ingested, played.ingest_s)
    has_run = bool(played.ingested)
    metrics: Figures = {
        "ingest_per_s": scored.metrics["ingest_per_s"] if has_run else None,
        "ingest_overhead_ms": _overhead_ms(played),
        "search_ms_p50": scored.metrics["search_ms_p50"],
        **_kept(scored.metrics),
        "rss_mb": _megabytes(played.resident) if has_run else None,
        "disk_mb": _megabytes(played.disk) if has_run else None,
    }
    by = {
        group: {value: _kept(figures) for value, figures in values.items()}
        for group, values in scored.by.items()
    }
    details = {
        "system": PEERS[system.name].versions() if system.name in PEERS else system.target,
        "ingest": {
            "messages": played.ingested,
            "seconds": round(played.ingest_s, 3),
            "embedded_texts": played.embedded,
            "embedding_alone_seconds": _rounded(played.embedding_s),
        },
        "memory_mb": {
            "baseline": _rounded(_megabytes(played.baseline)),
            "process_peak": _rounded(_megabytes(played.peak)),
            "servers_peak": _rounded(_megabytes(played.servers)),
        },
    }
    return SystemResult(metrics, by, _items(scored.items), scored.details | details)


def _overhead_ms(played: Played) -> float | None:
    """Return a message's mean ingest time beyond what embedding it takes by itself.

    As measured: below zero where the system embedded faster than all texts in one call.
    """
    if played.embedding_s is None or not played.ingested:
        return None
    return (played.ingest_s - played.embedding_s) / played.ingested * 1000


def _kept(figures: Figures) -> Figures:
    return {name: figures[name] for name in _QUALITY}


def _items(items: Sequence[Item]) -> list[Item]:
    return [replace(item, scores=_kept(item.scores)) for item in items]


def _megabytes(size: int | None) -> float | None:
    return None if size is None else size / MB


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
