"""`recollect`: the command line. What a command needs is imported when it runs."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from channels.exports.export import DateOrder, ExportKind
from memory.domain.projections import Wanted
from ui.cli.completion import answer_shells, completion_app
from ui.cli.contacts import contacts_app
from ui.cli.datasets import datasets_app
from ui.cli.episodes import episodes_app
from ui.cli.erasing import erasing_app
from ui.cli.facts import facts_app
from ui.cli.init_command import init_app
from ui.cli.mcp import mcp_app
from ui.cli.memory import memory_app
from ui.cli.notes import notes_app
from ui.cli.outbox import outbox_app
from ui.cli.outcome import open_output, status_of
from ui.cli.policy import policy_app
from ui.cli.rules import rules_app
from ui.cli.turns import turns_app
from ui.cli.whom import Whom, named_once

app = typer.Typer(
    name="recollect",
    help="A chat agent that remembers, and shows for every answer what it remembered.",
    epilog="Settings are environment variables, RECOLLECT_*; `recollect doctor` lists them all.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(init_app)
app.add_typer(completion_app)
app.add_typer(outbox_app, name="outbox")
app.add_typer(turns_app, name="turns")
app.add_typer(policy_app, name="policy")
app.add_typer(datasets_app, name="datasets")
memory_app.add_typer(notes_app)
memory_app.add_typer(rules_app, name="rules")
app.add_typer(memory_app, name="memory")
app.add_typer(facts_app, name="facts")
app.add_typer(episodes_app, name="episodes")
contacts_app.add_typer(erasing_app)
app.add_typer(contacts_app, name="contacts")
app.add_typer(mcp_app)

Contact = Annotated[
    str | None,
    typer.Option(
        "--contact", "-c", metavar="NAME", help="Who is talking. Default: RECOLLECT_CONTACT, or me."
    ),
]


def _say_version(wanted: bool) -> None:
    if wanted:
        import importlib.metadata

        sys.stdout.write(f"recollect {importlib.metadata.version('recollect')}\n")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_say_version, help="Say which it is."),
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    if "--help" not in sys.argv and context.invoked_subcommand != "completion":
        from ui.cli.misspelt import warn_of_misspelt

        warn_of_misspelt()


@app.command()
def chat(contact: Contact = None) -> None:
    """Chat in the terminal. The conversation goes on where it was left.

    Piped input is read line by line, a message each, and only the replies are printed.
    """
    name = _named(contact)
    if sys.stdin.isatty() and sys.stdout.isatty():
        from ui.cli.chat_screen import TerminalScreen

        screen = TerminalScreen()
        screen.opening()  # before anything else is loaded
        from graph.settings import load_settings
        from ui.cli.live_chat import run_live_chat

        raise typer.Exit(run_live_chat(load_settings(), name, screen))
    from graph.settings import load_settings
    from ui.cli.chat import run_piped_chat

    raise typer.Exit(run_piped_chat(load_settings(), name))


@app.command()
def ui(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Port. Without it: 7860, or the next one that is free."
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Open the console in the browser.

    Chat beside what the agent remembers, what each answer is based on, and the graph's path.
    """
    # What is loaded next takes seconds.
    typer.echo("Recollect starts: memory first, then the page.", err=True)
    from ui.playground.serving import run_playground

    raise typer.Exit(run_playground(host, port, open_browser=browser))


@app.command(name="import")
def import_chats(
    path: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="What WhatsApp or Telegram exported, or JSONL."),
    ],
    kind: Annotated[
        ExportKind | None, typer.Option("--as", help="What it is. Without it: found out.")
    ] = None,
    speaker: Annotated[
        str | None,
        typer.Option(
            "--me",
            metavar="NAME",
            help="Who of those who write is you; nobody: you only read along.",
        ),
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose memory. Default: RECOLLECT_TENANT.")
    ] = None,
    date_order: Annotated[
        DateOrder | None,
        typer.Option("--date-order", help="How dates are written, where the file leaves it open."),
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Zone of its times. Default: this machine's."),
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option(
            "--contact",
            "-c",
            metavar="NAME",
            help="Whose memory in `recollect chat` it becomes. Default: RECOLLECT_CONTACT, or me.",
        ),
    ] = None,
) -> None:
    """Take an exported chat into memory, without a single reply.

    It can be stopped at any time: the same command goes on. Then ask in `recollect chat`.
    """
    from graph.settings import load_settings
    from ui.cli.importing import ImportRequest, run_import

    given = {"tenant": _named(tenant, "--tenant"), "contact": _named(contact)}
    settings = load_settings().model_copy(update={k: v for k, v in given.items() if v})
    raise typer.Exit(run_import(settings, ImportRequest(path, kind, speaker, date_order, timezone)))


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    with_worker: Annotated[
        bool,
        typer.Option("--worker/--no-worker", help="Run turns here, or leave them to workers."),
    ] = True,
    telegram_polling: Annotated[
        bool,
        typer.Option(
            "--telegram-polling",
            help="Fetch Telegram's updates: needs no public address, and ends the bots' webhooks.",
        ),
    ] = False,
) -> None:
    """Run the server for messengers.

    It takes webhooks, answers through the gateway, and offers an API on contacts.
    """
    from graph.settings import load_settings
    from server.app import run_server

    run_server(load_settings(), host, port, with_worker=with_worker, polls=telegram_polling)


