"""Make one domain message of the turn's input. Pure but for the clock and the ids.

Reads `inbound` (a channel's message) or the last human message; writes `turn` and clears
`inbound` and what the last turn recalled.
"""

from __future__ import annotations

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from memory.domain.chats import Actor, ChatRef, Message, local_contact
from memory.errors import InvalidMessage
from nodes.context import Context
from nodes.state import State, message_from_json, message_to_json

MAX_TEXT_CHARS = 65_536


async def normalize(state: State, runtime: Runtime[Context]) -> State:
    """Start a turn from whatever the caller sent.

    Raises:
        InvalidMessage: there is no message to answer, or it is longer than `MAX_TEXT_CHARS`.
    """
    inbound = state.get("inbound")
    message = message_from_json(inbound) if inbound else _from_window(state, runtime)
    if len(message.text) > MAX_TEXT_CHARS:
        raise InvalidMessage(
            f"The message has {len(message.text)} characters; at most {MAX_TEXT_CHARS} are read:"
            " send it in parts."
        )
    return {
        "inbound": None,
        "recalled": [],
        "turn": {"turn_id": runtime.context.ids(), "message": message_to_json(message)},
    }


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
        # Whoever reaches Studio or the API sits at the owner's keyboard.
        is_owner=True,
    )
