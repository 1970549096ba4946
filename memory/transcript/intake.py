"""How every message enters: an echo confirms its delivery, anything else is stored once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from memory.domain.chats import Actor, Message
from memory.policy.commands import is_known_command
from memory.policy.rules import scopes_of
from memory.ports.bundle import Memory

Intake = Literal["echo", "new", "known"]


async def take_in(memory: Memory, message: Message, arrived_at: datetime) -> Intake:
    """Store a message unless it is an echo of a reply of ours, which has its row already (W6).

    What the owner typed by hand in somebody's chat pauses the agent there. Durable when it
    returns: a webhook may answer 2xx then. A crash in between is made good by the redelivery.
    """
    own = message.actor in (Actor.OWNER, Actor.AUTOMATION, Actor.AGENT)
    if own and await memory.outbox.match_echo(message):
        return "echo"
    if is_takeover(message):
        # Before the row: a row without its pause would never get it, a pause is kept by message.
        await _take_over(memory, message, arrived_at)
    (recorded,) = await memory.ledger.record([message], arrived_at=arrived_at)
    return "new" if recorded.is_new else "known"


def is_takeover(message: Message) -> bool:
    """Tell whether a message of the owner's takes a chat over: no command, no note to self."""
    return (
        message.actor is Actor.OWNER
        and not is_known_command(message.text)
        and message.chat.chat_id != message.sender_id
    )


async def _take_over(memory: Memory, message: Message, at: datetime) -> None:
    policy = await memory.policies.resolve(message.chat)
    if policy.takeover_s > 0:
        ends = at + timedelta(seconds=policy.takeover_s)
        scope = scopes_of(message.chat)[-1]
        await memory.pauses.hold(message.chat.tenant, scope, message.uid, "takeover", at, ends)