@app.command()
def worker() -> None:
    """Run turns and send replies, without the web.

    Any number of them, on other machines too, beside `recollect serve --no-worker`.
    """
    from graph.settings import load_settings
    from server.app import run_worker

    run_worker(load_settings())


@app.command(
    name="eval",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def evaluate(context: typer.Context) -> None:
    """Measure recall and latency on your own stores."""
    from evals.cli import main as evals_main

    raise typer.Exit(evals_main(list(context.args)))


@app.command()
def doctor() -> None:
    """Check every setting and try every store.

    One line each, with what to do where it fails; the exit status is 1 if anything failed.
    """
    from ui.doctor import run_doctor

    raise typer.Exit(asyncio.run(run_doctor()))


@app.command()
def verify(
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    most: Annotated[
        int,
        typer.Option("--list", min=0, max=100_000, metavar="N", help="List so many ids of each."),
    ] = 10,
) -> None:
    """Check vectors and facts against the transcript: what is missing, extra or stale.

    The exit status is 1 if anything has drifted. `recollect rebuild` makes it anew.
    """
    from graph.settings import load_settings
    from ui.cli.verify import run_verify

    raise typer.Exit(asyncio.run(run_verify(load_settings(), most, as_json=as_json)))


@app.command()
def rebuild(
    what: Annotated[Wanted, typer.Argument(metavar="WHAT", help="What to make anew.")] = "all",
) -> None:
    """Make vectors, facts or both anew from the transcript, while the old ones serve.

    It can be stopped at any time: the same command goes on. With another RECOLLECT_EMBEDDINGS it
    moves the vectors to that embedder.
    """
    from graph.settings import load_settings
    from ui.cli.rebuild import run_rebuild

    raise typer.Exit(asyncio.run(run_rebuild(load_settings(), what)))


@app.command()
def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many lines.")] = 50,
) -> None:
    """List what checks, the gate and commands decided, the latest first.

    No line holds what anybody said.
    """
    from graph.settings import load_settings
    from ui.cli.listings import list_audit

    asyncio.run(list_audit(load_settings(), limit))


@app.command(name="open")
def open_loops(
    whom: Whom = None,
    contact: Annotated[
        str | None,
        typer.Option("--contact", "-c", help="A name, or an id such as waha:4915@c.us."),
    ] = None,
    chat: Annotated[str, typer.Option(help="A chat's thread id.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="An object a line.")] = False,
) -> None:
    """List what is promised, asked, wanted or fixed and still open."""
    from graph.settings import load_settings
    from ui.cli.open import list_open

    whose = _named(named_once(whom, contact)) or ""
    raise typer.Exit(asyncio.run(list_open(load_settings(), whose, chat, as_json=as_json)))


@app.command()
def receipts(
    chat: Annotated[
        str, typer.Argument(metavar="CHAT", help="Of one chat: CHANNEL/ACCOUNT/CHAT_ID.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="An object a line.")] = False,
) -> None:
    """List what replies were based on, the latest first: query, memories with scores, path."""
    from graph.settings import load_settings
    from ui.cli.receipts import list_receipts

    raise typer.Exit(asyncio.run(list_receipts(load_settings(), chat, limit, as_json=as_json)))


@app.command()
def events(
    show: Annotated[
        str | None, typer.Option(metavar="ID", help="Write one as it came, with its texts.")
    ] = None,
) -> None:
    """List webhooks that could not be read, with the reason, or show one.

    Only these are kept, for 30 days.
    """
    from graph.settings import load_settings
    from ui.cli.events import list_events, show_event

    if show is not None:
        raise typer.Exit(asyncio.run(show_event(load_settings(), show)))
    asyncio.run(list_events(load_settings()))


def main() -> None:
    """Run the command line and exit with its status."""
    open_output()
    answer_shells()
    status = status_of(lambda: app(prog_name="recollect", standalone_mode=False))
    # From here on only threads are waited for: Ctrl-C may end that, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(status)


def _named(name: str | None, option: str = "--contact") -> str | None:
    if name is not None and not name.strip():
        raise typer.BadParameter("it needs a name", param_hint=option)
    return name.strip() if name else None


if __name__ == "__main__":
    main()
