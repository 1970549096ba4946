"""What a thread keeps in the checkpoint: the window and where the turn stands. No recalled text."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Final, Literal, NotRequired, cast
from uuid import UUID, uuid5

from langchain_core.messages import AnyMessage, convert_to_messages
from langgraph.graph.message import Messages, add_messages

# Before Python 3.12 pydantic reads no other TypedDict, and Studio would have no message box.
from typing_extensions import TypedDict

from memory.domain.chats import Actor, ChatRef, Message, Quote, message_uid
from memory.domain.recalls import Part, Recalled
from memory.ports.bundle import Memory

Decision = Literal["respond", "observe", "command", "record"]

Reason = Literal[
    "addressed",
    "every_message",
    "command",
    "not_addressed",
    "replies_off",
    "paused",
    "not_allowed",
    "silent_channel",
    "empty_text",
    "blocked",
    "own_account",
    "claimed",
]
"""Why a turn does what it does, as a code; it holds no word of anybody's."""

_NAMESPACE: Final = UUID("2d0f5d0e-6a5c-5b0e-9c56-0d1c2f1f7f14")


def add_said(window: Messages, said: Messages) -> Messages:
    """Add messages as `add_messages` does, each without an id under one of its own.

    It follows from the words and the line before them, so that an input that is replayed from where
    it came in is the same message, and is not stored twice.
    """
    lines = convert_to_messages(window if isinstance(window, list) else [window])
    before = str(lines[-1].id) if lines else ""
    added = []
    for message in convert_to_messages(said if isinstance(said, list) else [said]):
        if message.id is None:
            own = str(uuid5(_NAMESPACE, "\x1f".join((before, message.type, message.text))))
            message = message.model_copy(update={"id": own})
        before = str(message.id)
        added.append(message)
    return add_messages(cast("Messages", lines), cast("Messages", added))


class Again(TypedDict):
    """The answer that a turn gives once more: its turn, and the message id of its line."""

    turn_id: str
    reply_id: str


class TurnState(TypedDict, total=False):
    """One turn, as JSON: its id, its message as it was claimed, its decision, what it claimed.

    `claimed` are message uids, commands left out; `rest` are the sender's further messages among
    them. `persona` is the persona file of the chat's policy. `reason` is why it was decided so.
    `again`: what it answers was answered, and its answer takes the place of that one.
    """

    turn_id: str
    message: dict[str, Any]
    decision: Decision
    reason: Reason
    claimed: list[str]
    rest: list[dict[str, Any]]
    query: str
    command_reply: str
    persona: str
    again: Again


class RecalledState(TypedDict):
    """A memory that enters the prompt: its id and score parts, never its text."""

    kind: Literal["fact", "message", "quote", "episode"]
    item_id: str
    score: float
    parts: dict[str, float]
    is_shown: bool
    repeats: NotRequired[str]


class Manner(TypedDict):
    """How to answer: `advice` on the tone, which may be empty, and how much memory goes unasked.

    `unasked`: estimated tokens; None where the message calls for memory, or nobody can tell.
    """

    advice: str
    unasked: int | None


class TurnInput(TypedDict, total=False):
    """Input of the graph: a LangChain message (Studio, SDK) or a channel's message as JSON.

    `again`: the answer that `inbound` had, where it is to be answered once more.
    """

    messages: Annotated[list[AnyMessage], add_said]
    inbound: dict[str, Any] | None
    again: Again | None


class TurnOutput(TypedDict, total=False):
    """Output of the graph: the window, which ends with the reply if there is one."""

    messages: Annotated[list[AnyMessage], add_said]


class State(TurnInput, total=False):
    """The thread's state. `window_seq` is the ledger's place up to which the window is filled.

    `missing` are the stores that the turn's memory did without; `certainty` is the chance that what
    was found answers; `asks_for` are the kinds of facts of theirs that whoever wrote asks for, with
    the chance; `manner` is how whoever wrote is to be answered, None where that is open; `zone` is
    the time zone that whoever wrote lives in and `writer` their name, empty where nobody knows;
    `used` is what the answer used, as `use_to_json` writes it.
    """

    turn: TurnState
    recalled: list[RecalledState]
    missing: list[Part]
    certainty: float | None
    asks_for: dict[str, float] | None
    manner: Manner | None
    zone: str
    writer: str
    used: dict[str, Any]
    window_seq: int


def message_to_json(message: Message) -> dict[str, Any]:  # Any: a JSON object
    """Return a message as plain JSON, fit for a checkpoint."""
    return asdict(message) | {"actor": message.actor.value, "sent_at": message.sent_at.isoformat()}


def message_from_json(data: dict[str, Any]) -> Message:  # Any: a JSON object
    """Read what `message_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: the object is not such a message.
    """
    quote = data.get("quote")
    return Message(
        **{
            **data,
            "chat": ChatRef(**data["chat"]),
            "actor": Actor(data["actor"]),
            "sent_at": datetime.fromisoformat(data["sent_at"]),
            "quote": Quote(**quote) if quote else None,
        }
    )


def burst_of(turn: TurnState, message: Message) -> list[Message]:
    """Return what its sender said that a turn answers, in order; `message` is the turn's own.

    Commands and wishes are none of it. All are of one sender, in one chat.
    """
    said = {m.uid: m for m in (message, *map(message_from_json, turn.get("rest", ())))}
    return [said[uid] for uid in turn["claimed"] if uid in said]


async def claimed_messages(turn: TurnState, message: Message, memory: Memory) -> list[Message]:
    """Return what a turn claimed, oldest first; only others' messages are read from the ledger.

    `message` is the turn's own. What is edited or deleted meanwhile is followed up after the turn.
    """
    said = {each.uid: each for each in burst_of(turn, message)}
    further = [uid for uid in turn["claimed"] if uid not in said]
    stored = await memory.ledger.messages(message.chat.tenant, further) if further else []
    said |= {entry.uid: entry.message for entry in stored}
    return sorted((said[uid] for uid in turn["claimed"] if uid in said), key=lambda m: m.sent_at)


def replaced_uids(turn: TurnState, message: Message) -> list[str]:
    """Return the uid of the answer that a turn gives once more; none where it gives the first."""
    again = turn.get("again")
    return [message_uid(message.chat, again["reply_id"])] if again else []


def recalled_to_json(entry: Recalled) -> RecalledState:
    """Return a recalled memory as plain JSON."""
    return {
        "kind": entry.kind,
        "item_id": entry.item_id,
        "score": entry.score,
        "parts": dict(entry.parts),
        "is_shown": entry.is_shown,
        "repeats": entry.repeats,
    }
