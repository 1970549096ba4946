"""Answer with the chat model.

Reads `turn`, `certainty`, `asks_for`, `manner`, `zone`, `writer`, `recalled`, `missing`,
`messages`; writes the last three, and `used`.

Checks what goes in and what comes out (N7), and asks once more whether the owner has taken the
chat over meanwhile: then nothing is generated, and the turn observes. The recalled texts are read
from the stores by their ids here and nowhere kept, so that the checkpoint holds none of them and
what was erased in between is not shown. Of the window, too, what was
edited or deleted since is shown as it is now (X1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from memory.domain.chats import Message, message_uid
from memory.domain.recalls import Recalled, use_to_json
from memory.errors import ModelFailed
from memory.policy.rules import DEFAULT_PERSONA_FILE, BadPolicy, is_paused
from memory.recall.block import MemoryBlock, asks_for_of, moment_of
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope
from memory.recall.underway import chat_state, room_for_memory, with_underway
from memory.text.apart import read_apart
from memory.text.zones import zone_of
from nodes.audit import write_findings
from nodes.checks.checked import Checked
from nodes.checks.guard import ReplyGuard
from nodes.checks.input import check_input, checked_window
from nodes.checks.model import CheckedModel
from nodes.checks.output import LOOP_LINE, POLITE_LINE
from nodes.context import Context
from nodes.prompts import build_prompt
from nodes.state import (
    State,
    TurnState,
    burst_of,
    message_from_json,
    recalled_to_json,
    replaced_uids,
)
from nodes.use import lines_of, use_of
from nodes.window import MAY_INSTRUCT, as_it_is_now, current_last, marked


async def generate(state: State, runtime: Runtime[Context]) -> State:
    """Ask the model once.

    Raises:
        ModelFailed: the answer is empty; worth another try at once.
    """
    context, turn = runtime.context, state["turn"]
    message = message_from_json(turn["message"])
    window = current_last([*(state.get("messages") or [])], turn, message.chat)
    recalled = [Recalled(**entry) for entry in state.get("recalled") or []]
    uids = [message_uid(message.chat, str(line.id)) for line in window if line.id]
    # The answer that this one takes the place of is shown nowhere, as if it were in the window.
    uids += replaced_uids(turn, message)
    manner, again = state.get("manner") or {"advice": "", "unasked": None}, turn.get("again")
    budget, unasked = context.options.memory_tokens, manner["unasked"]
    room, zone = room_for_memory(budget), zone_of(state.get("zone", "")) or UTC
    scope = Scope.of(message, zone)
    remembered, goes_on, persona = await asyncio.gather(
        remember(context.memory, scope, recalled, room, uids, unasked, question=turn["query"]),
        chat_state(context.memory, message.chat, context.clock(), recalled),
        _persona(turn, message, context),
    )
    window = as_it_is_now(window, remembered.window)
    if is_paused(goes_on.pauses, context.clock()):
        await write_findings(turn, message, context, "gate", {"paused": ""})
        return {"turn": {**turn, "decision": "observe", "reason": "paused"}, "recalled": []}
    guard = ReplyGuard(persona, window, context.secrets)
    model = CheckedModel(inner=context.model, guard=guard)
    size = sum(len(line.text) for line in window)
    lines = await read_apart(lambda: checked_window(window), size)
    lines = marked(lines, turn, message.chat)
    block = _block(state, context, remembered, recalled)
    block, told = with_underway(block, goes_on, uids, recalled, budget, unasked, zone)
    prompt = build_prompt(
        persona,
        block,
        lines,
        advice=manner["advice"],
        of_owner=message.may_instruct,
        is_kept=not burst_of(turn, message)[-1].withheld,
    )
    reply = await model.ainvoke(prompt)
    if not guard.said.strip():
        raise ModelFailed("The model answered with nothing.")
    checked = guard.finish()
    shown = lines_of(remembered, told, lines, message.chat, of_owner=message.may_instruct)
    use = replace(
        use_of(checked.text, turn["query"], shown, _told(model, checked)),
        advice=manner["advice"],
        bound=unasked,
        persona="" if persona == context.options.persona else turn["persona"],
        certainty=block.certainty,
    )
    await _note_checks(window, turn, message, checked, context)
    return {
        # What was gone by now is in no receipt, and what did not fit is marked there.
        "recalled": [recalled_to_json(entry) for entry in (*remembered.recalled, *told.recalled)],
        "missing": list(dict.fromkeys([*state.get("missing", ()), *remembered.missing])),
        "used": use_to_json(use),
        "messages": [
            AIMessage(
                id=again["reply_id"] if again else reply.id or context.ids(),
                content=checked.text,
                response_metadata={"model_name": model_name(context)},
            )
        ],
    }


def _block(
    state: State, context: Context, remembered: Remembered, recalled: Sequence[Recalled]
) -> MemoryBlock:
    """Return the block of what is remembered, with when it is asked, by whom, and how sure it is.

    What is asked for is told only a model that cannot tell it by itself.
    """
    block = remembered.block
    if context.guides_model:
        asks_for = asks_for_of(state.get("asks_for"))
        block = replace(remembered.with_chances(recalled), asks_for=asks_for)
    return replace(
        block,
        now=moment_of(context.clock(), state.get("zone", "")),
        writer=state.get("writer", ""),
        certainty=state.get("certainty"),
    )


def _told(model: CheckedModel, checked: Checked) -> list[list[Any]] | None:
    """Return what the model says that it used; nothing where its words were replaced."""
    return [] if checked.text in (POLITE_LINE, LOOP_LINE) else model.used


async def persona_named(name: str, context: Context) -> str:
    """Return the text of a persona.

    Raises:
        BadPolicy: its file is gone.
    """
    if name == DEFAULT_PERSONA_FILE:
        return context.options.persona
    return await context.memory.personas.text(name)


async def _persona(turn: TurnState, message: Message, context: Context) -> str:
    """Return the persona's text. A file that is gone is no reason not to answer."""
    name = turn.get("persona", DEFAULT_PERSONA_FILE)
    try:
        return await persona_named(name, context)
    except BadPolicy:
        await write_findings(turn, message, context, "gate", {"persona file missing": name})
        return context.options.persona


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
