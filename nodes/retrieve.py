"""Find what the prompt should remember: facts, hybrid search, quoted context, in parallel.

Reads `turn`; writes `recalled`: ids and score parts, best first, never a text. Uses the facts,
the lexical index, the vectors, the embedder and the ledger.
"""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from memory.domain.chats import message_uid
from memory.recall.recall import Scope, quoted_context, recall
from nodes.context import Context
from nodes.state import State, message_from_json, recalled_to_json

QUOTE_LINES_BEFORE = 3


async def retrieve(state: State, runtime: Runtime[Context]) -> State:
    """Recall what fits the turn's query, within what its chat may see."""
    context = runtime.context
    turn = state["turn"]
    message = message_from_json(turn["message"])
    scope = Scope(message.chat.tenant, message.contact_id, message.anchor, message.is_group)
    query = turn["query"] + (f"\n{message.quote.text}" if message.quote else "")
    window_ids = [str(m.id) for m in state.get("messages") or []]
    in_window = {*turn["claimed"], *(message_uid(message.chat, i) for i in window_ids)}
    limit = context.options.recall_limit * 2
    found, quoted = await asyncio.gather(
        recall(context.memory, scope, query, context.clock(), limit, in_window),
        quoted_context(context.memory.ledger, message, QUOTE_LINES_BEFORE),
    )
    kept = [entry for entry in found if entry.item_id not in in_window]
    facts = [entry for entry in kept if entry.kind == "fact"]
    messages = [entry for entry in kept if entry.kind == "message"]
    quotes = [entry for entry in quoted if entry.item_id not in turn["claimed"]]
    chosen = [*facts, *quotes, *messages[: context.options.recall_limit]]
    return {"recalled": [recalled_to_json(entry) for entry in chosen]}
