"""`recollect eval report`: the page of a result that `--json` wrote earlier."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evals.reports.case_texts import texts_of
from evals.reports.page import write_page
from evals.reports.saved import read_result
from evals.suite.outputs import check_output


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
    texts, unknown = texts_of(result, cases)
    if unknown:
        print(  # noqa: T201
            f"recollect eval report: warning: {unknown} of the case files are not those that"
            " ran: their texts may be others",
            file=sys.stderr,
        )
    write_page(html, result, texts)
    return 0
