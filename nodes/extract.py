"""Learn from what the contact said, after the reply has left (N13).

Reads `turn`; writes nothing to the state but its end. Uses the facts, the vectors and the ledger.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from memory.facts.learning import learn_facts
from nodes.context import Context
from nodes.state import State, message_from_json


async def extract(state: State, runtime: Runtime[Context]) -> State:
    """Extract facts from the claimed messages, each its own contact's (W4)."""
    context = runtime.context
    turn = state["turn"]
    message = message_from_json(turn["message"])
    claimed = await context.memory.ledger.messages(message.chat.tenant, turn["claimed"])
    await learn_facts(context.memory, [entry.message for entry in claimed], context.clock())
    return {}
