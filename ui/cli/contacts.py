"""`recollect contacts`: who writes, what they are like now, and making that anew."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from dataclasses import asdict
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ui.cli.memory import AsJson, Tenant, settings_of
from ui.cli.terminal import printable
from ui.cli.whole_file import whole_file
from ui.cli.whom import Whom, contact_of, named_once

if TYPE_CHECKING:
    from graph.settings import Settings

contacts_app = typer.Typer(help="See who writes and what they are like now.", no_args_is_help=True)
Contact = Annotated[
    str | None, typer.Option("--contact", "-c", metavar="ID", help="Of whom. Default: everybody.")
]
PAGE = 200


@contacts_app.command("list")
def list_contacts(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """List contacts: stage, streak, churn risk and mood."""
    _show(asyncio.run(read_contacts(settings_of(tenant, None))), as_json=as_json)


@contacts_app.command()
def show(
    whom: Whom = None, contact: Contact = None, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Show what contacts are like now, with the moods of their last days."""
    settings, named = settings_of(tenant, None), _name(named_once(whom, contact))
    found = asyncio.run(read_contacts(settings, named, with_days=True))
    _show(found, as_json=as_json, named=named)


@contacts_app.command()
def rebuild(
    whom: Whom = None, contact: Contact = None, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Make what contacts are like anew from the transcript."""
    settings, named = settings_of(tenant, None), _name(named_once(whom, contact))
    made = asyncio.run(rebuild_contacts(settings, named))
    text = json.dumps({"made": made}) if as_json else f"Made {made} anew."
    sys.stdout.write(text + "\n")


@contacts_app.command()
def export(
    contact: Annotated[str, typer.Argument(metavar="CONTACT", help="Of whom: telegram:12345.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Default: recollect-CONTACT-DAY.zip."),
    ] = None,
    tenant: Tenant = None,
) -> None:
    """Write everything that is kept of one person into a zip, to give to them."""
    if not contact.strip():
        raise typer.BadParameter("say of whom", param_hint="CONTACT")
    written = asyncio.run(export_contact(settings_of(tenant, None), contact.strip(), out))
    sys.stdout.write(f"Wrote {printable(str(written))}, {written.stat().st_size:,} bytes.\n")


@contacts_app.command()
def activity(
    contact: Annotated[str, typer.Argument(metavar="CONTACT", help="Of whom: telegram:12345.")],
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show when somebody writes, week by week, and how much of it was answered, or why not."""
    if not contact.strip():
        raise typer.BadParameter("say of whom", param_hint="CONTACT")
    from memory.contacts.activity import activity_text

    told = asyncio.run(read_activity(settings_of(tenant, None), contact.strip()))
    shown = json.dumps(told, indent=2) if as_json else "\n".join(activity_text(told))
    sys.stdout.write(printable(shown) + "\n")


async def read_activity(settings: Settings, contact: str) -> dict[str, Any]:  # Any: a JSON object
    """Return how a contact and the agent talk.

    Raises:
        UnknownContact: nothing is kept of them.
    """
    from graph.bootstrap import open_stores
    from memory.contacts.activity import activity_to_json
    from memory.contacts.timeline import zone_for
    from memory.trust.exporting import unknown

    async with open_stores(settings, projects=False) as stores:
        memory, tenant = stores.memory, settings.tenant
        contact_id = await contact_of(stores, contact)
        if not await memory.exports.is_known(tenant, contact_id):
            raise unknown(contact_id)
        zone = await zone_for(memory, tenant, contact_id, settings.timezone)
        found = await memory.timelines.activity(tenant, contact_id, zone)
    return activity_to_json(contact_id, zone, found)


async def export_contact(settings: Settings, contact: str, out: Path | None = None) -> Path:
    """Write what is kept of a contact and return where.

    Raises:
        UnknownContact: nothing is kept of them.
        CannotWrite: the file cannot be written there.
    """
    from graph.bootstrap import open_stores
    from memory.trust import exporting

    async with open_stores(settings) as stores:
        await stores.projector.caught_up(*exporting.DERIVED)
        now, contact_id = stores.clock(), await contact_of(stores, contact)
        path = out or Path(exporting.file_name(contact_id, now.date()))
        made = exporting.export(stores.memory, settings.tenant, contact_id, now, settings.timezone)
        async with aclosing(made):
            with whole_file(path) as file:
                async for piece in made:
                    file.write(piece)
    return path


async def read_contacts(
    settings: Settings, contact: str = "", *, with_days: bool = False
) -> list[dict[str, Any]]:  # Any: JSON objects
    """Return what contacts are like now, by id; of one where it is named."""
    from graph.bootstrap import open_stores
    from memory.contacts.course import days_of
    from memory.contacts.state import state_of
    from memory.text.zones import zone_of

    async with open_stores(settings) as stores:
        states, tenant = stores.memory.contact_states, settings.tenant
        ids = [await contact_of(stores, contact)] if contact else await states.contacts(tenant)
        found = []
        for start in range(0, len(ids), PAGE):
            rows = await states.of(tenant, ids[start : start + PAGE])
            for _, row in sorted(rows.items()):
                state = state_of(row.course, stores.clock(), zone_of(row.zone) or UTC)
                each: dict[str, Any] = {
                    "contact_id": row.contact_id,
                    "name": row.name,
                    "zone": row.zone,
                }
                each |= asdict(state)
                if with_days:
                    days = [day._asdict() for day in days_of(row.course)]
                    each["days"] = [{**day, "day": day["day"].isoformat()} for day in days]
                found.append(each)
    return found


async def rebuild_contacts(settings: Settings, contact: str = "") -> int:
    """Make contacts anew, all or one; return how many."""
    from graph.bootstrap import open_stores
    from memory.domain.projections import ANEW

    async with open_stores(settings) as stores:
        memory, tenant = stores.memory, settings.tenant
        said = await memory.contents.contacts(tenant)
        kept = await memory.contact_states.contacts(tenant)
        everybody = sorted({*filter(None, said), *kept})
        ids = [await contact_of(stores, contact)] if contact else everybody
        await memory.backlog.owe(tenant, ("contact_states",), [ANEW + each for each in ids])
        await stores.projector.caught_up("contact_states")
    return len(ids)


def _name(contact: str | None) -> str:
    return contact.strip() if contact else ""


def _show(found: list[dict[str, Any]], *, as_json: bool, named: str = "") -> None:
    if as_json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
        return
    for each in found:
        sys.stdout.write(
            f"{printable(each['contact_id'])}  {printable(each['name'])}  {each['stage']}"
            f"  streak {each['streak']}  churn {each['churn_risk']:.2f}"
            f"  {each['mood']} ({each['mood_confidence']:.2f}), energy {each['energy']}\n"
        )
        for day in each.get("days", ()):
            sys.stdout.write(f"  {day['day']}  {day['messages']:>4}  {day['mood']}\n")
    if not found:
        nobody = f"{printable(named)} has not written" if named else "Nobody has written yet"
        sys.stdout.write(f"{nobody}.\n")
