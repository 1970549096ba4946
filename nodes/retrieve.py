"""Find what the prompt should remember: facts, hybrid search, quoted context.

Reads `turn`; writes `recalled`: ids and score parts, best first, never a text; `missing`: the
stores that it did without; `certainty`: the chance that what it found answers; `asks_for`: which
facts of theirs whoever wrote asks for; `zone`: the time zone that they live in, in a group, or
where nobody knows it, that of the settings; `writer`: their name; and `manner`: how to answer them.
Uses the facts, the lexical index, the vectors, the embedder and the ledger.
"""

from __future__ import annotations

from datetime import UTC

from langgraph.runtime import Runtime

from memory.domain.chats import Message, message_uid
from memory.domain.contacts import ContactRow, is_name
from memory.recall.breadth import for_prompt, lines_sought
from memory.recall.quotes import quoted_context
from memory.recall.recall import Scope, recall
from memory.text.zones import zone_of
from nodes.context import Context
from nodes.manner import manner_for
from nodes.state import (
    State,
    claimed_messages,
    message_from_json,
    recalled_to_json,
    replaced_uids,
)

QUOTE_LINES_BEFORE = 3


async def retrieve(state: State, runtime: Runtime[Context]) -> State:
    """Recall what fits the turn's query, within what its chat may see."""
    context = runtime.context
    turn = state["turn"]
    message = message_from_json(turn["message"])
    window_ids = [str(m.id) for m in state.get("messages") or []]
    window = [message_uid(message.chat, i) for i in window_ids]
    answered = {*turn["claimed"], *replaced_uids(turn, message)}
    shown = answered if context.guides_model else {*answered, *window}
    limit = context.options.recall_limit
    claimed = await claimed_messages(turn, message, context.memory)
    quoted = await quoted_context(context.memory.ledger, claimed, QUOTE_LINES_BEFORE)
    found = await recall(
        context.memory,
        Scope.of(message, zone_of(context.timezone) or UTC),
        turn["query"],
        context.clock(),
        lines_sought(limit) + len(shown),
        shown,
        quoted.texts,
        [uid for uid in window if uid not in turn["claimed"]],
        # A model tells by itself which facts are meant.
        compares_facts=context.guides_model,
    )
    kept = [entry for entry in found.entries if entry.item_id not in shown]
    facts = [entry for entry in kept if entry.kind == "fact"]
    messages = [entry for entry in kept if entry.kind == "message"]
    episodes = [entry for entry in kept if entry.kind == "episode"]
    chosen = [*facts, *quoted.recalled, *for_prompt(messages, found.several, limit), *episodes]
    quotes = bool(quoted.recalled)
    return {
        "recalled": [recalled_to_json(entry) for entry in chosen],
        "missing": list(found.missing),
        "certainty": found.certainty,
        "asks_for": dict(found.asks_for) if found.asks_for is not None else None,
        "zone": found.asker.zone if found.asker else context.timezone,
        "writer": writer_of(message, found.asker),
        "manner": await manner_for(message, turn["query"], found, context, quotes=quotes),
    }


def writer_of(message: Message, asker: ContactRow | None) -> str:
    """Return the name of who wrote, by what is kept of them; in a group its lines have it."""
    if message.is_group:
        return ""
    # Not the name that a fact tells, which may have been taken back a moment ago.
    name = (asker.said_name if asker else "") or message.sender_name
    return name if is_name(name, message.contact_id) else ""
