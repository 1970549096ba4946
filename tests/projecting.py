"""What tests say and have known at once."""

from __future__ import annotations

from graph.stores import Stores
from memory.domain.chats import Message


async def known(stores: Stores, *said: Message) -> None:
    """Record messages as a history, each known before the next."""
    for each in said:
        await stores.memory.ledger.record([each], history=True)
        await stores.projector.caught_up()
