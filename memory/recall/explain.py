"""Receipts of replies, wherever they went, with the texts of their memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from memory.domain.channels import INGEST
from memory.domain.recalls import Filed
from memory.policy.rules import BadPolicy, parse_scope
from memory.ports.bundle import Memory
from memory.recall.receipts import Reading, read_receipts


class Explanation(NamedTuple):
    """A reply's receipt, and what it was based on: what was used first, then what was shown."""

    filed: Filed
    memories: list[Reading]


async def explain(
    memory: Memory, tenants: Sequence[str], limit: int, *, chat: str = "", turn_id: str = ""
) -> list[Explanation]:
    """Return the newest `limit` receipts, newest first, of one chat or turn where it is named."""
    found = [
        filed
        for tenant in tenants
        for filed in await memory.turns.filed(tenant, limit, chat=chat, turn_id=turn_id)
    ]
    found.sort(key=lambda filed: filed.receipt.created_at, reverse=True)
    explained = []
    for filed in found[:limit]:
        tenant, contact = filed.chat.tenant, filed.contact_id
        (read,) = await read_receipts(memory, tenant, contact, [filed.receipt])
        explained.append(Explanation(filed, read))
    return explained


def parse_chat(text: str) -> str:
    """Return the chat that a person wrote as `CHANNEL/ACCOUNT/CHAT_ID`.

    Raises:
        BadPolicy: it is none; one line that says how to write it.
    """
    if text.strip().split("/")[0] == INGEST:
        raise BadPolicy("conversations of POST /ingest are never answered, and have no receipts")
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
        "tenant": filed.chat.tenant,
        "chat": filed.chat_name,
        "topic": filed.chat.topic,
        "contact_id": filed.contact_id,
        "reply_uid": receipt.reply_uid,
        "query": receipt.query,
        "model": receipt.model,
        "nodes": list(receipt.nodes),
        "created_at": receipt.created_at.isoformat(),
        "used": None if receipt.use is None else ("exact" if receipt.use.is_exact else "estimate"),
        "shown_beside": dict(receipt.use.beside) if receipt.use else {},
        "advice": receipt.use.advice if receipt.use else "",
        "memory_held_to_tokens": receipt.use.bound if receipt.use else None,
        "memories": [asdict(reading) for reading in explanation.memories],
        "left_out": receipt.left_out,
        "repeats": dict(receipt.repeats),
        "missing": list(receipt.missing),
    }
