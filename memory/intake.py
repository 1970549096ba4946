"""How every message enters: an echo confirms its delivery, anything else is stored once."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from memory.domain import Actor, Message
from memory.ports import Ledger, Outbox

Intake = Literal["echo", "new", "known"]


async def take_in(
    ledger: Ledger, outbox: Outbox, message: Message, arrived_at: datetime | None = None
) -> Intake:
    """Store a message unless it is an echo of a reply of ours, which has its row already (W6).

    Durable when it returns: a webhook may answer 2xx then.
    """
    own = message.actor in (Actor.OWNER, Actor.AUTOMATION, Actor.AGENT)
    if own and await outbox.match_echo(message):
        return "echo"
    (recorded,) = await ledger.record([message], arrived_at=arrived_at)
    return "new" if recorded.is_new else "known"
