"""`recollect datasets`: where benchmark data is, and its own formats turned into case files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evals.converters.converting import Converted

UNUSABLE = 2
"""Exit status for input that cannot be used."""

datasets_app = typer.Typer(
    help="List benchmark data, turn it into case files, or write the formats' JSON Schemas.",
    no_args_is_help=True,
)


@datasets_app.command(name="list")
def list_datasets() -> None:
    """List our own cases, and what others have published: where it is, and its licence."""
    from evals.converters.listing import own_lines, upstream_lines

    _write(*own_lines(), "", *upstream_lines())


@datasets_app.command(name="convert")
def convert_file(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Which set; `recollect datasets list` names them.")
    ],
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Its own file or folder, as it was published.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where to; an existing file is replaced.")
    ],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many lines.")] = None,
) -> None:
    """Turn an upstream set's own file into a case file for `recollect eval`.

    All of it, or nothing where the source is not what was named.
    """
    from evals.converters.converting import convert
    from evals.converters.upstreams import UPSTREAMS
    from evals.errors import BadInputError

    if name not in UPSTREAMS:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(UPSTREAMS)}", param_hint="NAME")
    upstream = UPSTREAMS[name]
    try:
        done = convert(upstream, source, out, limit)
    except BadInputError as error:
        sys.stderr.write(f"recollect datasets: {error}\n")
        raise typer.Exit(UNUSABLE) from None
    _write(f"{out}: {_counts(done)}")
    if left := ", ".join(f"{count:,} {what}" for what, count in done.left.items() if count):
        _write(f"left out: {left}")
    _write(f"next: recollect eval {upstream.suite} --cases {out}")


@datasets_app.command()
def schemas(
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where to; without it: datasets/schemas."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only say which are not up to date; status 1 then.")
    ] = False,
) -> None:
    """Write the JSON Schema of every suite's case files, as the loaders check them."""
    from evals.converters.schemas import outdated, write_schemas
    from evals.errors import BadInputError
    from evals.suite.own_cases import datasets_folder

    folder = out or datasets_folder() / "schemas"
    if check:
        names = outdated(folder)
        _write(*(f"{folder / name}: not what the models say" for name in names))
        raise typer.Exit(1 if names else 0)
    try:
        names = write_schemas(folder)
    except BadInputError as error:
        sys.stderr.write(f"recollect datasets: {error}\n")
        raise typer.Exit(UNUSABLE) from None
    _write(*([f"{folder / name}: written" for name in names] or [f"{folder}: up to date"]))


def _counts(done: Converted) -> str:
    inside = [f"{count:,} {what}" for what, count in done.inside.items()]
    return ", ".join([f"{done.lines:,} lines", *inside])


def _write(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
