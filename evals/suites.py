"""The suites that there are. Adding one is an entry here."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals import latency_suite, recall_suite
from evals.case_files import CaseFile
from evals.cases import load_cases
from evals.loops import suite as loops_suite
from evals.loops.cases import load_loop_cases
from evals.run import Outcome, Request


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite: what it shows in a line, whether it reads cases, what it compares.

    `own_cases` is the folder whose files run without `--cases`.
    """

    summary: str
    needs_cases: bool
    systems: tuple[str, ...]
    run: Callable[[Request, Outcome], Coroutine[None, None, None]]
    load: Callable[[Sequence[Path], int | None], Sequence[CaseFile]] = load_cases
    own_cases: Path | None = None


SUITES: dict[str, Suite] = {
    "recall": Suite(
        "is the evidence for a question among what is recalled? (needs --cases)",
        needs_cases=True,
        systems=recall_suite.SYSTEMS,
        run=recall_suite.run_recall,
    ),
    "loops": Suite(
        "webhooks in many orders: is everything answered once, and nothing else?",
        needs_cases=True,
        systems=loops_suite.SYSTEMS,
        run=loops_suite.run_loops,
        load=load_loop_cases,
        own_cases=loops_suite.DEFAULT_CASES,
    ),
    "latency": Suite(
        "a turn against LangGraph's bare floor, and where the time goes (no cases)",
        needs_cases=False,
        systems=latency_suite.SYSTEMS,
        run=latency_suite.run_latency,
    ),
}
