"""Runs turns: one at a time per chat, unfinished work first, every failure kept with its reason."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from graph.events import BegunAgain as BegunAgain
from graph.events import Event as Event
from graph.events import Failed as Failed
from graph.events import Finished as Finished
from graph.events import NodeDone as NodeDone
from graph.events import Outcome, events_of
from graph.events import Stored as Stored
from graph.events import Token as Token
from graph.retry import is_outage
from memory.domain.chats import Actor, ChatRef, Message, local_contact
from memory.domain.facts import Fact
from memory.domain.recalls import Receipt
from memory.errors import RecollectError, Transient, reason_of
from memory.transcript.intake import Intake, take_in
from nodes.context import GivenOptions
from nodes.state import State, TurnInput, TurnOutput, TurnState, message_to_json
from nodes.window import LOOKED_BACK as LOOKED_BACK
from nodes.window import last_answer

if TYPE_CHECKING:
    from graph.stores import Stores

RECURSION_LIMIT = 25

Graph = CompiledStateGraph[State, GivenOptions, TurnInput, TurnOutput]


class NothingToAnswerAgain(RecollectError):
    """The last message here has no answer yet that could be given again."""


class Agent:
    """The compiled graph on open stores, as entry points use it."""

    def __init__(self, graph: Graph, stores: Stores) -> None:
        self.graph = graph
        self.stores = stores

    def local_message(self, text: str, contact: str | None = None) -> Message:
        """Return what a person typed into the terminal or the page, as a message."""
        settings = self.stores.settings
        name = contact or settings.contact
        return Message(
            chat=self.local_chat(name),
            message_id=self.stores.ids(),
            actor=Actor.CONTACT,
            sender_id=name,
            sender_name=name,
            contact_id=local_contact(name),
            text=text,
            sent_at=self.stores.clock(),
            is_owner=True,
        )

    def local_chat(self, contact: str | None = None) -> ChatRef:
        """Return the direct chat of a contact in the terminal and the page."""
        settings = self.stores.settings
        return ChatRef(settings.tenant, "web", "local", contact or settings.contact)

    async def take_in(self, message: Message, about: str = "") -> Intake:
        """Store a channel's message, durably; its turn is run by whoever works on the chat.

        `about`: the uid of the message that it is about, if it is about one.
        """
        stores = self.stores
        now = stores.clock()
        return await take_in(stores.memory, message, now, for_worker=True, about=about)

    async def send(self, message: Message) -> AsyncGenerator[Event]:
        """Run the turn of a message, after the chat's unfinished work; yield what happens.

        The words of the reply come while they are written.

        Raises:
            StoreUnavailable: Postgres cannot be reached for the chat's lock.
        """
        async with self.stores.memory.locks.hold(message.chat.thread_id):
            async with aclosing(self.resume_held(message.chat, is_watched=True)) as events:
                async for event in events:
                    yield event
            async with aclosing(self.send_held(message, is_watched=True)) as events:
                async for event in events:
                    yield event

    async def resume(self, chat: ChatRef) -> AsyncGenerator[Event]:
        """Finish the chat's unfinished turn, if there is one."""
        async with (
            self.stores.memory.locks.hold(chat.thread_id),
            aclosing(self.resume_held(chat, is_watched=True)) as events,
        ):
            async for event in events:
                yield event

    def send_held(self, message: Message, *, is_watched: bool = False) -> AsyncGenerator[Event]:
        """Run the turn of a message. The caller holds the chat's lock, and has resumed the chat.

        Tokens come only where it `is_watched`: a tenth of a turn's CPU time goes into them.
        """
        return self._run(message.chat, {"inbound": message_to_json(message)}, is_watched=is_watched)

    async def resume_held(
        self, chat: ChatRef, *, is_watched: bool = False
    ) -> AsyncGenerator[Event]:
        """Finish the chat's unfinished turn, if there is one. The caller holds the chat's lock."""
        if await self.stores.saver.is_unfinished(chat.thread_id):
            async with aclosing(self._run(chat, None, is_watched=is_watched)) as events:
                async for event in events:
                    yield event

    async def give_up(self, chat: ChatRef) -> None:
        """End the chat's unfinished turn where it stopped, so that the next message gets its own.

        The window stays as it is. The caller holds the chat's lock.
        """
        config = _config(chat)
        # A node that was done but not yet taken in is taken in first, and calls the one after it.
        while (await self.graph.aget_state(config)).tasks:
            await self.graph.aupdate_state(config, None, as_node=END)

    async def stop(self, chat: ChatRef, reason: str) -> bool:
        """End the turn that somebody stopped running; False where there is nothing to try again.

        Its messages stay with it in the ledger, and it can be retried, like one that failed; one
        that had not claimed its messages leaves nothing behind. A turn whose outcome is stored is
        left to be finished.
        """
        async with self.stores.memory.locks.hold(chat.thread_id):
            state = await self.graph.aget_state(_config(chat))
            if _is_stored(state):
                return False
            is_filed = bool(_begun(state)) and await self._file(chat, state, reason)
            await self.give_up(chat)
        return is_filed

    async def bury(self, message: Message, reason: str) -> str:
        """Make a failed turn of a message that no turn gets to claim; return the turn's id.

        With it go the sender's other waiting messages. The caller holds the chat's lock.
        """
        turn_id = self.stores.ids()
        await self.stores.memory.ledger.claim(turn_id, message)
        await self.stores.memory.turns.fail(message.chat.tenant, turn_id, reason)
        return turn_id

    async def retry(self, turn_id: str) -> AsyncGenerator[Event]:
        """Finish a failed turn where it stopped, or run it anew after the chat's unfinished one."""
        turns = self.stores.memory.turns
        failed = await turns.failed(self.stores.settings.served_tenants, turn_id)
        if failed is None:
            return
        chat = failed.chat
        async with self.stores.memory.locks.hold(chat.thread_id):
            is_over = _begun(await self.graph.aget_state(_config(chat))) == turn_id
            async with aclosing(self.resume_held(chat, is_watched=True)) as events:
                async for event in events:
                    yield event
                    # New input would take the place of what an outage leaves unfinished.
                    is_over = is_over or (isinstance(event, Failed) and event.is_outage)
            released = [] if is_over else await turns.release(chat.tenant, turn_id)
            if not released:
                return
            async with aclosing(self.send_held(released[-1].message, is_watched=True)) as events:
                async for event in events:
                    yield event

    async def answer_again(self, chat: ChatRef, turn_id: str = "") -> AsyncGenerator[Event]:
        """Give a chat's last answer once more, after its unfinished work; yield what happens.

        The new answer takes the place of the old one when it is stored; what goes wrong before
        leaves the old one as it was. `turn_id`: of the answer that the caller saw; nothing is done
        where it is no longer the last.

        Raises:
            NothingToAnswerAgain: the chat's last message was not answered.
            StoreUnavailable: Postgres cannot be reached.
        """
        async with self.stores.memory.locks.hold(chat.thread_id):
            async with aclosing(self.resume_held(chat, is_watched=True)) as events:
                async for event in events:
                    yield event
            last = last_answer(await self.stores.memory.ledger.since(chat, 0, LOOKED_BACK))
            if last is None:
                raise NothingToAnswerAgain
            if turn_id not in ("", last.reply.turn_id):
                return
            turn: TurnInput = {
                "inbound": message_to_json(last.question.message),
                "again": {
                    "turn_id": str(last.reply.turn_id),
                    "reply_id": last.reply.message.message_id,
                },
            }
            async with aclosing(self._run(chat, turn, is_watched=True)) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        event = replace(event, before=last.reply.message.text)
                    yield event

    async def receipts(self, chat: ChatRef, limit: int = 1) -> list[Receipt]:
        """Return the chat's latest receipts, newest first."""
        return await self.stores.memory.turns.receipts(chat, limit)

    async def facts(self, contact: str | None = None) -> list[Fact]:
        """Return the active facts about a contact of the terminal and the page."""
        settings = self.stores.settings
        return await self.stores.memory.facts.active(
            settings.tenant, local_contact(contact or settings.contact)
        )

    async def _run(
        self, chat: ChatRef, turn: TurnInput | None, *, is_watched: bool
    ) -> AsyncGenerator[Event]:
        config = _config(chat)
        outcome = Outcome()
        started = time.perf_counter()
        try:
            # Wired once for all nodes, which take a context that is complete as it is.
            context = cast("GivenOptions", await self.stores.wire(GivenOptions()))
            stream = self.graph.astream(
                turn,
                config,
                context=context,
                stream_mode=["updates", "messages"] if is_watched else ["updates"],
                durability="sync",
            )
            # Closed with this generator, so that nothing runs any more when the lock is let go.
            async with aclosing(cast("AsyncGenerator[tuple[str, Any]]", stream)) as parts:
                async for mode, part in parts:
                    if mode == "updates" and isinstance(part, dict):
                        outcome.read(part)
                    for event in events_of(mode, part, started, outcome):
                        if isinstance(event, Stored):
                            self.stores.projector.wake()
                        if isinstance(event, NodeDone):
                            started = time.perf_counter()
                        yield event
        # The outer loop of a turn: whatever fails is kept with its reason, and nothing is lost.
        except Exception as error:  # noqa: BLE001
            yield await self._failed(chat, error)
            return
        if turn is None:
            # A resumed run shows only the nodes that were left.
            outcome.complete((await self.graph.aget_state(config)).values)
        yield outcome.finished(resumed=turn is None)

    async def _failed(self, chat: ChatRef, error: Exception) -> Failed:
        """File a failure, and end a turn that would fail again the same way.

        With the database itself down the turn stays unfinished as it is.
        """
        reason, may_pass = reason_of(error), is_outage(error)
        try:
            state = await self.graph.aget_state(_config(chat))
            turn_id = _begun(state)
            stays = bool(turn_id and state.values["turn"].get("again"))
            is_filed = bool(turn_id) and await self._file(chat, state, reason)
            if state.tasks and (stays or not may_pass):
                await self.give_up(chat)
                turn_id = turn_id if is_filed else ""
        except Transient:
            return Failed("", reason, is_outage=True)
        return Failed("" if stays else turn_id, reason, may_pass and not stays, stays)

    async def _file(self, chat: ChatRef, state: StateSnapshot, reason: str) -> bool:
        """Keep why a turn failed; False where it had not claimed its messages.

        One that was to give an answer again leaves nothing behind.
        """
        turn: TurnState = state.values["turn"]
        if turn.get("again"):
            await self.stores.memory.ledger.finish(chat.tenant, turn["turn_id"])
            return True
        return await self.stores.memory.turns.fail(chat.tenant, turn["turn_id"], reason)


def _config(chat: ChatRef) -> RunnableConfig:
    return {"configurable": {"thread_id": chat.thread_id}, "recursion_limit": RECURSION_LIMIT}


def _begun(state: StateSnapshot) -> str:
    """Return the id of the turn that a chat's state is in the midst of; empty where it is not."""
    # Before normalize is done, the state still holds the turn before this one. A node's task stays
    # in the state until it is taken in, which whoever is stopped or killed may not come to.
    left = {task.name: task.result for task in state.tasks}
    is_begun = bool(left) and "__start__" not in left and left.get("normalize", {}) is not None
    turn: TurnState = state.values.get("turn", {}) if is_begun else {}
    return turn.get("turn_id", "")


def _is_stored(state: StateSnapshot) -> bool:
    """Tell whether the outcome of the turn that a chat's state is in the midst of is stored."""
    left = {task.name: task.result for task in state.tasks}
    return "extract" in left or left.get("store") is not None
