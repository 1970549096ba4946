"""Answer with the chat model. Reads `turn`, `recalled`, `messages`; writes the reply to `messages`.

Checks what goes in and what comes out (N7), and asks once more whether the owner has taken the
chat over meanwhile: then nothing is generated, and the turn observes. The recalled texts are read
from the stores by their ids here and nowhere kept, so that the checkpoint holds none of them and
what was erased in between is not shown. Of the window, too, what was
edited or deleted since is shown as it is now (X1).
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from memory.domain.chats import Actor, ChatRef, Message, StoredMessage, message_uid
from memory.domain.facts import Fact
from memory.errors import ModelFailed
from memory.policy.rules import DEFAULT_PERSONA_FILE, BadPolicy, is_paused, scopes_of
from memory.text.apart import read_apart
from nodes.audit import write_findings
from nodes.checked_model import CheckedModel
from nodes.checks import (
    LOOP_LINE,
    POLITE_LINE,
    Checked,
    check_input,
    checked_window,
)
from nodes.context import Context
from nodes.prompts import FactLine, MemoryBlock, PassageLine, build_prompt
from nodes.reply_guard import ReplyGuard
from nodes.state import State, TurnState, message_from_json
from nodes.window import MAY_INSTRUCT, as_it_is_now, current_last

# A recalled message and its neighbours are shown so far, in characters: one long answer beside a
# hit would otherwise fill the prompt.
MAX_PASSAGE_CHARS = 2000
MAX_NEIGHBOUR_CHARS = 240


async def generate(state: State, runtime: Runtime[Context]) -> State:
    """Ask the model once.

    Raises:
        ModelFailed: the answer is empty; worth another try at once.
    """
    context, turn = runtime.context, state["turn"]
    message = message_from_json(turn["message"])
    window = current_last([*(state.get("messages") or [])], turn, message.chat)
    block, persona, is_held, window = await asyncio.gather(
        hydrate(state, context),
        _persona(turn, message, context),
        _is_held(message, context),
        _as_it_is_now(window, message.chat, context),
    )
    if is_held:
        await write_findings(turn, message, context, "gate", {"paused": ""})
        return {"turn": {**turn, "decision": "observe"}, "recalled": []}
    guard = ReplyGuard(persona, window, context.secrets)
    model = CheckedModel(inner=context.model, guard=guard)
    size = sum(len(line.text) for line in window)
    lines = await read_apart(lambda: checked_window(window), size)
    reply = await model.ainvoke(build_prompt(persona, block, lines))
    if not guard.said.strip():
        raise ModelFailed("The model answered with nothing.")
    checked = guard.finish()
    await _note_checks(window, turn, message, checked, context)
    return {
        "messages": [
            AIMessage(
                id=reply.id or context.ids(),
                content=checked.text,
                response_metadata={"model_name": model_name(context)},
            )
        ]
    }


async def _persona(turn: TurnState, message: Message, context: Context) -> str:
    """Return the persona's text. A file that is gone is no reason not to answer."""
    name = turn.get("persona", DEFAULT_PERSONA_FILE)
    if name == DEFAULT_PERSONA_FILE:
        return context.options.persona
    try:
        return await context.memory.personas.text(name)
    except BadPolicy:
        await write_findings(turn, message, context, "gate", {"persona file missing": name})
        return context.options.persona


async def _is_held(message: Message, context: Context) -> bool:
    chat, now = message.chat, context.clock()
    return is_paused(
        await context.memory.pauses.lasting(chat.tenant, scopes_of(chat)[-1], now), now
    )


async def _note_checks(
    window: list[AnyMessage],
    turn: TurnState,
    message: Message,
    checked: Checked,
    context: Context,
) -> None:
    """Write what the checks found; of the window only the current message is news."""
    if window and isinstance(window[-1], HumanMessage):
        may_instruct = bool(window[-1].additional_kwargs.get(MAY_INSTRUCT))
        found = check_input(window[-1].text, may_instruct=may_instruct).findings
        outcomes = {"sanitised": ", ".join(sorted(found))} if found else {}
        await write_findings(turn, message, context, "input", outcomes)
    if checked.findings:
        is_replaced = checked.text in (POLITE_LINE, LOOP_LINE)
        outcome = "replaced" if is_replaced else "sanitised"
        detail = ", ".join(sorted(checked.findings))
        await write_findings(turn, message, context, "output", {outcome: detail})


