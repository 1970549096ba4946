"""`recollect events`: webhooks that could not be read, and what one of them said."""

from __future__ import annotations

import sys

from graph.bootstrap import open_stores
from graph.settings import Settings
from ui.cli.terminal import printable

LISTED = 100


async def list_events(settings: Settings) -> None:
    """Write the latest unreadable webhooks, a line each, newest first, without their bodies."""
    async with open_stores(settings) as stores:
        kept = await stores.memory.events.kept(settings.served_tenants, LISTED)
    for event in kept:
        again = f", {event.times} times" if event.times > 1 else ""
        where = f"{event.channel}/{event.account}"
        _write(
            f"{event.event_id}  {event.received_at:%Y-%m-%d %H:%M}  {where}"
            f"  {event.size} bytes{again}  {printable(event.reason)}"
        )
    _write(
        "`recollect events --show ID` writes one as it came." if kept else "Everything was read."
    )


async def show_event(settings: Settings, event_id: str) -> int:
    """Write one webhook's body; return the exit status."""
    async with open_stores(settings) as stores:
        body = await stores.memory.events.body(settings.served_tenants, event_id)
    if body is None:
        sys.stderr.write(f"recollect: no event {event_id}: `recollect events` lists them.\n")
        return 1
    _write(printable(body.decode("utf-8", "replace")))
    return 0


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
