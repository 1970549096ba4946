"""Receipts in words: which memories a reply was based on, with their texts read from the stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from graph.agent import Agent
from memory.domain.chats import ChatRef, StoredMessage
from memory.domain.facts import Fact
from memory.domain.recalls import Recalled, Receipt

FACTS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Memory:
    """One recalled memory as people read it. `text` is empty when it was erased since."""

    kind: Literal["fact", "message", "quote"]
    label: str
    text: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explained:
    """A receipt with the texts of its memories, in the order in which they were recalled."""

    receipt: Receipt
    memories: tuple[Memory, ...]


async def latest_receipts(agent: Agent, chat: ChatRef, limit: int) -> dict[str, Explained]:
    """Return the chat's latest `limit` receipts with their memories, by the uid of the reply."""
    receipts = await agent.receipts(chat, limit)
    recalled = [entry for receipt in receipts for entry in receipt.recalled]
    if not recalled:
        return {receipt.reply_uid: Explained(receipt, ()) for receipt in receipts}
    stores = agent.stores
    uids = list({entry.item_id for entry in recalled if entry.kind != "fact"})
    said = {m.uid: m for m in await stores.memory.ledger.messages(chat.tenant, uids)}
    history = await stores.memory.facts.history(chat.tenant, f"{chat.channel}:{chat.chat_id}")
    facts = {fact.fact_id: fact for fact in history}
    return {
        receipt.reply_uid: Explained(
            receipt, tuple(_memory(entry, facts, said) for entry in receipt.recalled)
        )
        for receipt in receipts
    }


def receipt_line(memories: Sequence[Memory]) -> str:
    """Return a receipt in one line: up to three facts by name, then counts."""
    if not memories:
        return "remembered nothing: answered from this conversation alone"
    facts = [f"{m.label} {m.text}".strip() for m in memories if m.kind == "fact"]
    parts = []
    if facts:
        more = len(facts) - FACTS_NAMED
        parts.append(", ".join(facts[:FACTS_NAMED]) + (f", +{_count(more, 'fact')}" * (more > 0)))
    messages = sum(m.kind == "message" for m in memories)
    quotes = sum(m.kind == "quote" for m in memories)
    if messages:
        parts.append(_count(messages, "message"))
    if quotes:
        parts.append(_count(quotes, "quoted line"))
    return "remembered: " + " · ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _memory(
    entry: Recalled, facts: Mapping[str, Fact], said: Mapping[str, StoredMessage]
) -> Memory:
    label, text = "erased since", ""
    if entry.kind == "fact" and entry.item_id in facts:
        fact = facts[entry.item_id]
        label, text = fact.key.replace("_", " "), fact.value
    elif entry.kind != "fact" and entry.item_id in said:
        message = said[entry.item_id].message
        speaker = message.sender_name or message.actor.value
        label, text = f"{speaker}, {message.sent_at:%Y-%m-%d %H:%M}", message.text
    return Memory(entry.kind, label, text, entry.score, entry.parts)
