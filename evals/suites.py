"""The suites that there are. Adding one is an entry here."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from evals import latency_suite, recall_suite
from evals.run import Outcome, Request


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite: what it shows in a line, whether it reads cases, what it compares."""

    summary: str
    needs_cases: bool
    systems: tuple[str, ...]
    run: Callable[[Request, Outcome], Coroutine[None, None, None]]


SUITES: dict[str, Suite] = {
    "recall": Suite(
        "is the evidence for a question among what is recalled? (needs --cases)",
        needs_cases=True,
        systems=recall_suite.SYSTEMS,
        run=recall_suite.run_recall,
    ),
    "latency": Suite(
        "a turn against LangGraph's bare floor, and where the time goes (no cases)",
        needs_cases=False,
        systems=latency_suite.SYSTEMS,
        run=latency_suite.run_latency,
    ),
}
