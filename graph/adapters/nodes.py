"""Our nodes in a graph of somebody else's: retrieve before the model, store after it.

The graph's state needs `messages` and `recalled` (`MemoryState` has both). Who is talking and in
which conversation come with the run: `configurable` has `contact` and `thread_id`. As in our own
graph, the state holds ids and scores; texts are read when the prompt is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import MessagesState
from langgraph.runtime import Runtime

from channels.text import clean_text
from graph.stores import Stores
from memory.domain.channels import INGEST
from memory.domain.chats import Actor, ChatRef, Message, contact_named
from memory.domain.recalls import Recalled
from memory.errors import InvalidMessage
from memory.recall.passages import remember
from memory.recall.recall import Scope
from memory.transcript.intake import conversation_of_one, judge, note_rules
from nodes import extract, retrieve
from nodes.context import Context, GivenOptions
from nodes.prompts import render_memory
from nodes.state import RecalledState, State, message_to_json

ACCOUNT: Final = "graph"
"""Of the channel of conversations that other systems lead: those of a graph."""


class MemoryState(MessagesState, total=False):
    """The least that a graph with our nodes keeps: its messages, and ids of what was recalled."""

    recalled: list[RecalledState]
    certainty: float | None


@dataclass(frozen=True, slots=True)
class MemoryNodes:
    """Two nodes on open stores, and what reads a prompt's memory between them."""

    stores: Stores

    async def retrieve(self, state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
        """Find what fits the last human message, within what its contact may hear.

        Raises:
            InvalidMessage: there is no human message, or the run names no conversation.
        """
        said = self._said(state["messages"], config)
        found = await retrieve.retrieve(self._turn(state, said), await self._runtime())
        return {"recalled": found["recalled"], "certainty": found["certainty"]}

    async def read(self, state: MemoryState, config: RunnableConfig) -> str:
        """Return what was recalled as a fenced block for the prompt; empty where it is nothing.

        What was forgotten or edited since is read as it is now.
        """
        said = self._said(state["messages"], config)
        recalled = [_entry(each) for each in state.get("recalled") or ()]
        memory, budget = self.stores.memory, self.stores.settings.memory_tokens
        found = await remember(memory, Scope.of(said), recalled, budget)
        block = replace(found.block, certainty=state.get("certainty"))
        return render_memory(block) if block.facts or block.passages or block.quoted else ""

    async def store(self, state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
        """Keep the last human message and the reply to it, once, and learn from the former.

        Raises:
            InvalidMessage: there is no human message, or the run names no conversation, or another
                contact's.
        """
        memory = self.stores.memory
        said = self._said(state["messages"], config)
        policy = await memory.policies.resolve(said.chat)
        said = judge(said, policy)
        reply = _reply(state["messages"], said)
        spoken = [said] if reply is None else [said, reply]
        # Led by another system: it waits for no turn of ours, and is never answered.
        async with conversation_of_one(memory, said):
            await memory.ledger.record(spoken, history=True, arrived_at=self.stores.clock())
        await note_rules(memory, [said], policy.never)
        await extract.extract(self._turn(state, said), await self._runtime())
        self.stores.projector.wake()
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

    def _said(self, messages: Sequence[AnyMessage], config: RunnableConfig) -> Message:
        given = config.get("configurable") or {}
        thread, name = given.get("thread_id"), given.get("contact")
        human = next((m for m in reversed(messages) if isinstance(m, HumanMessage)), None)
        if human is None or human.id is None:
            raise InvalidMessage("There is no human message with an id to remember.")
        if not thread:
            raise InvalidMessage("Say which conversation it is: configurable.thread_id.")
        contact = contact_named(str(name or self.stores.settings.contact))
        return Message(
            chat=ChatRef(self.stores.settings.tenant, INGEST, ACCOUNT, str(thread)),
            message_id=human.id,
            actor=Actor.CONTACT,
            sender_id=contact,
            sender_name=str(human.name or name or ""),
            contact_id=contact,
            text=clean_text(human.text),
            sent_at=self.stores.clock(),
        )


def _reply(messages: Sequence[BaseMessage], said: Message) -> Message | None:
    """Return what the model said to the message; None where it has not, or has only used tools."""
    last = messages[-1]
    if not isinstance(last, AIMessage) or not last.id or not last.text.strip():
        return None
    return replace(
        said,
        message_id=last.id,
        actor=Actor.AGENT,
        sender_id="agent",
        sender_name="agent",
        text=clean_text(last.text),
        from_me=True,
        is_command=False,
        teaches=False,
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
