"""A result as one HTML file: nothing is loaded from anywhere, and no script runs in it."""

from __future__ import annotations

import base64
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from evals.reports.page.view import view_of
from evals.reports.saved import SavedResult
from evals.reports.texts import excerpt, printable
from evals.suite.outputs import write_output
from evals.suite.run import Texts

_PACKAGE = "evals.reports.page"


def render_page(result: SavedResult, texts: Texts) -> str:
    """Return the page of a result; ids stand where `texts` lacks a text."""
    style = files(_PACKAGE).joinpath("style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    return _template().render(page=view_of(result, texts), style=style, style_digest=digest)


def write_page(path: Path, result: SavedResult, texts: Texts) -> None:
    """Write the page of a result.

    Raises:
        BadInputError: the file cannot be written.
    """
    write_output("--html", path, render_page(result, texts))


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("evals.reports", "page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    # Every value passes here, so that no text brings along what a document cannot hold.
    environment.finalize = _kept
    environment.filters["excerpt"] = excerpt
    return environment.get_template("page.html.j2")


def _kept(value: object) -> object:
    """Clean plain strings; markup of ours is clean already and must stay markup."""
    return printable(value) if type(value) is str else value
