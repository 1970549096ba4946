"""`recollect eval report`: the page of a result that `--json` wrote earlier."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from evals.reports.page import write_page
from evals.reports.saved import SavedResult, read_result
from evals.suite.outputs import check_output
from evals.suite.registry import SUITES
from evals.suite.run import Texts


def write_report(
    saved: Annotated[Path, typer.Argument(metavar="A.json", help="The result.")],
    html: Annotated[Path, typer.Option(metavar="OUT", help="The page.")],
    cases: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE...",
            help="The case files that ran: the page then shows their texts, and ids otherwise.",
        ),
    ] = [],  # noqa: B006  typer copies it
) -> int:
    """Write the page of a result saved by --json."""
    # The JSON holds no texts: they are read from the case files that ran.
    check_output("--html", html)
    result = read_result(saved)
    write_page(html, result, _texts(result, cases))
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
