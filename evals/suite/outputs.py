"""Files that a command writes: refused before the work begins, written in one line of code."""

from __future__ import annotations

from pathlib import Path

from evals.errors import BadInputError

PLAIN_WIDTH = 160
"""Columns of a table that goes to no terminal."""


def check_output(option: str, path: Path | None) -> None:
    """Refuse a path that cannot become a file; None is no path.

    Raises:
        BadInputError: its folder does not exist, or it is a folder itself.
    """
    if path is None:
        return
    if not path.resolve().parent.is_dir():
        raise BadInputError(f"{option} {path}: its folder does not exist")
    if path.is_dir():
        raise BadInputError(f"{option} {path}: is a folder; name a file in it")


def write_output(option: str, path: Path, content: str) -> None:
    """Write a text file.

    Raises:
        BadInputError: it cannot be written.
    """
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"{option} {path}: cannot be written ({error.strerror or error})"
        ) from error
