"""`recollect eval`: run a suite, print a table, say by the exit status whether it met its terms."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.console import Console

from evals.commands import options
from evals.commands.arguments import command_of, invoke
from evals.commands.compare import compare_results
from evals.commands.report import write_report
from evals.commands.suite_help import show_suite_help
from evals.errors import BadInputError
from evals.reports.page import write_page
from evals.reports.result import Run, write_json
from evals.reports.saved import saved_of
from evals.reports.tables import print_tables
from evals.suite.outputs import PLAIN_WIDTH, check_output
from evals.suite.progress import Progress
from evals.suite.registry import SUITES, Suite
from evals.suite.requirements import Requirement, parse_requirements
from evals.suite.run import Outcome, Request, Texts
from graph.settings import load_settings
from memory.errors import RecollectError

EXIT_UNMET = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

COMMANDS = {"compare": command_of(compare_results), "report": command_of(write_report)}
"""What may stand in place of a suite; each has a help of its own."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A suite's run as the command line asks for it."""

    suite: str
    cases: Sequence[Path]
    system: Sequence[str]
    limit: int | None
    orders: int | None
    sizes: Sequence[int]
    own: Sequence[int]
    cross_check: bool
    answers: bool
    seed: int
    json: Path | None
    html: Path | None
    require: Sequence[str]


def main(argv: list[str]) -> int:
    """Run `recollect eval` with these arguments.

    Returns:
        0; 1 a requirement was not met or a case failed to run; 2 bad input, before anything was
        ingested; 130 stopped by Ctrl-C.
    """
    try:
        if argv[:1] and argv[0] in COMMANDS:
            return invoke(COMMANDS[argv[0]], f"recollect eval {argv[0]}", argv[1:])
        if argv[:1] and argv[0] in SUITES and "--help" in argv:
            show_suite_help(argv[0], evaluate, _EPILOG)
        return invoke(_SUITES, "recollect eval", argv)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.TyperException as error:
        return _complain(error.format_message(), EXIT_BAD_INPUT)
    except BadInputError as error:
        return _complain(str(error), EXIT_BAD_INPUT)
    except RecollectError as error:
        return _complain(str(error), 1)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def evaluate(
    context: typer.Context,
    suite: options.SuiteName,
    cases: options.Cases = [],  # noqa: B006  typer copies it
    system: options.Systems = [],  # noqa: B006
    limit: options.Limit = None,
    orders: options.Orders = None,
    sizes: options.Sizes = [],  # noqa: B006
    own: options.Own = [],  # noqa: B006
    cross_check: options.CrossCheck = False,
    answers: options.Answers = False,
    seed: options.Seed = 0,
    json: options.JsonOut = None,
    html: options.HtmlOut = None,
    require: options.Requirements = [],  # noqa: B006
) -> int:
    """Run a suite."""
    asked = _Asked(
        suite=suite,
        cases=cases,
        system=system,
        limit=limit,
        orders=orders,
        sizes=sizes,
        own=own,
        cross_check=cross_check,
        answers=answers,
        seed=seed,
        json=json,
        html=html,
        require=require,
    )
    return _run(asked, context.obj)


_EPILOG = (
    "exit status: 0; 1 a --require was not met or a case failed; 2 bad input; 130 stopped by Ctrl-C"
)
_LISTING = "\n".join(f"{name:<10} {suite.summary}" for name, suite in SUITES.items())
_SUITES = command_of(
    evaluate,
    text="Measure the product on the stores that your settings name. A run has a tenant or a data"
    " folder of its own, which is removed afterwards: your memory is never touched."
    f"\n\n\b\nsuites:\n{_LISTING}"
    "\n\n\b\nresults:\n"
    "compare    what changed between two results, and whether it is noise\n"
    "report     the page of a result that --json wrote",
    epilog=_EPILOG,
)


