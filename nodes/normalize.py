"""Make one domain message of the turn's input. Pure but for the clock and the ids.

Reads `inbound` (a channel's message, with `again` where its answer is to be given once more) or the
last human message; writes `turn` and clears `inbound`, `again` and what the last turn recalled.
"""

from __future__ import annotations

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from memory.domain.channels import traits_of
from memory.domain.chats import Actor, ChatRef, Message, local_contact
from memory.errors import InvalidMessage, RecollectError
from nodes.context import Context
from nodes.state import State, TurnState, message_from_json, message_to_json

OWNER = "owner"
"""Identity of the one user whom a LangGraph server lets in."""


class NotTheOwner(RecollectError):
    """Only the owner may run this graph on a server: see `auth` in langgraph.json."""


async def normalize(state: State, runtime: Runtime[Context]) -> State:
    """Start a turn from whatever the caller sent.

    Raises:
        NotTheOwner: the caller of a LangGraph server is not.
        InvalidMessage: there is no message to answer, or its answer was sent.
    """
    _check_caller(runtime)
    inbound = state.get("inbound")
    message = message_from_json(inbound) if inbound else _from_window(state, runtime)
    turn: TurnState = {"turn_id": runtime.context.ids(), "message": message_to_json(message)}
    if again := state.get("again"):
        if not traits_of(message.chat.channel).is_synchronous:
            raise InvalidMessage("An answer that was sent to a channel cannot be given again.")
        turn["again"] = again
    return {"inbound": None, "again": None, "recalled": [], "turn": turn}


def _check_caller(runtime: Runtime[Context]) -> None:
    """Refuse a server's caller who is not the owner.

    A caller may name any contact and tenant, or hand over any channel's message as `inbound`.
    """
    server = runtime.server_info
    if server is not None and (server.user is None or server.user.identity != OWNER):
        raise NotTheOwner


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
