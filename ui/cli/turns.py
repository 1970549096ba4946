"""`recollect turns`: those that failed, and trying them again."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

turns_app = typer.Typer(
    help="List turns that failed, or try one again.", invoke_without_command=True
)


@turns_app.callback()
def turns(context: typer.Context) -> None:
    """List turns that failed, or try one again."""
    if context.invoked_subcommand is None:
        from graph.settings import load_settings
        from ui.cli.listings import list_turns

        asyncio.run(list_turns(load_settings()))


@turns_app.command()
def retry(
    turn_id: Annotated[
        str, typer.Argument(metavar="ID", help="Id of a failed turn, or its start.")
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="Try every failed turn again.")] = False,
) -> None:
    """Try a failed turn again, or all of them."""
    from graph.settings import load_settings
    from ui.cli.listings import retry_all, retry_one

    if every == bool(turn_id):
        raise typer.BadParameter("name one turn, or give --all", param_hint="ID")
    retried = retry_all(load_settings()) if every else retry_one(load_settings(), turn_id)
    raise typer.Exit(asyncio.run(retried))
