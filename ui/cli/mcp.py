"""`recollect mcp`: memory for whatever speaks the Model Context Protocol."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ui.cli.memory import Tenant, settings_of
from ui.cli.whom import contact_id_of

HOST, PORT = "127.0.0.1", 8765

mcp_app = typer.Typer()


@mcp_app.command()
def mcp(
    contact: Annotated[
        str | None,
        typer.Option(
            "--contact",
            "-c",
            metavar="ID",
            help="For whom it speaks. Default: RECOLLECT_CONTACT, or me; of a channel:"
            " telegram:12345.",
        ),
    ] = None,
    owner: Annotated[
        bool, typer.Option("--owner", help="Speak for the owner: about every contact.")
    ] = False,
    tenant: Tenant = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Without the tools that remember and forget.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Streamable HTTP under /mcp, in place of stdio.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help=f"Address to listen on with --http. Default: {HOST}.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help=f"Port to listen on with --http. Default: {PORT}."),
    ] = None,
) -> None:
    """Serve memory as tools: for Claude Desktop, an editor, or a program of your own.

    Over stdin and stdout, one client, unless --http is given. It speaks for one contact, and tells
    and changes nothing of anybody else; with --owner its caller has the owner's rights.
    """
    if owner and contact is not None:
        raise typer.BadParameter("it speaks for a contact or for the owner", param_hint="--owner")
    if not http and (host is not None or port is not None):
        raise typer.BadParameter("--host and --port go with it", param_hint="--http")
    settings = settings_of(tenant, contact)
    speaks_for = None if owner else contact_id_of(settings.contact)
    from server.mcp.serving import serve_http, serve_stdio

    if http:
        run = serve_http(settings, speaks_for, host or HOST, port or PORT, writes=not read_only)
    else:
        run = serve_stdio(settings, speaks_for, writes=not read_only)
    asyncio.run(run)
