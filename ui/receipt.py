"""Receipts in words: which memories a reply was based on, with their texts read from the stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph.agent import Agent
from memory.domain.chats import ChatRef
from memory.domain.recalls import Part, Receipt
from memory.recall.receipts import Reading, left_out_line, missing_line, read_memories

FACTS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Explained:
    """A receipt with the texts of its memories, in the order in which they were recalled."""

    receipt: Receipt
    memories: tuple[Reading, ...]

    @property
    def line(self) -> str:
        """The receipt in one line."""
        left_out = left_out_line(self.receipt)
        return receipt_line(self.memories, left_out, self.receipt.missing)


async def latest_receipts(agent: Agent, chat: ChatRef, limit: int) -> dict[str, Explained]:
    """Return the chat's latest `limit` receipts with their memories, by the uid of the reply."""
    receipts = await agent.receipts(chat, limit)
    readings = iter(
        await read_memories(
            agent.stores.memory,
            chat.tenant,
            f"{chat.channel}:{chat.chat_id}",
            [entry for receipt in receipts for entry in receipt.recalled],
        )
    )
    return {
        receipt.reply_uid: Explained(
            receipt, tuple(next(readings) for entry in receipt.recalled if entry.is_shown)
        )
        for receipt in receipts
    }


def receipt_line(
    memories: Sequence[Reading], left_out: str = "", missing: Sequence[Part] = ()
) -> str:
    """Return a receipt in one line: up to three facts by name, counts, and what was missing."""
    without = missing_line(missing)
    if not memories:
        told = "remembered nothing: answered from this conversation alone"
        return f"{told} ({without})" if without else told
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
    if left_out:
        parts.append(left_out)
    if without:
        parts.append(without)
    return "remembered: " + " · ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
