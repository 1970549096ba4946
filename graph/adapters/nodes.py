"""Our nodes in a graph of somebody else's: retrieve before the model, store after it.

The graph's state needs `messages` and `recalled` (`MemoryState` has both). Who is talking and in
which conversation come with the run: `configurable` has `contact` and `thread_id`. As in our own
graph, the state holds ids and scores; texts are read when the prompt is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import MessagesState
from langgraph.runtime import Runtime

from graph.adapters.ledger import checked_contact, heard, keep
from graph.stores import Stores
from memory.contacts.timeline import zone_for
from memory.domain.chats import Message
from memory.domain.recalls import Recalled
from memory.errors import InvalidMessage
from memory.recall.block import moment_of
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope
from nodes import retrieve
from nodes.context import Context, GivenOptions
from nodes.extract import learn_in_time
from nodes.prompts import render_memory
from nodes.state import RecalledState, State, message_to_json


class MemoryState(MessagesState, total=False):
    """The least that a graph with our nodes keeps: its messages, and ids of what was recalled."""

    recalled: list[RecalledState]
    certainty: float | None


@dataclass(frozen=True, slots=True)
class MemoryNodes:
    """Two nodes on open stores, and what reads a prompt's memory between them.

    `contact`: whose memory it is in runs that do not say; None where each has to.

    Raises:
        InvalidMessage: `contact` is given, and is none.
    """

    stores: Stores
    contact: str | None = None

    def __post_init__(self) -> None:
        """Refuse a contact that is none."""
        if self.contact is not None:
            checked_contact(self.contact)

    async def retrieve(self, state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
        """Keep what was said, and find what fits it, within what its contact may hear.

        What the model answers then may fail: what a human said is in the ledger.

        Raises:
            InvalidMessage: there is no human message, or the run does not say which conversation
                and whose, or the conversation is another contact's.
        """
        said = await heard(self.stores, state["messages"], config, self.contact)
        kept = await keep(self.stores, state["messages"], said)
        found = await retrieve.retrieve(self._turn(state, kept.said), await self._runtime())
        update = {"recalled": found["recalled"], "certainty": found["certainty"]}
        return {**update, "messages": list(kept.removed)} if kept.removed else update

    async def read(self, state: MemoryState, config: RunnableConfig) -> str:
        """Return what was recalled as a fenced block for the prompt; empty where it is nothing.

        What was forgotten or edited since is read as it is now.

        Raises:
            InvalidMessage: as `retrieve` does, or nothing was recalled before, or for somebody
                else.
        """
        if state.get("recalled") is None:
            raise InvalidMessage(
                "The state has no `recalled`: run memory.retrieve before memory.read, and keep"
                " the key in the state, as MemoryState does."
            )
        said = await heard(self.stores, state["messages"], config, self.contact)
        recalled = [_entry(each) for each in state["recalled"]]
        memory, settings = self.stores.memory, self.stores.settings
        zone = settings.zone
        if not said.is_group:
            zone = await zone_for(memory, said.chat.tenant, said.contact_id, settings.timezone)
        scope, budget = Scope.of(said, zone), settings.memory_tokens
        found = await remember(memory, scope, recalled, budget, question=said.text)
        _refuse_anothers(found, said)
        now = moment_of(self.stores.clock(), str(zone))
        block = replace(found.block, now=now, certainty=state.get("certainty"))
        return render_memory(block) if block.facts or block.passages or block.quoted else ""

    async def store(self, state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
        """Keep what is not kept yet, the reply above all, and learn from what the contact said.

        Raises:
            InvalidMessage: as `retrieve` does.
        """
        said = await heard(self.stores, state["messages"], config, self.contact)
        kept = await keep(self.stores, state["messages"], said)
        projector, uids = self.stores.projector, [each.uid for each in kept.of_contact]
        # Of those that are stored only what is owed is read: what is new, and what was edited.
        await learn_in_time(projector, lambda: projector.take_in("facts", said.chat.tenant, uids))
        projector.wake()
        return {}

    async def _runtime(self) -> Runtime[Context]:
        return Runtime(context=await self.stores.wire(GivenOptions()))

    def _turn(self, state: Mapping[str, Any], said: Message) -> State:
        return {
            "messages": list(state["messages"]),
            "turn": {
                "message": message_to_json(said),
                "claimed": [] if said.withheld else [said.uid],
                "rest": [],
                "query": said.text,
            },
        }


def _refuse_anothers(found: Remembered, said: Message) -> None:
    """Refuse a state in which another contact's private lines were recalled."""
    stored = [found.messages[e.item_id].message for e in found.recalled if e.kind != "fact"]
    if any(not each.is_group and each.contact_id != said.contact_id for each in stored):
        raise InvalidMessage(
            "What this state recalls is another contact's: run memory.retrieve for this one."
        )


def _entry(each: RecalledState) -> Recalled:
    return Recalled(
        kind=each["kind"],
        item_id=each["item_id"],
        score=each["score"],
        parts=each["parts"],
        is_shown=each["is_shown"],
        repeats=each.get("repeats", ""),
    )
