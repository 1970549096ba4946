"""How a command of `recollect eval` reads its arguments: an option may take several values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import typer


def command_of(callback: Callable[..., int], *, text: str = "", epilog: str = "") -> typer.Typer:
    """Return an app of one command; its help is `text`, or the callback's docstring."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(help=text or None, epilog=epilog or None)(callback)
    return app


def invoke(app: typer.Typer, name: str, argv: Sequence[str]) -> int:
    """Run an app of one command and return its status.

    Raises:
        typer.TyperException: the arguments are not understood.
        typer.Exit: help was asked for.
    """
    command = typer.main.get_command(app)
    several = {
        option
        for parameter in command.params
        if getattr(parameter, "multiple", False)
        for option in parameter.opts
    }
    with command.make_context(name, spread(argv, several), obj=tuple(argv)) as context:
        status: Any = command.invoke(context)  # Any: whatever a callback returns; ours a status
        return int(status)


def spread(argv: Sequence[str], several: Collection[str]) -> list[str]:
    """Write `--cases A B` as `--cases A --cases B`, for the options that take several values.

    Raises:
        typer.BadParameter: one of them is followed by another option.
    """
    given: list[str] = []
    option = ""
    for text in argv:
        if text.startswith("-"):
            if option and given[-1] == option:
                raise typer.BadParameter("it needs a value", param_hint=option)
            option = text if text in several else ""
        elif option and given[-1] != option:
            given.append(option)
        given.append(text)
    return given
