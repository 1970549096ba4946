"""Turns that failed and wait for another try."""

from __future__ import annotations

from graph.agent import Agent
from memory.domain import ChatRef, Turn


async def failed_turns(agent: Agent, chat: ChatRef | None = None) -> list[Turn]:
    """Return the failed turns of a chat, oldest first; of the whole tenant when `chat` is None."""
    turns = await agent.stores.turns.in_state(agent.stores.settings.tenant, "failed")
    return [turn for turn in turns if chat is None or turn.chat == chat]
