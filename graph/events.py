"""What happens in a turn, as whoever runs one is told, read from LangGraph's stream."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessageChunk

from nodes.state import Decision, TurnState


@dataclass(frozen=True, slots=True)
class NodeDone:
    """A node ended, `ms` milliseconds after the one before it."""

    node: str
    ms: float


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the reply, while it is being written."""

    text: str


@dataclass(frozen=True, slots=True)
class BegunAgain:
    """The model broke off and was asked again: the reply's pieces so far are no part of it."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The turn's outcome is in the ledger and the outbox: a reply, if there is one, may leave."""

    has_reply: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """A turn ended. `reply` is empty unless it answered; `resumed` if it was an earlier one.

    `before`: the answer that it was asked to give again, whose place its own has taken.
    """

    turn_id: str
    decision: Decision
    reply: str
    resumed: bool
    before: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A turn failed; its messages stay in the ledger and it can be retried.

    `is_outage`: a store or the model could not be had. The turn is unfinished then, and resumed
    before the chat's next one; otherwise it has ended. `answer_stays`: it was to give an answer
    again, and has ended; nothing is to be retried.
    """

    turn_id: str
    reason: str
    is_outage: bool = False
    answer_stays: bool = False


Event = NodeDone | Token | BegunAgain | Stored | Finished | Failed


@dataclass(slots=True)
class Outcome:
    """What a run's updates tell about how it ended."""

    turn: TurnState = field(default_factory=TurnState)
    reply: str = ""
    _written: str = ""
    """The id of the message whose pieces came last: each try of the model has its own."""

    def written(self, chunk: AIMessageChunk) -> list[Event]:
        """Return the events of a piece of the reply, which may be the first of another try."""
        if not chunk.text:
            return []
        before, self._written = self._written, chunk.id or ""
        token = Token(chunk.text)
        return [token] if before in ("", self._written) else [BegunAgain(), token]

    def read(self, updates: dict[str, Any]) -> None:  # Any: LangGraph's stream parts
        """Take in what nodes wrote."""
        for node, update in updates.items():
            if not update:
                continue
            self.turn = update.get("turn", self.turn)
            if node in ("generate", "store") and update.get("messages"):
                self.reply = update["messages"][-1].text

    def complete(self, values: dict[str, Any]) -> None:  # Any: the state's values
        """Take in the state that a run ended with."""
        self.turn = values["turn"]
        if self.turn.get("decision") == "respond":
            self.reply = values["messages"][-1].text
        else:
            self.reply = self.turn.get("command_reply", "")

    def finished(self, *, resumed: bool) -> Finished:
        """Return how the run ended."""
        decision = self.turn.get("decision", "record")
        return Finished(self.turn["turn_id"], decision, self.reply, resumed)


def events_of(
    mode: str,
    part: Any,  # Any: LangGraph's stream parts
    started: float,
    outcome: Outcome,
) -> list[Event]:
    """Return what a part of a run's stream tells; `started`: when the node before was done."""
    if mode == "updates":
        ms = (time.perf_counter() - started) * 1000
        done: list[Event] = [NodeDone(node, ms) for node in part if not node.startswith("__")]
        return [Stored(bool(outcome.reply)), *done] if "store" in part else done
    if mode == "messages":
        chunk, metadata = part
        if isinstance(chunk, AIMessageChunk) and metadata.get("langgraph_node") == "generate":
            return outcome.written(chunk)
    return []
