"""Make one domain message of the turn's input.

Reads `inbound` (a channel's message, with `again` where its answer is to be given once more) or the
last human message, and of `turn` whose thread it is; writes `turn`, takes what was refused out of
`messages`, and clears `inbound`, `again` and what the last turn recalled. Uses the clock, the ids
and, where somebody typed, the ledger.
"""

from __future__ import annotations

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from memory.domain.channels import traits_of
from memory.domain.chats import Actor, ChatRef, Message, local_contact, message_uid
from memory.errors import InvalidMessage, RecollectError
from memory.ports.bundle import Memory
from nodes.context import Context
from nodes.state import State, TurnState, message_from_json, message_to_json
from nodes.threads import refuse_others, refused_lines

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
    if inbound := state.get("inbound"):
        message = message_from_json(inbound)
    else:
        message = _from_window(state, runtime)
        removed = await _in_own_thread(state, message, runtime.context.memory)
    turn: TurnState = {"turn_id": runtime.context.ids(), "message": message_to_json(message)}
    if again := state.get("again"):
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


async def _in_own_thread(state: State, message: Message, memory: Memory) -> list[AnyMessage]:
    """Refuse whom the thread is not of; return the removals of what was refused before."""
    window, said = state.get("messages") or [], state.get("turn", {}).get("message")
    await refuse_others(memory, message, window, message_from_json(said) if said else None)
    uids = [message_uid(message.chat, str(line.id)) for line in window]
    return refused_lines(window, await memory.ledger.messages(message.chat.tenant, uids))


def _from_window(state: State, runtime: Runtime[Context]) -> Message:
    messages = state.get("messages") or []
    if not messages or not isinstance(messages[-1], HumanMessage):
        raise InvalidMessage("There is no message to answer: send a human message.")
    last = messages[-1]
    options = runtime.context.options
    info = runtime.execution_info
    thread = (info.thread_id if info else None) or options.contact
    return Message(
        chat=ChatRef(options.tenant, "web", "studio", thread),
        message_id=last.id or runtime.context.ids(),
        actor=Actor.CONTACT,
        sender_id=options.contact,
        sender_name=options.contact,
        contact_id=local_contact(options.contact),
        text=last.text,
        sent_at=runtime.context.clock(),
        # No server, no caller: whoever started this process.
        is_owner=True,
    )
