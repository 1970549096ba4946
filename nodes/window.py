"""The window: the chat's newest lines, as the model sees them. Pure.

Commands and what answered them are no lines of it: they are between the owner and the machine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage

from memory.domain.chats import Actor, Message, StoredMessage
from memory.policy.commands import parse_command
from memory.policy.rules import Policy

# Ids of replies to commands begin so: by it they are told from what the model said.
COMMAND_REPLY = "command-"
# Marks a line of somebody who may instruct the agent; never sent to a model.
MAY_INSTRUCT = "may_instruct"


def is_command(message: Message, policy: Policy) -> bool:
    """Tell whether a message is for the machine alone: a command that is carried out or refused.

    Somebody else's is one where the policy refuses it. In a group, a command that names a bot is
    ours only where the channel says that we are mentioned. An unknown one is answered only in the
    owner's own chat; forwarded text commands nothing.
    """
    command = parse_command(message.text)
    if command is None or message.forwarded:
        return False
    if message.is_group and command.bot and not message.mentions_agent:
        return False
    if not may_instruct(message):
        return bool(command.name) and policy.from_others == "refused"
    return bool(command.name) or (not message.is_group and message.actor is Actor.CONTACT)


def may_instruct(message: Message) -> bool:
    """Tell whether the sender may command the agent."""
    return message.is_owner or message.actor is Actor.OWNER


def window_update(
    window: Sequence[AnyMessage],
    fresh: Sequence[StoredMessage],
    size: int,
    policy: Policy | None = None,
) -> list[AnyMessage]:
    """Return what `add_messages` needs so that the window holds the newest `size` messages.

    System notices, commands with their replies, and what blocked people said are left out, and
    taken out where the caller's own input had put them in.
    """
    rules = policy or Policy()
    hidden = {stored.message.message_id for stored in fresh if _is_hidden(stored.message, rules)}
    hidden |= {str(m.id) for m in window if str(m.id).startswith(COMMAND_REPLY)}
    added = [_line(s.message) for s in fresh if s.message.message_id not in hidden]
    ids = list(dict.fromkeys(str(m.id) for m in [*window, *added] if str(m.id) not in hidden))
    gone = hidden | set(ids[: max(len(ids) - size, 0)])
    return [*removals(window, gone), *(line for line in added if str(line.id) not in gone)]


def cleared(window: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return what `add_messages` needs so that the window is empty."""
    return removals(window, [str(message.id) for message in window])


def removals(window: Sequence[AnyMessage], gone: Collection[str]) -> list[AnyMessage]:
    """Return the removals of those lines that are in the window."""
    # add_messages takes removals in the list; its declared type leaves them out.
    removed = [RemoveMessage(id=str(m.id)) for m in window if str(m.id) in gone]
    return cast("list[AnyMessage]", removed)


def _is_hidden(message: Message, policy: Policy) -> bool:
    if message.actor is Actor.SYSTEM:
        return True
    if message.actor is Actor.AGENT:
        return message.message_id.startswith(COMMAND_REPLY)
    if message.actor is Actor.AUTOMATION:
        return False
    return is_command(message, policy) or policy.blocks(message)


def _line(message: Message) -> AnyMessage:
    if message.actor is Actor.CONTACT:
        text = message.text
        if message.is_group and message.sender_name:
            text = f"{message.sender_name}: {text}"
        marks: dict[str, Any] = {MAY_INSTRUCT: True} if message.is_owner else {}
        return HumanMessage(id=message.message_id, content=text, additional_kwargs=marks)
    if message.actor is Actor.OWNER:
        return AIMessage(id=message.message_id, content=message.text, name="owner")
    if message.actor is Actor.AUTOMATION:
        return AIMessage(id=message.message_id, content=message.text, name="automation")
    return AIMessage(id=message.message_id, content=message.text)
