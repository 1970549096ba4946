"""The options of `recollect init`, light to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Channel = Literal["web", "whatsapp", "telegram"]

init_app = typer.Typer()


@init_app.command()
def init(
    channel: Annotated[Channel | None, typer.Option(help="Where people write.")] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Chat model; none: the offline responder.")
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="Its OpenAI-compatible endpoint.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Key of the endpoint.")] = None,
    database_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Postgres; without it: embedded.")
    ] = None,
    chroma_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Chroma; without it: embedded.")
    ] = None,
    neo4j_uri: Annotated[
        str | None, typer.Option(metavar="URI", help="Neo4j for facts; without it: in Postgres.")
    ] = None,
    neo4j_user: Annotated[
        str | None, typer.Option(metavar="NAME", help="User of Neo4j. Default: neo4j.")
    ] = None,
    neo4j_password: Annotated[str | None, typer.Option(help="Its password.")] = None,
    telegram_token: Annotated[str | None, typer.Option(help="The bot's token.")] = None,
    waha_url: Annotated[str | None, typer.Option(metavar="URL", help="The WAHA gateway.")] = None,
    waha_key: Annotated[str | None, typer.Option(help="Its API key.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to. Default: where every command looks for it."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Write it even where something does not answer.")
    ] = False,
) -> None:
    """Set up channel, model and stores: asks, tries each, and writes one file.

    Without a terminal nobody is asked: what the options do not say is left as it is. Variables of
    the environment, which keep a key out of the list of processes, count more than the file.
    """
    from graph.settings import default_settings_file
    from ui.cli.init import run_init
    from ui.cli.init_answers import Given

    given = Given(
        channel=channel,
        model=model,
        endpoint=endpoint,
        key=key,
        database_url=database_url,
        chroma_url=chroma_url,
        telegram_token=telegram_token,
        waha_url=waha_url,
        waha_key=waha_key,
        neo4j_uri=neo4j_uri,
        neo4j_user=neo4j_user,
        neo4j_password=neo4j_password,
    )
    path = file or default_settings_file()
    raise typer.Exit(run_init(given, path, replace=replace, anyway=anyway))
