"""Another try of a failed turn: finished where it stopped, or run anew where that is gone."""

from __future__ import annotations

from collections.abc import AsyncIterator

from graph.agent import Agent, Event
from memory.domain import ChatRef, Turn


async def failed_turns(agent: Agent, chat: ChatRef | None = None) -> list[Turn]:
    """Return the failed turns of a chat, oldest first; of the whole tenant when `chat` is None."""
    turns = await agent.stores.turns.in_state(agent.stores.settings.tenant, "failed")
    return [turn for turn in turns if chat is None or turn.chat == chat]


async def retry_turn(agent: Agent, turn: Turn) -> AsyncIterator[Event]:
    """Run a failed turn again; yield what happens."""
    # The thread still holds the newest failed turn: finishing it asks for no second claim.
    async for event in agent.resume(turn.chat):
        yield event
    if any(still.turn_id == turn.turn_id for still in await failed_turns(agent, turn.chat)):
        state = await agent.graph.aget_state({"configurable": {"thread_id": turn.chat.thread_id}})
        if not state.next:
            async for event in agent.retry(turn.turn_id):
                yield event
