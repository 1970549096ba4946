"""`recollect eval`: run a suite, print a table, say by the exit status whether it met its terms."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from evals.commands.compare import run_compare
from evals.commands.report import run_report
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

COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "compare": run_compare,
    "report": run_report,
}
"""What may stand in place of a suite; each has a help of its own."""


def main(argv: list[str]) -> int:
    """Run `recollect eval` with these arguments.

    Returns:
        0; 1 a requirement was not met or a case failed to run; 2 bad input, before anything was
        ingested; 130 stopped by Ctrl-C.
    """
    try:
        if argv[:1] and argv[0] in COMMANDS:
            return COMMANDS[argv[0]](argv[1:])
        return _run(_parser().parse_args(argv), argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    except BadInputError as error:
        return _complain(error, EXIT_BAD_INPUT)
    except RecollectError as error:
        return _complain(error, 1)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _run(arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    suite = SUITES[arguments.suite]
    requirements = parse_requirements(arguments.require)
    _check(arguments, suite)
    paths = _case_paths(arguments, suite)
    files = suite.load(paths, arguments.limit) if suite.needs_cases else []
    outcome = Outcome()
    started, clock = datetime.now(UTC), time.perf_counter()
    with Progress() as progress:
        request = Request(
            settings=load_settings(),
            files=tuple(files),
            systems=tuple(arguments.system),
            limit=arguments.limit,
            seed=arguments.seed,
            progress=progress,
            orders=arguments.orders,
            cross_check=arguments.cross_check,
            answers=arguments.answers,
            sizes=tuple(arguments.sizes),
        )
        _measure(suite, request, outcome)
    seconds = time.perf_counter() - clock
    run = Run(arguments.suite, request, outcome, started, seconds, tuple(argv))
    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    print_tables(console, run)
    if arguments.json is not None:
        write_json(arguments.json, run)
    if arguments.html is not None:
        texts = suite.texts(files) if suite.texts else Texts({})
        write_page(arguments.html, saved_of(run), texts)
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


def _check(arguments: argparse.Namespace, suite: Suite) -> None:
    if arguments.orders is not None and arguments.suite != "loops":
        raise BadInputError(f"--orders is for loops: leave it out for {arguments.suite}")
    for flag in ("cross_check", "answers"):
        if getattr(arguments, flag) and arguments.suite != "recall":
            raise BadInputError(f"--{flag.replace('_', '-')} is for recall: leave it out")
    if arguments.sizes and arguments.suite != "latency":
        raise BadInputError("--sizes is for latency: leave it out")
    if arguments.cases and not suite.needs_cases:
        raise BadInputError(f"{arguments.suite} reads no cases: leave --cases out")
    for name in arguments.system:
        if not suite.takes(name):
            raise BadInputError(f"--system {name!r}: {arguments.suite} knows {suite.known()}")
    check_output("--json", arguments.json)
    check_output("--html", arguments.html)
    if arguments.json is not None and arguments.json == arguments.html:
        raise BadInputError(f"--json and --html name the same file: {arguments.json}")


def _case_paths(arguments: argparse.Namespace, suite: Suite) -> list[Path]:
    if arguments.cases or not suite.needs_cases:
        return list(arguments.cases)
    own = sorted(suite.own_cases.glob("*.jsonl")) if suite.own_cases else []
    if own:
        return own
    where = f": no cases of its own in {suite.own_cases}" if suite.own_cases else ""
    raise BadInputError(f"{arguments.suite} needs --cases FILE{where}")


def _parser() -> argparse.ArgumentParser:
    listing = "\n".join(f"  {name:<10} {suite.summary}" for name, suite in SUITES.items())
    parser = argparse.ArgumentParser(
        prog="recollect eval",
        description="Measure the product on the stores that your settings name. A run has a"
        " tenant or a data folder of its own,\nwhich is removed afterwards: your memory is"
        " never touched.\n\nsuites:\n" + listing + "\n\nresults:\n"
        "  compare    what changed between two results, and whether it is noise\n"
        "  report     the page of a result that --json wrote",
        epilog="exit status: 0; 1 a --require was not met or a case failed; 2 bad input;"
        " 130 stopped by Ctrl-C",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("suite", choices=list(SUITES), metavar="SUITE", help="one of the above")
    parser.add_argument(
        "--cases",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="FILE",
        help="case files, a JSON object a line; without it the suite's own, where it has some",
    )
    parser.add_argument(
        "--system",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="run only these systems; the product is 'recollect'; recall and peers take any"
        " module:Class, too",
    )
    parser.add_argument(
        "--limit",
        type=_positive,
        metavar="N",
        help="only the first N cases of each file (latency: N turns)",
    )
    parser.add_argument(
        "--orders",
        type=_positive,
        metavar="N",
        help="loops: how many orders of the shuffled cases' deliveries to play (10,000)",
    )
    parser.add_argument(
        "--sizes",
        nargs="+",
        type=_positive,
        default=[],
        metavar="N",
        help="latency: at how many messages in the store retrieval is timed (1000 10000 100000)",
    )
    parser.add_argument(
        "--cross-check",
        action="store_true",
        help="recall: score by ragas' id-based metrics too; they must agree with ours",
    )
    parser.add_argument(
        "--answers",
        action="store_true",
        help="recall: generate and judge answers too, by the model that your settings name",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of what is drawn")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures as JSON")
    parser.add_argument(
        "--html", type=Path, metavar="OUT", help="write a page: one file, which loads nothing"
    )
    parser.add_argument(
        "--require",
        nargs="+",
        action="extend",
        default=[],
        metavar="'NAME>=VALUE'",
        help="fail unless this holds, e.g. 'frac@10>=0.65' or 'bm25:mrr<0.5'",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _complain(error: RecollectError, status: int) -> int:
    print(f"recollect eval: {error}", file=sys.stderr)  # noqa: T201
    return status
