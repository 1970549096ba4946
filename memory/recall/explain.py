"""The receipts of a tenant's replies, wherever they went, with the texts of their memories."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

from memory.domain.recalls import Filed
from memory.policy.rules import BadPolicy, parse_scope
from memory.ports.bundle import Memory
from memory.recall.receipts import Reading, read_memories


class Explanation(NamedTuple):
    """A reply's receipt, and what it was based on in the order in which it was recalled."""

    filed: Filed
    memories: list[Reading]


async def explain(
    memory: Memory, tenant: str, limit: int, *, chat: str = "", turn_id: str = ""
) -> list[Explanation]:
    """Return the newest `limit` receipts, newest first, of one chat or turn where it is named."""
    return [
        Explanation(
            filed,
            await read_memories(memory, tenant, filed.contact_id, filed.receipt.recalled),
        )
        for filed in await memory.turns.filed(tenant, limit, chat=chat, turn_id=turn_id)
    ]


def parse_chat(text: str) -> str:
    """Return the chat that a person wrote as `CHANNEL/ACCOUNT/CHAT_ID`.

    Raises:
        BadPolicy: it is none; one line that says how to write it.
    """
    chat = parse_scope(text)
    if "/" not in chat:
        raise BadPolicy("write a chat as CHANNEL/ACCOUNT/CHAT_ID")
    return chat


def explanation_to_json(explanation: Explanation) -> dict[str, Any]:  # Any: a JSON object
    """Return an explanation as plain JSON; times are ISO 8601 with a zone."""
    filed = explanation.filed
    receipt = filed.receipt
    return {
        "turn_id": receipt.turn_id,
        "chat": filed.chat_name,
        "topic": filed.chat.topic,
        "contact_id": filed.contact_id,
        "reply_uid": receipt.reply_uid,
        "query": receipt.query,
        "model": receipt.model,
        "nodes": list(receipt.nodes),
        "created_at": receipt.created_at.isoformat(),
        "memories": [asdict(reading) for reading in explanation.memories],
    }
