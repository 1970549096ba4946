"""`recollect open`: what is still owed or to come in chats, for the owner's eyes."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import Any

from graph.bootstrap import open_stores
from graph.settings import Settings
from memory.domain.open_loops import Loop, loop_to_json
from ui.cli.terminal import printable
from ui.cli.whom import contact_of

MOST = 200


async def list_open(settings: Settings, contact: str, chat: str, *, as_json: bool) -> int:
    """Write what is open, what is overdue first; of one contact or one chat where told.

    As JSON: an object a line, as the API shows it. Returns the exit status.
    """
    async with open_stores(settings) as stores:
        await stores.projector.caught_up("open_loops")
        contact_id = await contact_of(stores, contact) if contact else ""
        found: list[Loop] = []
        for tenant in settings.served_tenants:
            found += await stores.memory.open_loops.listed(
                tenant, contact_id=contact_id, thread_id=chat, limit=MOST
            )
        now = stores.clock()
    for loop in found:
        made: dict[str, Any] = loop_to_json(loop, now)  # Any: JSON
        line = json.dumps(made, ensure_ascii=False) if as_json else loop_text(loop, now)
        sys.stdout.write(line + "\n")
    if not found and not as_json:
        sys.stdout.write("Nothing is open.\n")
    return 0


def loop_text(loop: Loop, now: datetime) -> str:
    """Return a line for people: its mark, kind, who has to act, the words, since when, by when."""
    due = f", due {loop.due:%Y-%m-%d}" if loop.due else ""
    words = " ".join(printable(loop.text).split())
    by = printable(loop.by) or "somebody"
    since = f"{loop.said_at:%Y-%m-%d}"
    return f"{loop.mark(now) or '-':<8} {loop.kind:<9} {by}: {words}  (since {since}{due})"
