"""`recollect eval`: run a suite, print a table, say by the exit status whether it met its terms."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from evals.errors import BadInputError
from evals.progress import Progress
from evals.reports.result import Run, write_json
from evals.reports.tables import print_tables
from evals.requirements import Requirement, parse_requirements
from evals.run import Outcome, Request
from evals.suites import SUITES, Suite
from graph.settings import load_settings
from memory.errors import RecollectError

EXIT_UNMET = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
_PLAIN_WIDTH = 160


def main(argv: list[str]) -> int:
    """Run `recollect eval` with these arguments.

    Returns:
        0; 1 a requirement was not met or a case failed to run; 2 bad input, before anything was
        ingested; 130 stopped by Ctrl-C.
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return _run(arguments)
    except BadInputError as error:
        return _complain(error, EXIT_BAD_INPUT)
    except RecollectError as error:
        return _complain(error, 1)


def _run(arguments: argparse.Namespace) -> int:
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
        )
        try:
            asyncio.run(suite.run(request, outcome))
        except KeyboardInterrupt:
            outcome.partial = True
    run = Run(arguments.suite, request, outcome, started, time.perf_counter() - clock)
    console = Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH)
    print_tables(console, run)
    if arguments.json is not None:
        write_json(arguments.json, run)
    return _verdict(outcome, requirements)


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
    if arguments.cases and not suite.needs_cases:
        raise BadInputError(f"{arguments.suite} reads no cases: leave --cases out")
    for name in arguments.system:
        if not suite.takes(name):
            raise BadInputError(f"--system {name!r}: {arguments.suite} knows {suite.known()}")
    if arguments.json is not None and not arguments.json.resolve().parent.is_dir():
        raise BadInputError(f"--json {arguments.json}: its folder does not exist")


def _case_paths(arguments: argparse.Namespace, suite: Suite) -> list[Path]:
    if arguments.cases or not suite.needs_cases:
        return list(arguments.cases)
    own = sorted(suite.own_cases.glob("*.jsonl")) if suite.own_cases else []
    if not own:
        raise BadInputError(f"{arguments.suite} needs --cases FILE")
    return own


def _parser() -> argparse.ArgumentParser:
    listing = "\n".join(f"  {name:<10} {suite.summary}" for name, suite in SUITES.items())
    parser = argparse.ArgumentParser(
        prog="recollect eval",
        description="Measure the product on the stores that your settings name. A run has a"
        " tenant or a data folder of its own,\nwhich is removed afterwards: your memory is"
        " never touched.\n\nsuites:\n" + listing,
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
