"""Make one domain message of the turn's input.

Reads `inbound` (a channel's message, with `again` where its answer is to be given once more) or the
last human message, and of `turn` whose thread it is; writes `turn`, takes what was refused out of
`messages`, and clears `inbound`, `again` and what the last turn recalled. Uses the clock, the ids
and, where somebody typed, the ledger and its revisions: a known id with a new text is an edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from channels.text import clean_text
from memory.domain.channels import traits_of
from memory.domain.chats import (
    STUDIO,
    Actor,
    ChatRef,
    Message,
    StoredMessage,
    local_contact,
    message_uid,
)
from memory.errors import InvalidMessage, RecollectError
from memory.ports.bundle import Memory
from memory.transcript.revisions import edit_to
from nodes.context import Context
from nodes.state import Again, State, TurnState, message_from_json, message_to_json
from nodes.threads import refuse_others, refused_lines
from nodes.window import LOOKED_BACK, last_answer

OWNER = "owner"
"""Identity of the one user whom a LangGraph server lets in."""


class NotTheOwner(RecollectError):
    """Only the owner may run this graph on a server: see `auth` in langgraph.json."""


async def normalize(state: State, runtime: Runtime[Context]) -> State:
    """Start a turn from whatever the caller sent.

    Raises:
        NotTheOwner: the caller of a LangGraph server is not.
        InvalidMessage: there is no message to answer, or its answer was sent, or it was typed into
            a thread that is another contact's.
    """
    _check_caller(runtime)
    removed: list[AnyMessage] = []
    again = state.get("again")
    if inbound := state.get("inbound"):
        message = message_from_json(inbound)
    else:
        message = _from_window(state, runtime)
        stored = await _in_own_thread(state, message, runtime.context.memory)
        removed = refused_lines(state["messages"], stored)
        await _take_edits(state["messages"], stored, message, runtime.context.memory)
        if any(each.uid == message.uid for each in stored):
            again = again or await _outdated_answer(message, runtime.context.memory)
    turn: TurnState = {"turn_id": runtime.context.ids(), "message": message_to_json(message)}
    if again:
        if not traits_of(message.chat.channel).is_synchronous:
            raise InvalidMessage("An answer that was sent to a channel cannot be given again.")
        turn["again"] = again
    done: State = {"inbound": None, "again": None, "recalled": [], "turn": turn}
    return {**done, "messages": removed} if removed else done


def _check_caller(runtime: Runtime[Context]) -> None:
    """Refuse a server's caller who is not the owner.

    A caller may name any contact and tenant, or hand over any channel's message as `inbound`.
    """
    server = runtime.server_info
    if server is not None and (server.user is None or server.user.identity != OWNER):
        raise NotTheOwner


async def _in_own_thread(state: State, message: Message, memory: Memory) -> list[StoredMessage]:
    """Refuse whom the thread is not of; return what the ledger has of its window."""
    window, said = state.get("messages") or [], state.get("turn", {}).get("message")
    await refuse_others(memory, message, window, message_from_json(said) if said else None)
    uids = [message_uid(message.chat, str(line.id)) for line in window]
    return await memory.ledger.messages(message.chat.tenant, uids)


async def _take_edits(
    window: Sequence[AnyMessage], stored: Sequence[StoredMessage], message: Message, memory: Memory
) -> None:
    """Take a known id with a new text for an edit. What it said before is a replay, and is none."""
    texts = {
        str(line.id): clean_text(line.text) for line in window if isinstance(line, HumanMessage)
    }
    for each in stored:
        name = each.message.message_id
        said = replace(message, message_id=name, text=texts.get(name, each.in_full.text))
        if edit := edit_to(each, said, message.sent_at):
            history = await memory.revisions.history(message.chat.tenant, each.uid)
            if said.text not in {one.text_before for one in history}:
                await memory.revisions.change(edit, message.sent_at)


async def _outdated_answer(message: Message, memory: Memory) -> Again | None:
    """Return which answer is to be given again: the chat's last, if what it answers was edited."""
    last = last_answer(await memory.ledger.since(message.chat, 0, LOOKED_BACK))
    if last is None or last.question.uid != message.uid or last.question.withheld:
        return None
    # With the edit the answer to the old text is withheld.
    if not (last.question.changes and last.reply.withheld and last.reply.turn_id):
        return None
    return {"turn_id": last.reply.turn_id, "reply_id": last.reply.message.message_id}


def _from_window(state: State, runtime: Runtime[Context]) -> Message:
    messages = state.get("messages") or []
    if not messages or not isinstance(messages[-1], HumanMessage):
        raise InvalidMessage("There is no message to answer: send a human message.")
    last = messages[-1]
    options = runtime.context.options
    info = runtime.execution_info
    thread = (info.thread_id if info else None) or options.contact
    return Message(
        chat=ChatRef(options.tenant, *STUDIO, thread),
        message_id=last.id or runtime.context.ids(),
        actor=Actor.CONTACT,
        sender_id=options.contact,
        sender_name=options.contact,
        contact_id=local_contact(options.contact),
        text=clean_text(last.text),
        sent_at=runtime.context.clock(),
        # No server, no caller: whoever started this process.
        is_owner=True,
    )
