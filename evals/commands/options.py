"""The options of `recollect eval SUITE`: how each is written, and what its help says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from evals.suite.registry import SUITES

COMMANDS: Final = ("compare", "report")
"""What stands in a suite's place, beside the suites."""


def _positive(given: int | None) -> int | None:
    if given is not None and given < 1:
        raise typer.BadParameter("must be at least 1")
    return given


def _all_positive(given: list[int]) -> list[int]:
    for number in given:
        _positive(number)
    return given


def _known(given: str) -> str:
    if given not in SUITES:
        choices = ", ".join([*SUITES, *COMMANDS])
        raise typer.BadParameter(f"invalid choice: {given!r} (one of {choices})")
    return given


SuiteName = Annotated[
    str, typer.Argument(metavar="SUITE", callback=_known, help="One of the above.")
]
Cases = Annotated[
    list[Path],
    typer.Option(
        metavar="FILE...",
        help="Case files, a JSON object a line; without it the suite's own, where it has some.",
    ),
]
Systems = Annotated[
    list[str],
    typer.Option(
        metavar="NAME...",
        help="Run only these systems; the product is 'recollect'; recall and peers take any"
        " module:Class, too.",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=_positive,
        help="Only the first N cases of each file (latency: N turns).",
    ),
]
Orders = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=_positive,
        help="loops: how many orders of the shuffled cases' deliveries to play (10,000).",
    ),
]
Sizes = Annotated[
    list[int],
    typer.Option(
        metavar="N...",
        callback=_all_positive,
        help="latency: at how many messages in the store retrieval is timed (1000 10000 100000).",
    ),
]
Own = Annotated[
    list[int],
    typer.Option(
        metavar="N...",
        callback=_all_positive,
        help="latency: at how many messages of one person's own it is timed, too (none).",
    ),
]
CrossCheck = Annotated[
    bool,
    typer.Option(
        "--cross-check",
        help="recall: score by ragas' id-based metrics too; they must agree with ours.",
    ),
]
Answers = Annotated[
    bool,
    typer.Option(
        "--answers",
        help="recall: answer, too: by the model that your settings name, judged by it; without"
        " one by the offline responder, scored by the answer's words.",
    ),
]
Seed = Annotated[int, typer.Option(metavar="S", help="Seed of what is drawn.")]
JsonOut = Annotated[Path | None, typer.Option(metavar="OUT", help="Write the figures as JSON.")]
HtmlOut = Annotated[
    Path | None,
    typer.Option(metavar="OUT", help="Write a page: one file, which loads nothing."),
]
Requirements = Annotated[
    list[str],
    typer.Option(
        metavar="'NAME>=VALUE'...",
        help="Fail unless this holds, e.g. 'frac@10>=0.65' or 'bm25:mrr<0.5'.",
    ),
]
