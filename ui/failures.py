"""Turns that failed and wait for another try."""

from __future__ import annotations

from graph.agent import Agent
from memory.domain.chats import ChatRef
from memory.domain.work import Turn


async def failed_turns(agent: Agent, chat: ChatRef | None = None) -> list[Turn]:
    """Return a chat's failed turns, oldest first; with no chat those of all served tenants."""
    stores = agent.stores
    return [
        turn
        for tenant in stores.settings.served_tenants
        for turn in await stores.memory.turns.in_state(tenant, "failed")
        if chat is None or turn.chat == chat
    ]
