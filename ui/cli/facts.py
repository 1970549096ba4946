"""`recollect facts`: what is known of somebody, what was known when, and corrections by hand."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ui.cli.memory import AsJson, Tenant, settings_of
from ui.cli.whom import Whom, contact_of, named_once

if TYPE_CHECKING:
    from graph.settings import Settings
    from graph.stores import Stores
    from memory.domain.facts import Fact
    from memory.facts.corrector import Corrector
    from memory.facts.listing import Listed
    from memory.facts.marker import Marker

facts_app = typer.Typer(help="See what is known of people, and correct it.", no_args_is_help=True)

Contact = Annotated[
    str | None,
    typer.Option(
        "--contact",
        "-c",
        metavar="ID",
        help="Of whom. Default: RECOLLECT_CONTACT, or me; of a channel: telegram:12345.",
    ),
]
Key = Annotated[str, typer.Argument(metavar="KEY", help="home, pet, favorite:color, ...")]
Which = Annotated[
    str, typer.Argument(metavar="[VALUE]", help="Which of its values, where there are several.")
]
_T = TypeVar("_T")

# A pipe has no width: a line stays whole for whoever reads it.
_PIPE_COLUMNS = 1_000


@facts_app.command("list")
def list_facts(
    whom: Whom = None,
    contact: Contact = None,
    every: Annotated[bool, typer.Option("--all", help="With those that hold no more.")] = False,
    at: Annotated[
        str | None, typer.Option(metavar="DATE", help="What held on a day: 2026-03-31.")
    ] = None,
    known: Annotated[
        str | None, typer.Option(metavar="DATE", help="As it was known on a day.")
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List facts: value, since when, how sure, and who said it on which day."""
    from memory.facts.asof import moment_of
    from memory.facts.listing import facts_of, listed

    settings = settings_of(tenant, named_once(whom, contact))
    zone = datetime.now().astimezone().tzinfo
    days = [moment_of(day, zone) if day is not None else None for day in (at, known)]

    async def read(stores: Stores, contact_id: str) -> tuple[list[Listed], str]:
        found = await facts_of(
            stores.memory, settings.tenant, contact_id, *days, every=every, withheld=True
        )
        return await listed(stores.memory, settings.tenant, found), contact_id

    found, contact_id = _on_stores(settings, read)
    _show(found, as_json=as_json, shows_ends=every or known is not None or at is not None)
    if not found and not as_json:
        _write(_line(f"Nothing is known of {contact_id}."))


