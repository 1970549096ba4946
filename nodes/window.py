"""The window: the chat's newest lines, as the model sees them. Pure.

Commands and what answered them are no lines of it: they are between the owner and the machine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage

from memory.domain.chats import Actor, ChatRef, Message, StoredMessage, message_uid
from memory.transcript.revisions import changed_texts
from nodes.state import TurnState

# Ids of replies to commands begin so: by it they are told from what the model said.
COMMAND_REPLY = "command-"
# Marks a line of somebody who may instruct the agent; never sent to a model.
MAY_INSTRUCT = "may_instruct"
# Marks a line that this turn answers; never sent to a model either.
ANSWERED_NOW = "answered_now"

LOOKED_BACK = 40
"""Lines of a chat among which its last answer is looked for."""


class Answered(NamedTuple):
    """An answer, and the last message of those that it answers."""

    question: StoredMessage
    reply: StoredMessage


def last_answer(lines: Sequence[StoredMessage]) -> Answered | None:
    """Return a chat's last answer, of its newest lines, oldest first; None where it has none.

    Commands may have followed it, and nothing else.
    """
    said = [each for each in lines if not _is_aside(each.message)]
    reply = said[-1] if said else None
    if reply is None or reply.message.actor is not Actor.AGENT or reply.revoked_at:
        return None
    asked = [
        each
        for each in said
        if reply.turn_id and each.turn_id == reply.turn_id and each.message.actor is Actor.CONTACT
    ]
    has_words = any(each.message.text.strip() for each in asked)
    return Answered(asked[-1], reply) if has_words else None


def _is_aside(message: Message) -> bool:
    """Tell whether a line is between the owner and the machine."""
    by_owner = message.actor in (Actor.OWNER, Actor.SYSTEM)
    return message.is_command or by_owner or message.message_id.startswith(COMMAND_REPLY)


def window_update(
    window: Sequence[AnyMessage],
    lines: Sequence[StoredMessage],
    hidden: Collection[str],
    size: int,
) -> list[AnyMessage]:
    """Return what `add_messages` needs so that the window holds the newest `size` messages.

    `lines` are what is new, oldest first, and may be shown; `hidden` are ids of messages that may
    not be: they are taken out where the caller's own input had put them in.
    """
    gone = {*hidden, *(str(m.id) for m in window if str(m.id).startswith(COMMAND_REPLY))}
    added = [_line(stored.message) for stored in lines]
    ids = list(dict.fromkeys(str(m.id) for m in [*window, *added] if str(m.id) not in gone))
    gone |= set(ids[: max(len(ids) - size, 0)])
    return [*removals(window, gone), *(line for line in added if str(line.id) not in gone)]


def outdated(lines: Sequence[StoredMessage], asked: datetime, hours: int) -> list[str]:
    """Return the ids of lines that were said more than `hours` before a moment; 0: of none."""
    if not hours:
        return []
    since = asked - timedelta(hours=hours)
    return [line.message.message_id for line in lines if line.message.sent_at < since]


def current_last(window: list[AnyMessage], turn: TurnState, chat: ChatRef) -> list[AnyMessage]:
    """Return the window up to the newest claimed message: what came later has its own turn."""
    claimed = set(turn["claimed"])
    for index in range(len(window) - 1, -1, -1):
        if message_uid(chat, str(window[index].id)) in claimed:
            return window[: index + 1]
    return [*window, HumanMessage(turn["query"])]


def marked(window: Sequence[AnyMessage], turn: TurnState, chat: ChatRef) -> list[AnyMessage]:
    """Return the window with the lines marked that the turn answers: of a burst all of them."""
    claimed = set(turn["claimed"])
    return [
        line.model_copy(
            update={"additional_kwargs": {**line.additional_kwargs, ANSWERED_NOW: True}}
        )
        if line.id and message_uid(chat, str(line.id)) in claimed
        else line
        for line in window
    ]


def as_it_is_now(window: Sequence[AnyMessage], stored: Sequence[StoredMessage]) -> list[AnyMessage]:
    """Return the window with what the ledger now says of its messages.

    What was edited or deleted since is shown so, what is withheld or forgotten is left out; the
    last line, which is answered, stays.
    """
    texts = {str(shown.id): str(shown.text) for shown in window if shown.id}
    changed = changed_texts(texts, stored)
    gone = {
        each.message.message_id
        for each in stored
        if each.withheld or (each.said is not None and not each.message.text)
    }
    return [
        shown.model_copy(update={"content": changed[str(shown.id)]})
        if str(shown.id) in changed
        else shown
        for shown in window
        if str(shown.id) not in gone or shown is window[-1]
    ]


def cleared(window: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return what `add_messages` needs so that the window is empty."""
    return removals(window, [str(message.id) for message in window])


def removals(window: Sequence[AnyMessage], gone: Collection[str]) -> list[AnyMessage]:
    """Return the removals of those lines that are in the window."""
    # add_messages takes removals in the list; its declared type leaves them out.
    removed = [RemoveMessage(id=str(m.id)) for m in window if str(m.id) in gone]
    return cast("list[AnyMessage]", removed)


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
