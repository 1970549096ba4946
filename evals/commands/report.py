"""`recollect eval report`: the page of a result that `--json` wrote earlier."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.reports.page import write_page
from evals.reports.saved import SavedResult, read_result
from evals.suite.outputs import check_output
from evals.suite.registry import SUITES
from evals.suite.run import Texts


def run_report(argv: Sequence[str]) -> int:
    """Write the page of a saved result.

    The JSON holds no texts: they are read from the case files, where these are given and are the
    ones that ran; ids stand in for them otherwise.

    Returns:
        0 once the page is written.

    Raises:
        BadInputError: no result, or a case file that cannot be read.
        SystemExit: the arguments are not understood, or help was asked for.
    """
    arguments = _parser().parse_args(argv)
    check_output("--html", arguments.html)
    result = read_result(arguments.result)
    write_page(arguments.html, result, _texts(result, arguments.cases))
    return 0


def _texts(result: SavedResult, paths: Sequence[Path]) -> Texts:
    suite = SUITES.get(result.suite)
    if suite is None or suite.texts is None or not paths:
        return Texts({})
    files = suite.load(paths, None)
    if unknown := {file.sha256 for file in files} - {case.sha256 for case in result.cases}:
        print(  # noqa: T201
            f"recollect eval report: warning: {len(unknown)} of the case files are not those that"
            " ran: their texts may be others",
            file=sys.stderr,
        )
    return suite.texts(files)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="recollect eval report", description="Write the page of a result saved by --json."
    )
    parser.add_argument("result", type=Path, metavar="A.json", help="the result")
    parser.add_argument("--html", type=Path, metavar="OUT", required=True, help="the page")
    parser.add_argument(
        "--cases",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="FILE",
        help="the case files that ran: the page then shows their texts, and ids otherwise",
    )
    return parser
