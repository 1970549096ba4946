"""`recollect outbox`: replies that were not sent, or may not be, and putting those aside."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

outbox_app = typer.Typer(
    help="List replies that were not sent, or may not be; dismiss those you looked at.",
    invoke_without_command=True,
)


@outbox_app.callback()
def outbox(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="An object a line.")] = False,
) -> None:
    """List replies that were not sent, or may not be.

    First those whose fate nobody can know: look into the chat before sending one again, and
    dismiss it then.
    """
    if context.invoked_subcommand is None:
        from graph.settings import load_settings
        from ui.cli.listings import list_outbox

        asyncio.run(list_outbox(load_settings(), as_json=as_json))


@outbox_app.command()
def dismiss(
    delivery_id: Annotated[
        int | None, typer.Argument(metavar="ID", min=1, max=2**63 - 1, show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All that are unknown or failed.")] = False,
) -> None:
    """Put an unknown or failed reply aside, or all of them. Nothing is sent."""
    from graph.settings import load_settings
    from ui.cli.listings import dismiss_replies

    if every == (delivery_id is not None):
        raise typer.BadParameter("name one reply, or give --all", param_hint="ID")
    raise typer.Exit(asyncio.run(dismiss_replies(load_settings(), delivery_id)))
