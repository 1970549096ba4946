"""`recollect contacts erase` and `erasures`: forgetting a person, and the receipts of it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from memory.domain.erasures import STAYS, Erasure, probe_line, receipt_json, told
from memory.errors import RecollectError
from ui.cli.memory import AsJson, Tenant, settings_of
from ui.cli.terminal import printable
from ui.cli.whom import contact_of

if TYPE_CHECKING:
    from graph.settings import Settings

erasing_app = typer.Typer()
LISTED = 50


class NotConfirmed(RecollectError):
    """Nothing was erased."""


@erasing_app.command()
def erase(
    contact: Annotated[str, typer.Argument(metavar="CONTACT", help="Whom: telegram:12345.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Forget a person everywhere: chats, facts, vectors, all of it. It cannot be undone.

    What others said stays, in which they may be named.
    """
    named = contact.strip()
    if not named:
        raise typer.BadParameter("say whom", param_hint="CONTACT")
    if not yes and not sys.stdin.isatty():
        raise NotConfirmed("nobody can be asked here: add --yes to erase without a question")
    settings = settings_of(tenant, None)
    receipt = asyncio.run(erase_contact(settings, named, asks=not yes))
    _write(json.dumps(receipt_json(receipt), indent=2) if as_json else receipt_text(receipt))


@erasing_app.command()
def erasures(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """List receipts of erasures, the newest first, and whether every store has followed."""
    found = asyncio.run(read_erasures(settings_of(tenant, None)))
    if as_json:
        _write(json.dumps([receipt_json(each) for each in found], indent=2))
    else:
        _write("\n".join(map(receipt_text, found)) or "Nobody was erased.")


async def erase_contact(settings: Settings, named: str, *, asks: bool = False) -> Erasure:
    """Erase a contact and return the receipt; `asks`: have the name typed before.

    Raises:
        UnknownContact: nothing is kept of them.
        NotConfirmed: another name was typed.
        ErasureBusy: a turn runs in one of their chats.
        TypedLeft: what they typed in the terminal could not be removed.
    """
    from graph.bootstrap import open_stores
    from memory.trust.erasure import extent_of
    from ui.erasing import erase_here

    async with open_stores(settings) as stores:
        contact_id = await contact_of(stores, named)
        if asks:
            extent = await extent_of(stores.memory, settings.tenant, contact_id)
            sys.stderr.write(f"This goes for good: {counts_text(extent.counts)}.\n")
            sys.stderr.write(f"Type {printable(named)} to erase: ")
            sys.stderr.flush()
            typed = await asyncio.to_thread(sys.stdin.readline)
            if typed.strip() not in (named, contact_id):
                raise NotConfirmed
        return await erase_here(stores, contact_id, "cli")


async def read_erasures(settings: Settings) -> list[Erasure]:
    """Return the latest receipts, newest first."""
    from graph.bootstrap import open_stores

    async with open_stores(settings, projects=False) as stores:
        return await stores.memory.erasures.receipts(settings.tenant, LISTED)


def receipt_text(receipt: Erasure) -> str:
    """Return a receipt for reading: what went, what was found afterwards, what stays."""
    at = receipt.erased_at.astimezone()
    return (
        f"{receipt.erasure_id}  {at:%Y-%m-%d %H:%M}  by {receipt.asked_by}\n"
        f"  went   {counts_text(receipt.counts)}\n"
        f"  probe  {probe_line(receipt)}\n"
        f"  stays  {STAYS}"
    )


def counts_text(counts: Mapping[str, int]) -> str:
    """Return what there is: `messages 16, chats 3`."""
    return ", ".join(f"{name} {count:,}" for name, count in told(counts))


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")
