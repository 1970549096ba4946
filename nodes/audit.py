"""Lines for the audit: what the gate and the checks found in a turn, never a text of anybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from memory.domain.chats import Message
from memory.domain.work import AuditLine
from nodes.context import Context
from nodes.state import TurnState


async def write_findings(
    turn: TurnState,
    message: Message,
    context: Context,
    kind: Literal["gate", "input", "output"],
    outcomes: Mapping[str, str],
) -> None:
    """Write a line for each outcome, with its detail; none writes nothing."""
    chat = message.chat
    await context.memory.audit.write(
        [
            AuditLine(
                chat.tenant, chat.thread_id, turn["turn_id"], kind, outcome, detail, context.clock()
            )
            for outcome, detail in outcomes.items()
        ]
    )
