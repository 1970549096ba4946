"""Record the message, claim what waits with it, decide what the turn does, fill the window.

Reads `turn`; writes `turn`, `messages` (the window, from the ledger) and `window_seq`. Uses the
ledger, the outbox, the policies, the pauses and the audit, and for commands the facts, receipts
and personas. What our own account sent ends here, or with the answer to a command (W7).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime

from memory.domain.chats import Message, StoredMessage
from memory.domain.work import AuditLine
from memory.policy.rules import Pause, Policy, scopes_of
from memory.transcript.intake import take_in
from nodes.commands import run_commands
from nodes.context import Context
from nodes.decisions import chatter, decide, decide_stored
from nodes.state import Decision, State, TurnState, message_from_json
from nodes.window import cleared, is_command, window_update

# Rows that are looked at for chatter: enough for one turn, whatever the queue holds.
MAX_PENDING = 1_000


async def policy_gate(state: State, runtime: Runtime[Context]) -> State:
    """Let a turn go on only for messages that no other turn has claimed."""
    context = runtime.context
    turn = state["turn"]
    message = message_from_json(turn["message"])
    await take_in(context.memory, message, context.clock())
    if not message.awaits_turn:
        return {"turn": {**turn, "decision": "record", "claimed": []}}
    claimed = await context.memory.ledger.claim(turn["turn_id"], message)
    if all(stored.uid != message.uid for stored in claimed):
        return {"turn": {**turn, "decision": "record", "claimed": []}}
    since = state.get("window_seq", 0)
    policy, pauses, fresh = await asyncio.gather(
        context.memory.policies.resolve(message.chat),
        context.memory.pauses.lasting(
            message.chat.tenant,
            scopes_of(message.chat)[-1],
            min(context.clock(), *(stored.arrived_at for stored in claimed)),
        ),
        context.memory.ledger.since(message.chat, since, context.options.window),
    )
    decision, texts = decide_stored(claimed, policy, pauses, context.clock())
    orders = [s.message for s in claimed if is_command(s.message, policy)]
    decided: TurnState = {
        **turn,
        "decision": decision,
        "claimed": [stored.uid for stored in claimed if stored.message not in orders],
        "query": "\n".join(said.text for said in texts if said.text),
        "persona": policy.persona_file,
        "command_reply": "",
    }
    resets = False
    if decision == "record":
        await _set_aside(context, turn["turn_id"], claimed, policy)
        decided["claimed"] = []
    elif orders:
        done = await run_commands(orders, turn["turn_id"], context)
        await context.memory.ledger.withhold(message.chat.tenant, [order.uid for order in orders])
        decided["command_reply"], resets = done.reply, done.resets
    if decision == "observe":
        decided["claimed"] += await _take_along(context, message, turn["turn_id"], policy, pauses)
        await _note_held(context, message, turn["turn_id"], claimed, policy)
    window = state.get("messages") or []
    return {
        "turn": decided,
        "messages": cleared(window)
        if resets
        else window_update(window, fresh, context.options.window, policy),
        "window_seq": fresh[-1].seq if fresh else since,
    }


def route(state: State) -> Decision:
    """Say which way the turn goes; `record` ends it."""
    return state["turn"].get("decision", "record")


async def _set_aside(
    context: Context, turn_id: str, claimed: Sequence[StoredMessage], policy: Policy
) -> None:
    """End a turn over what is neither answered nor learned from nor found by a search."""
    message = claimed[-1].message
    await context.memory.ledger.withhold(message.chat.tenant, [stored.uid for stored in claimed])
    if policy.blocks(message):
        await context.memory.audit.write([_line(context, message, turn_id, "blocked")])
    await context.memory.ledger.finish(turn_id, None, None)


async def _take_along(
    context: Context, message: Message, turn_id: str, policy: Policy, pauses: Sequence[Pause]
) -> list[str]:
    """Claim what others said in the group in the meantime, where it needs no answer."""
    if not message.is_group:
        return []
    pending = await context.memory.ledger.pending(message.chat, MAX_PENDING)
    uids = chatter(pending, policy, pauses, context.clock())
    if not uids:
        return []
    return [stored.uid for stored in await context.memory.ledger.claim_also(turn_id, uids)]


async def _note_held(
    context: Context,
    message: Message,
    turn_id: str,
    claimed: Sequence[StoredMessage],
    policy: Policy,
) -> None:
    """Say in the audit that only a pause, or the list of allowed senders, kept an answer back."""
    said = [stored.message for stored in claimed]
    if decide(said, policy) == "respond":
        await context.memory.audit.write([_line(context, message, turn_id, "paused")])
    elif not message.is_group and not policy.admits(message):
        await context.memory.audit.write([_line(context, message, turn_id, "not allowed")])


def _line(context: Context, message: Message, turn_id: str, outcome: str) -> AuditLine:
    return AuditLine(
        tenant=message.chat.tenant,
        thread_id=message.chat.thread_id,
        turn_id=turn_id,
        kind="gate",
        outcome=outcome,
        detail="",
        at=context.clock(),
    )
