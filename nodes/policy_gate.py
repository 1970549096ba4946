"""Record the message, claim what waits with it, decide what the turn does, fill the window.

Reads `turn`; writes `turn`, `messages` (the window, from the ledger) and `window_seq`. Uses the
ledger and the outbox, and for commands the facts and receipts. Whatever our own account sent ends
here: the decision `record` leads to no other node (W7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from memory.domain import Actor, Message, StoredMessage
from memory.intake import take_in
from nodes.commands import answer_command, is_command
from nodes.context import Context, Options
from nodes.state import Decision, State, TurnState, message_from_json


async def policy_gate(state: State, runtime: Runtime[Context]) -> State:
    """Let a turn go on only for a contact's message that no other turn has claimed."""
    context = runtime.context
    turn = state["turn"]
    message = message_from_json(turn["message"])
    await take_in(context.ledger, context.outbox, message)
    if message.actor is not Actor.CONTACT:
        return {"turn": {**turn, "decision": "record", "claimed": []}}
    claimed = await context.ledger.claim(turn["turn_id"], message)
    if all(stored.uid != message.uid for stored in claimed):
        return {"turn": {**turn, "decision": "record", "claimed": []}}
    decided: TurnState = {
        **turn,
        "decision": decide([stored.message for stored in claimed], context.options),
        "claimed": [stored.uid for stored in claimed],
        "query": "\n".join(stored.message.text for stored in claimed if stored.message.text),
    }
    if decided["decision"] == "command":
        decided["command_reply"] = await answer_command(message, context)
    fresh = await context.ledger.since(
        message.chat, state.get("window_seq", 0), context.options.window
    )
    return {
        "turn": decided,
        "messages": window_update(state.get("messages") or [], fresh, context.options.window),
        "window_seq": fresh[-1].seq if fresh else state.get("window_seq", 0),
    }


def route(state: State) -> Decision:
    """Say which way the turn goes; `record` ends it."""
    return state["turn"].get("decision", "record")


def decide(messages: Sequence[Message], options: Options) -> Decision:
    """Decide for the messages of one sender what a turn over them does (N5).

    Only contacts are ever answered; an empty text is stored, not answered (N2).
    """
    if not messages or any(message.actor is not Actor.CONTACT for message in messages):
        return "record"
    newest = messages[-1]
    if is_command(newest):
        return "command"
    policy = options.reply_group if newest.is_group else options.reply_direct
    addressed = any(m.mentions_agent or m.replies_to_agent for m in messages)
    wanted = policy == "all" or (policy == "mention_only" and addressed)
    if wanted and any(message.text.strip() for message in messages):
        return "respond"
    return "observe"


def window_update(
    window: Sequence[AnyMessage], fresh: Sequence[StoredMessage], size: int
) -> list[AnyMessage]:
    """Return what `add_messages` needs so that the window holds the newest `size` messages."""
    added = [_line(stored.message) for stored in fresh if stored.message.actor is not Actor.SYSTEM]
    ids = list(dict.fromkeys(str(m.id) for m in [*window, *added]))
    gone = set(ids[: max(len(ids) - size, 0)])
    in_window = {str(message.id) for message in window}
    # add_messages takes removals in the list; its declared type leaves them out.
    removals = [RemoveMessage(id=key) for key in ids if key in gone & in_window]
    return [
        *cast("list[AnyMessage]", removals),
        *(message for message in added if str(message.id) not in gone),
    ]


def _line(message: Message) -> AnyMessage:
    if message.actor is Actor.CONTACT:
        text = message.text
        if message.is_group and message.sender_name:
            text = f"{message.sender_name}: {text}"
        return HumanMessage(id=message.message_id, content=text)
    if message.actor is Actor.OWNER:
        return AIMessage(id=message.message_id, content=message.text, name="owner")
    if message.actor is Actor.AUTOMATION:
        return AIMessage(id=message.message_id, content=message.text, name="automation")
    return AIMessage(id=message.message_id, content=message.text)
