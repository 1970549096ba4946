"""Learn from what the contact said, after the reply has left (N13).

Reads `turn`; writes nothing to the state but its end. Uses the projector. What it does not
get done in time stays owed, and is learned in the background.
"""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from memory.errors import Transient, reason_of
from nodes.context import Context
from nodes.state import State, claimed_messages, message_from_json

PATIENCE_S = 5.0
"""How long the chat's next turn may wait for the facts of this one."""

log = logging.getLogger(__name__)


async def extract(state: State, runtime: Runtime[Context]) -> State:
    """Extract facts from the claimed messages, each its own contact's (W4)."""
    context, turn = runtime.context, state["turn"]
    if context.projector.falls_behind("facts"):
        return {}
    message = message_from_json(turn["message"])
    try:
        async with asyncio.timeout(PATIENCE_S):
            claimed = await claimed_messages(turn, message, context.memory)
            await context.projector.take_in_said("facts", message.chat.tenant, claimed)
    except (Transient, TimeoutError) as error:
        log.info("facts are learned later: %s", reason_of(error))
    return {}