def _run(asked: _Asked, argv: Sequence[str]) -> int:
    suite = SUITES[asked.suite]
    requirements = parse_requirements(asked.require)
    _check(asked, suite)
    _check_requirements(asked, suite, requirements)
    paths = _case_paths(asked, suite)
    files = suite.load(paths, asked.limit) if suite.needs_cases else []
    outcome = Outcome()
    started, clock = datetime.now(UTC), time.perf_counter()
    with Progress() as progress:
        request = Request(
            settings=load_settings(),
            files=tuple(files),
            systems=tuple(asked.system),
            limit=asked.limit,
            seed=asked.seed,
            progress=progress,
            orders=asked.orders,
            cross_check=asked.cross_check,
            answers=asked.answers,
            sizes=tuple(asked.sizes),
            own=tuple(asked.own),
        )
        _measure(suite, request, outcome)
    seconds = time.perf_counter() - clock
    run = Run(asked.suite, request, outcome, started, seconds, tuple(argv))
    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    print_tables(console, run)
    if asked.json is not None:
        write_json(asked.json, run)
        console.print(f"figures: {asked.json}", markup=False, highlight=False, soft_wrap=True)
    if asked.html is not None:
        texts = suite.texts(files) if suite.texts else Texts({})
        write_page(asked.html, saved_of(run), texts)
        console.print(f"page: {asked.html}", markup=False, highlight=False, soft_wrap=True)
    return _verdict(outcome, requirements)


def _measure(suite: Suite, request: Request, outcome: Outcome) -> None:
    """Run a suite; Ctrl-C ends it, and a second one also ends its cleaning up."""
    try:
        asyncio.run(suite.run(request, outcome))
    except KeyboardInterrupt:
        outcome.partial = True
        # Whoever stops a run twice is not helped by what its tasks say about their end.
        logging.getLogger("asyncio").disabled = True


def _verdict(outcome: Outcome, requirements: list[Requirement]) -> int:
    figures = {name: result.metrics for name, result in outcome.systems.items()}
    unmet = [text for one in requirements if (text := one.shortfall(figures))]
    for text in unmet:
        print(f"recollect eval: not met: {text}", file=sys.stderr)  # noqa: T201
    if outcome.partial:
        return EXIT_INTERRUPTED
    return EXIT_UNMET if unmet or outcome.failed else 0


def _check(asked: _Asked, suite: Suite) -> None:
    if asked.orders is not None and asked.suite != "loops":
        raise BadInputError(f"--orders is for loops: leave it out for {asked.suite}")
    for option, is_given in (("--cross-check", asked.cross_check), ("--answers", asked.answers)):
        if is_given and asked.suite != "recall":
            raise BadInputError(f"{option} is for recall: leave it out")
    for option, given in (("--sizes", asked.sizes), ("--own", asked.own)):
        if given and asked.suite != "latency":
            raise BadInputError(f"{option} is for latency: leave it out")
    if asked.cases and not suite.needs_cases:
        raise BadInputError(f"{asked.suite} reads no cases: leave --cases out")
    for name in asked.system:
        if not suite.takes(name):
            raise BadInputError(f"--system {name!r}: {asked.suite} knows {suite.known()}")
    check_output("--json", asked.json)
    check_output("--html", asked.html)
    if asked.json is not None and asked.json == asked.html:
        raise BadInputError(f"--json and --html name the same file: {asked.json}")


def _check_requirements(asked: _Asked, suite: Suite, requirements: list[Requirement]) -> None:
    """Refuse what no run of these arguments could meet. Raises BadInputError."""
    judged = asked.answers or asked.cross_check
    figures = [] if suite.figures is None or judged else list(suite.figures())
    for each in requirements:
        if figures and each.metric not in figures:
            raise BadInputError(
                f"--require {each.text!r}: {asked.suite} has no {each.metric}: it measures"
                f" {', '.join(figures)}"
            )
        if each.system not in asked.system and (asked.system or not suite.takes(each.system)):
            ran = ", ".join(asked.system) or suite.known()
            raise BadInputError(f"--require {each.text!r}: no {each.system} runs, but {ran}")


def _case_paths(asked: _Asked, suite: Suite) -> list[Path]:
    if asked.cases or not suite.needs_cases:
        return list(asked.cases)
    own = sorted(suite.own_cases.glob("*.jsonl")) if suite.own_cases else []
    if own:
        return own
    where = f": no cases of its own in {suite.own_cases}" if suite.own_cases else ""
    raise BadInputError(f"{asked.suite} needs --cases FILE{where}")


def _complain(line: str, status: int) -> int:
    print(f"recollect eval: {line}", file=sys.stderr)  # noqa: T201
    return status
