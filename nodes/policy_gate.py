"""Take the message in, claim what waits with it, decide what the turn does, fill the window.

Reads `turn`; writes `turn`, `messages` (the window, from the ledger) and `window_seq`. Uses the
ledger, the outbox, the policies, the pauses and the audit, and for commands the facts, receipts
and personas. What our own account sent ends here, or with the answer to a command (W7). What was
answered and is to be answered once more stays as it is until `store`; its commands are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from langgraph.runtime import Runtime

from memory.domain.channels import traits_of
from memory.domain.chats import Message, StoredMessage
from memory.domain.work import Claim
from memory.policy.rules import Standing
from memory.transcript.intake import take_in
from nodes.audit import write_findings
from nodes.commands.run import Done, run_commands
from nodes.context import Context
from nodes.decisions import chatter, decide, decide_stored
from nodes.state import Decision, State, TurnState, message_from_json, message_to_json
from nodes.window import cleared, outdated, window_update

# Rows that are looked at for chatter: enough for one turn, whatever the queue holds.
MAX_PENDING = 1_000
# Pauses that ended so long ago are read with the policy: most messages wait for seconds.
RECENT = timedelta(minutes=10)


async def policy_gate(state: State, runtime: Runtime[Context]) -> State:
    """Let a turn go on only for messages that no other turn has claimed."""
    context, turn = runtime.context, state["turn"]
    message = message_from_json(turn["message"])
    since = state.get("window_seq", 0)
    standing = await context.memory.policies.standing(message.chat, context.clock() - RECENT)
    again = turn.get("again")
    hours = context.options.window_h
    # Lines of the state do not say when they were said: where that counts, they are read again.
    claim = await _claim(context, turn, message, 0 if hours else since, standing)
    if not claim.said:
        return {"turn": {**turn, "decision": "record", "reason": "claimed", "claimed": []}}
    standing = await _with_older_pauses(context, standing, claim.said)
    verdict, texts = decide_stored(claim.said, standing.policy, standing.pauses, context.clock())
    decision = "observe" if again and verdict.decision == "record" else verdict.decision
    done = Done("")
    along: Sequence[StoredMessage] = claim.along
    if decision == "record":
        await _set_aside(context, turn, claim.said, standing)
    elif any(each.message.is_command for each in claim.said):
        done = await run_commands(claim.said, turn["turn_id"], context, standing.pauses)
    if decision == "observe":
        along = [*along, *await _take_along(context, message, turn["turn_id"], standing)]
        await _note_held(context, message, turn, claim.said, standing)
    learned = [each for each in claim.said if not each.message.is_command]
    hidden = claim.said if decision == "record" else [s for s in claim.said if s.withheld]
    old = outdated(claim.window, min(said.message.sent_at for said in claim.said), hours)
    gone = {*(each.message.message_id for each in hidden), *old}
    news = [each for each in claim.window if each.seq > since or each.turn_id == turn["turn_id"]]
    shown = [line for line in news if line.message.message_id not in gone]
    window = state.get("messages") or []
    return {
        "turn": {
            **turn,
            **_claimed(message, learned, along, keeps=decision != "record"),
            "decision": decision,
            "reason": verdict.reason,
            "query": "\n".join(said.text for said in texts if said.text),
            "persona": standing.policy.persona_file,
            "command_reply": done.reply,
        },
        "messages": cleared(window)
        if done.resets
        else window_update(window, shown, gone, context.options.window),
        # An answer that is given again stays before this place: the next turn reads it anew.
        "window_seq": max(each.seq for each in claim.said)
        if again
        else max([since, *(each.seq for each in (*claim.said, *claim.window))]),
    }


def route(state: State) -> Decision:
    """Say which way the turn goes; `record` ends it."""
    return state["turn"].get("decision", "record")


async def _claim(
    context: Context, turn: TurnState, message: Message, since: int, standing: Standing
) -> Claim:
    """Claim the message, stored first where it is not yet: what a channel brought, is."""
    ledger, size, turn_id = context.memory.ledger, context.options.window, turn["turn_id"]
    if again := turn.get("again"):
        replies, before = context.memory.replies, again["turn_id"]
        return await replies.claim(turn_id, message, before, after=since, window=size)
    if not traits_of(message.chat.channel).is_synchronous:
        claim = await ledger.claim(turn_id, message, after=since, window=size)
        if claim.said:
            return claim
    taken = await take_in(context.memory, message, context.clock(), standing.policy)
    if taken.outcome == "echo" or not taken.message.awaits_turn:
        return Claim()
    return await ledger.claim(turn_id, message, after=since, window=size)


async def _with_older_pauses(
    context: Context, standing: Standing, said: Sequence[StoredMessage]
) -> Standing:
    """Return the standing with the pauses since the oldest message, which may have waited long."""
    oldest = min(stored.arrived_at for stored in said)
    if oldest >= context.clock() - RECENT:
        return standing
    return await context.memory.policies.standing(said[0].message.chat, oldest)


def _claimed(
    message: Message,
    learned: Sequence[StoredMessage],
    along: Sequence[StoredMessage],
    *,
    keeps: bool,
) -> TurnState:
    """Return the part of the turn that says what it claimed, its message as it was stored."""
    if not keeps:
        return {"claimed": [], "rest": []}
    stored = {each.uid: each.message for each in learned}
    # A command or a wish is answered by itself: the turn goes on with what was said beside it.
    own = stored.get(message.uid) or next(reversed(stored.values()), message)
    return {
        "message": message_to_json(own),
        "claimed": [each.uid for each in (*learned, *along)],
        "rest": [message_to_json(said) for uid, said in stored.items() if uid != own.uid],
    }


async def _set_aside(
    context: Context, turn: TurnState, said: Sequence[StoredMessage], standing: Standing
) -> None:
    """End a turn over what is neither answered nor learned from nor found by a search."""
    message = said[-1].message
    tenant = message.chat.tenant
    await context.memory.ledger.withhold(tenant, [stored.uid for stored in said])
    if standing.policy.blocks(message):
        await write_findings(turn, message, context, "gate", {"blocked": ""})
    await context.memory.ledger.finish(tenant, turn["turn_id"])


async def _take_along(
    context: Context, message: Message, turn_id: str, standing: Standing
) -> list[StoredMessage]:
    """Claim what others said in the group in the meantime, where it needs no answer."""
    if not message.is_group:
        return []
    pending = await context.memory.ledger.pending(message.chat, MAX_PENDING)
    uids = chatter(pending, standing.policy, standing.pauses, context.clock())
    if not uids:
        return []
    return await context.memory.ledger.claim_also(message.chat.tenant, turn_id, uids)


async def _note_held(
    context: Context,
    message: Message,
    turn: TurnState,
    claimed: Sequence[StoredMessage],
    standing: Standing,
) -> None:
    """Say in the audit that only a pause, or the list of allowed senders, kept an answer back."""
    said = [stored.message for stored in claimed]
    if decide(said, standing.policy).decision == "respond":
        await write_findings(turn, message, context, "gate", {"paused": ""})
    elif not message.is_group and not standing.policy.admits(message):
        await write_findings(turn, message, context, "gate", {"not allowed": ""})