def model_name(context: Context) -> str:
    """Return the name under which receipts file the model."""
    model = context.model
    return str(getattr(model, "model_name", None) or model._llm_type)  # noqa: SLF001


async def _as_it_is_now(
    window: list[AnyMessage], chat: ChatRef, context: Context
) -> list[AnyMessage]:
    """Return the window as the ledger now has it: what is withheld since is gone."""
    uids = [message_uid(chat, str(shown.id)) for shown in window if shown.id]
    return as_it_is_now(window, await context.memory.ledger.messages(chat.tenant, uids))


async def hydrate(state: State, context: Context) -> MemoryBlock:
    """Read the texts of what was recalled. What is gone by now is left out."""
    message = message_from_json(state["turn"]["message"])
    tenant = message.chat.tenant
    ids = {
        kind: [r["item_id"] for r in state.get("recalled") or [] if r["kind"] == kind]
        for kind in ("fact", "message", "quote")
    }
    facts, around, quoted = await asyncio.gather(
        context.memory.facts.active(tenant, message.contact_id) if ids["fact"] else _nothing(),
        context.memory.ledger.messages(tenant, ids["message"], around=1),
        context.memory.ledger.messages(tenant, ids["quote"]),
    )
    shown = [fact for fact in facts if fact.fact_id in ids["fact"]]
    sources = await context.memory.ledger.messages(tenant, [fact.source_uid for fact in shown])
    said = {stored.uid: stored.message.text for stored in sources}
    # Such a fact is closed soon, but its source is gone now.
    revoked = {stored.uid for stored in sources if stored.revoked_at}
    shown = [fact for fact in shown if fact.source_uid not in revoked]
    around = [_as_heard(stored, message) for stored in around]
    lines = [_line(stored) for stored in quoted if stored.message.text]
    return MemoryBlock(
        facts=tuple(FactLine(f.key, f.value, said.get(f.source_uid, "")) for f in shown),
        passages=tuple(_passages(ids["message"], around)),
        quoted=tuple(lines if quoted else _told_quote(message)),
    )


def _as_heard(stored: StoredMessage, asking: Message) -> StoredMessage:
    """Return a message with its speaker named as in this chat, where the asker said it elsewhere.

    An imported chat knows the asker by another name: without this the asker would be quoted to
    themselves as somebody else.
    """
    said = stored.message
    if said.chat == asking.chat or said.contact_id != asking.contact_id:
        return stored
    if asking.is_group or said.actor is not Actor.CONTACT:
        return stored
    return replace(stored, message=replace(said, sender_name=asking.sender_name))


def _told_quote(message: Message) -> list[PassageLine]:
    """Return the quoted text as the channel sent it along, where the ledger does not know it."""
    quote = message.quote
    if quote is None or not quote.text.strip():
        return []
    return [PassageLine("", quote.sender_id or "quoted", _cut(quote.text, MAX_PASSAGE_CHARS))]


async def _nothing() -> list[Fact]:
    return []


def _passages(uids: list[str], around: list[StoredMessage]) -> list[PassageLine]:
    at = {(s.message.chat.thread_id, s.position): s for s in around}
    by_uid = {stored.uid: stored for stored in around}
    lines = []
    for uid in uids:
        if uid not in by_uid or not by_uid[uid].message.text:
            continue
        stored = by_uid[uid]
        thread = stored.message.chat.thread_id
        before = at.get((thread, stored.position - 1))
        after = at.get((thread, stored.position + 1))
        lines.append(_line(stored, _spoken(before), _spoken(after)))
    return lines


def _spoken(stored: StoredMessage | None) -> str:
    if stored is None or not stored.message.text:
        return ""
    return f"{_speaker(stored)}: {_cut(stored.message.text, MAX_NEIGHBOUR_CHARS)}"


def _speaker(stored: StoredMessage) -> str:
    return stored.message.sender_name or stored.message.actor.value


def _line(stored: StoredMessage, before: str = "", after: str = "") -> PassageLine:
    when = stored.message.sent_at.strftime("%Y-%m-%d %H:%M")
    text = _cut(stored.message.text, MAX_PASSAGE_CHARS)
    return PassageLine(when, _speaker(stored), text, before, after)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
