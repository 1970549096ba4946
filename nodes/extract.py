"""Learn from what the contact said, after the reply has left (N13).

Reads `turn`; writes nothing to the state but its end. Uses the projector. What it does not
get done in time stays owed, and is learned in the background.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from langgraph.runtime import Runtime

from memory.errors import Transient, reason_of
from memory.projection.projector import Projector
from nodes.context import Context
from nodes.state import State, claimed_messages, message_from_json

PATIENCE_S = 5.0
"""How long the chat's next turn may wait for the facts of this one."""

log = logging.getLogger(__name__)


async def extract(state: State, runtime: Runtime[Context]) -> State:
    """Extract facts from the claimed messages, each its own contact's (W4)."""
    context, turn = runtime.context, state["turn"]

    async def take_in() -> None:
        message = message_from_json(turn["message"])
        claimed = await claimed_messages(turn, message, context.memory)
        await context.projector.take_in_said("facts", message.chat.tenant, claimed)

    await learn_in_time(context.projector, take_in)
    return {}


async def learn_in_time(projector: Projector, take_in: Callable[[], Awaitable[object]]) -> None:
    """Have facts taken in, while it does not take too long; what is left is learned later."""
    if projector.falls_behind("facts"):
        return
    try:
        async with asyncio.timeout(PATIENCE_S):
            await take_in()
    except (Transient, TimeoutError) as error:
        log.info("facts are learned later: %s", reason_of(error))