@facts_app.command()
def history(
    key: Annotated[str, typer.Argument(metavar="KEY", help="home, pet, favorite:color, ...")],
    contact: Contact = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List everything that was ever said of one kind of fact, and what became of it."""
    from memory.facts.corrector import checked_key
    from memory.facts.listing import listed

    settings, known = settings_of(tenant, contact), checked_key(key)

    async def read(stores: Stores, contact_id: str) -> list[Listed]:
        rows = await stores.memory.all_facts.history(settings.tenant, contact_id)
        of_key = [row for row in rows if row.key == known.key]
        return await listed(stores.memory, settings.tenant, of_key)

    found = _on_stores(settings, read)
    _show(found, as_json=as_json, shows_ends=True, shows_status=True)
    if not found and not as_json:
        _write(f"Nothing was ever said of {known.key}.")


@facts_app.command("set")
def set_fact(
    key: Annotated[str, typer.Argument(metavar="KEY", help="home, pet, favorite:color, ...")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What is so from now on.")],
    instead: Annotated[
        str, typer.Option("--instead", metavar="OLD", help="The value that it replaces.")
    ] = "",
    contact: Contact = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Say what is so. It outranks what was read; only what is said outright later changes it.

    Where there may be several (pets, allergies) the value joins them, unless --instead names one.
    """
    from memory.facts.listing import listed

    settings = settings_of(tenant, contact)

    async def correct(stores: Stores, contact_id: str) -> list[Listed]:
        held = await _corrector(stores).set(contact_id, key, value, instead)
        return await listed(stores.memory, settings.tenant, held)

    _show(_on_stores(settings, correct), as_json=as_json)


@facts_app.command()
def forget(
    words: Annotated[
        list[str], typer.Argument(metavar="KEY|WORDS", help="A key, words in facts, or everything.")
    ],
    contact: Contact = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Forget facts, and keep what told them out of prompts and searches."""
    from memory.facts.correcting import TakenBack, taken_back_to_json
    from nodes.commands.forgetting import forgotten_text
    from ui.cli.terminal import printable

    settings = settings_of(tenant, contact)

    async def correct(stores: Stores, contact_id: str) -> TakenBack:
        return await _corrector(stores).forget(contact_id, " ".join(words))

    taken = _on_stores(settings, correct)
    shown = printable(forgotten_text(taken))
    _write(_json(taken_back_to_json(taken)) if as_json else shown)


@facts_app.command()
def pin(key: Key, value: Which = "", contact: Contact = None, tenant: Tenant = None) -> None:
    """Show a fact in every prompt of its contact's turns, until its value changes."""
    fact = _mark(tenant, contact, lambda marker, whom: marker.pin(whom, key, value))
    _write(f"Pinned: {fact} is in every prompt.")


@facts_app.command()
def unpin(key: Key, value: Which = "", contact: Contact = None, tenant: Tenant = None) -> None:
    """Show a fact only where it fits again."""
    fact = _mark(tenant, contact, lambda marker, whom: marker.unpin(whom, key, value))
    _write(f"Unpinned: {fact} is shown where it fits.")


@facts_app.command()
def withhold(key: Key, value: Which = "", contact: Contact = None, tenant: Tenant = None) -> None:
    """Keep a fact, and never recall it: it enters no prompt, search or answer."""
    fact = _mark(tenant, contact, lambda marker, whom: marker.withhold(whom, key, value))
    _write(f"Withheld: {fact} is kept, and never recalled.")


@facts_app.command("show-again")
def show_again(key: Key, value: Which = "", contact: Contact = None, tenant: Tenant = None) -> None:
    """Recall a fact again that was withheld, with the sentences that tell it."""
    fact = _mark(tenant, contact, lambda marker, whom: marker.show_again(whom, key, value))
    _write(f"Shown again: {fact}.")


@facts_app.command()
def read(
    again: Annotated[
        bool, typer.Option("--again", help="Read all that was ever said, with today's reader.")
    ] = False,
) -> None:
    """Read facts from the transcript anew; what people corrected stays as it is.

    It can be stopped at any time: the same command goes on.
    """
    from graph.settings import load_settings
    from ui.cli.rebuild import run_rebuild

    if not again:
        raise typer.BadParameter(
            "what is said is read as it comes; --again reads all of it anew", param_hint="--again"
        )
    raise typer.Exit(asyncio.run(run_rebuild(load_settings(), "facts")))


def _on_stores(settings: Settings, work: Callable[[Stores, str], Awaitable[_T]]) -> _T:
    """Do something on the open stores, for the contact of the settings."""

    async def run() -> _T:
        from graph.bootstrap import open_stores

        async with open_stores(settings) as stores:
            return await work(stores, await contact_of(stores, settings.contact))

    return asyncio.run(run())


def _mark(
    tenant: str | None,
    contact: str | None,
    work: Callable[[Marker, str], Awaitable[Fact]],
) -> str:
    """Mark a fact, and return it in words."""
    from memory.facts.marker import Marker
    from memory.facts.predicates import fact_sentence

    async def marked(stores: Stores, contact_id: str) -> Fact:
        return await work(Marker(_corrector(stores)), contact_id)

    return _line(fact_sentence(_on_stores(settings_of(tenant, contact), marked)))


def _corrector(stores: Stores) -> Corrector:
    from memory.facts.corrector import Corrector

    return Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


def _show(
    found: Sequence[Listed],
    *,
    as_json: bool,
    shows_ends: bool = False,
    shows_status: bool = False,
) -> None:
    from memory.facts.listing import listed_to_json

    if as_json:
        _write(_json([listed_to_json(each) for each in found]))
    elif found:
        _print_table(found, shows_ends=shows_ends, shows_status=shows_status)


def _print_table(found: Sequence[Listed], *, shows_ends: bool, shows_status: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    is_terminal = sys.stdout.isatty()
    console = Console(
        highlight=False, markup=False, emoji=False, width=None if is_terminal else _PIPE_COLUMNS
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    shows_marks = any(each.fact.mark for each in found)
    names = [
        "fact",
        "value",
        *["mark"] * shows_marks,
        "since",
        *["until"] * shows_ends,
        "sure",
        "said by",
        "on",
    ]
    for name in [*names, *["became", "read by"] * shows_status]:
        table.add_column(name, overflow="fold", justify="right" if name == "sure" else "left")
    for each in found:
        cells = _cells(each, shows_ends=shows_ends, shows_status=shows_status)
        table.add_row(*cells[:2], *[each.fact.mark or "-"] * shows_marks, *cells[2:])
    # Rich pads each line to the last column.
    with console.capture() as captured:
        console.print(table)
    _write("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _cells(each: Listed, *, shows_ends: bool, shows_status: bool) -> list[str]:
    fact = each.fact
    who = f"{each.who or '?'}, {each.how}" if each.how != "said" else each.who or "?"
    cells = [fact.key, fact.value, _day(fact.valid_from), *[_day(fact.valid_to)] * shows_ends]
    cells += [
        f"{fact.confidence:.2f}",
        who,
        _day(each.said_at),
        *[_fate(fact), fact.read_by or "-"] * shows_status,
    ]
    return [_line(cell) for cell in cells]


def _fate(fact: Fact) -> str:
    recorded = fact.recorded_to or fact.recorded_from
    return f"{fact.status}, recorded {_day(recorded)}"


def _day(at: datetime | None) -> str:
    return f"{at.astimezone():%Y-%m-%d}" if at else "-"


def _line(text: str) -> str:
    from ui.cli.terminal import printable

    return " ".join(printable(text).split())


def _json(found: Any) -> str:  # Any: a JSON value
    return json.dumps(found, ensure_ascii=False, indent=2)


def _write(text: str) -> None:
    sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
