"""What a model added to the searches of a run: how often it was asked for, and in vain. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from evals.suite.metrics import mean, percentile
from evals.suite.run import Figures
from memory.recall.stages import Stage


def stage_figures(searches: Sequence[Sequence[Stage]]) -> dict[str, Figures]:
    """Return the figures of each stage that ran, by its name.

    `searches` that it was part of, how many of them `fell_back` to what is found without it, and
    the milliseconds that it took, the waiting in vain among them.
    """
    by_name: defaultdict[str, list[Stage]] = defaultdict(list)
    for stage in (stage for stages in searches for stage in stages):
        by_name[stage.name].append(stage)
    return {
        name: {
            "searches": float(len(stages)),
            "fell_back": float(sum(stage.fell_back for stage in stages)),
            "ms_mean": mean([stage.ms for stage in stages]),
            "ms_p50": percentile([stage.ms for stage in stages], 0.5),
            "ms_p95": percentile([stage.ms for stage in stages], 0.95),
        }
        for name, stages in by_name.items()
    }


def stage_notes(figures: Mapping[str, Figures], model: str) -> list[str]:
    """Return a line for each stage, for whoever reads the other figures."""
    return [
        f"{name} by {model}: {each['searches']:,.0f} searches, {each['fell_back']:,.0f} fell back,"
        f" p50 {each['ms_p50']:,.0f} ms, p95 {each['ms_p95']:,.0f} ms"
        for name, each in figures.items()
    ]
