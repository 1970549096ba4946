"""Learn from what the contact said, after the reply has left (N13).

Reads `turn`; writes nothing to the state but its end. Uses the facts, the vectors and the ledger.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from memory.facts.learning import learn_facts
from nodes.context import Context
from nodes.state import State, claimed_messages, message_from_json


async def extract(state: State, runtime: Runtime[Context]) -> State:
    """Extract facts from the claimed messages, each its own contact's (W4)."""
    context = runtime.context
    turn = state["turn"]
    message = message_from_json(turn["message"])
    claimed = await claimed_messages(turn, message, context.memory)
    await learn_facts(context.memory, claimed, context.clock())
    return {}
