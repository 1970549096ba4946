"""Keep the turn's outcome: reply, receipt and outbox row.

Reads `turn`, `recalled`, `missing`, `used`, `messages`; writes a command's reply to `messages`.
What answered a command is a row of its own, so that no window shows it. An answer that is given
again takes the place of the one before it. Idempotent by turn and message id.
"""

from __future__ import annotations

from dataclasses import replace

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from channels.markup import render
from memory.domain.channels import traits_of
from memory.domain.chats import Actor, Message, Quote
from memory.domain.recalls import Recalled, Receipt, use_from_json
from nodes.context import Context
from nodes.generate import model_name
from nodes.state import State, TurnState, burst_of, message_from_json
from nodes.window import COMMAND_REPLY

PATH_RESPOND = ("normalize", "policy_gate", "retrieve", "generate", "store", "extract")


async def store(state: State, runtime: Runtime[Context]) -> State:
    """Store the reply before anybody sends it (W6)."""
    context = runtime.context
    turn = state["turn"]
    message = message_from_json(turn["message"])
    reply = _reply(state, turn, message, context)
    shown = _command_reply(turn, message, context)
    receipt = _receipt(state, turn, reply, context) if reply is not None else None
    if reply is not None and receipt is not None and (again := turn.get("again")):
        tenant, replaced = message.chat.tenant, again["turn_id"]
        await context.memory.replies.replace(tenant, turn["turn_id"], replaced, reply, receipt)
        return {"recalled": []}
    said = [each for each in (shown, reply) if each is not None]
    parts: dict[str, tuple[str, ...]] = {}
    if not traits_of(message.chat.channel).is_synchronous:
        parts = {each.uid: render(each.text, message.chat.channel) for each in said}
    await context.memory.ledger.finish(message.chat.tenant, turn["turn_id"], said, receipt, parts)
    if shown is None or reply is not None:
        return {"recalled": []}
    return {"messages": [AIMessage(id=shown.message_id, content=shown.text)], "recalled": []}


def _reply(state: State, turn: TurnState, message: Message, context: Context) -> Message | None:
    if turn["decision"] != "respond":
        return None
    window, again = state.get("messages") or [], turn.get("again")
    last = next((m for m in window if again and m.id == again["reply_id"]), window[-1])
    reply = _spoken(str(last.id), last.text, _addressing(turn, message), context)
    return replace(reply, withheld=_is_kept_out(turn))


def _addressing(turn: TurnState, message: Message) -> Message:
    """Return which message of a burst is answered: the last that addresses the agent, if any."""
    burst = burst_of(turn, message)
    asking = [each for each in burst if each.mentions_agent or each.replies_to_agent]
    return asking[-1] if asking else message


def _is_kept_out(turn: TurnState) -> bool:
    """Tell whether a rule keeps out what is answered: what is said to it would tell of it."""
    # A turn that an earlier version began does not say it.
    return any(said.get("withheld") for said in (turn["message"], *turn.get("rest", ())))


def _command_reply(turn: TurnState, message: Message, context: Context) -> Message | None:
    text = turn.get("command_reply", "")
    if not text:
        return None
    reply = _spoken(COMMAND_REPLY + turn["turn_id"], text, message, context)
    # It is between the owner and the machine: no prompt shows it.
    return replace(reply, withheld=True)


def _spoken(message_id: str, text: str, message: Message, context: Context) -> Message:
    return Message(
        chat=message.chat,
        message_id=message_id,
        actor=Actor.AGENT,
        sender_id="agent",
        sender_name="agent",
        contact_id=message.contact_id,
        text=text,
        sent_at=context.clock(),
        is_group=message.is_group,
        from_me=True,
        quote=Quote(message.message_id) if message.is_group else None,
    )


def _receipt(state: State, turn: TurnState, reply: Message, context: Context) -> Receipt:
    return Receipt(
        turn_id=turn["turn_id"],
        reply_uid=reply.uid,
        query="" if _is_kept_out(turn) else turn["query"],
        recalled=tuple(Recalled(**entry) for entry in state.get("recalled") or []),
        # What was learned from the messages was learned when they were answered first.
        nodes=PATH_RESPOND[:-1] if turn.get("again") else PATH_RESPOND,
        model=model_name(context),
        created_at=context.clock(),
        missing=tuple(state.get("missing", ())),
        use=use_from_json(used) if (used := state.get("used")) else None,
    )
