"""Receipts in words: which memories a reply was based on, with their texts read from the stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph.agent import Agent
from memory.domain.chats import ChatRef
from memory.domain.recalls import Part, Receipt
from memory.recall.receipts import Reading, left_out_line, missing_line, read_receipts

FACTS_NAMED = 3
_NOUNS = {
    "message": "message",
    "quote": "quoted line",
    "episode": "episode",
    "window": "chat line",
    "so_far": "recap",
    "open": "open thing",
}


@dataclass(frozen=True, slots=True)
class Explained:
    """A receipt with the texts of its memories: what was used first, then what was shown."""

    receipt: Receipt
    memories: tuple[Reading, ...]

    @property
    def line(self) -> str:
        """The receipt in one line."""
        left_out = left_out_line(self.receipt)
        is_exact = self.receipt.use is None or self.receipt.use.is_exact
        return receipt_line(self.memories, left_out, self.receipt.missing, is_exact=is_exact)


async def latest_receipts(agent: Agent, chat: ChatRef, limit: int) -> dict[str, Explained]:
    """Return the chat's latest `limit` receipts with their memories, by the uid of the reply."""
    receipts = await agent.receipts(chat, limit)
    contact = f"{chat.channel}:{chat.chat_id}"
    told = await read_receipts(agent.stores.memory, chat.tenant, contact, receipts)
    return {
        receipt.reply_uid: Explained(receipt, tuple(read))
        for receipt, read in zip(receipts, told, strict=True)
    }


def receipt_line(
    memories: Sequence[Reading],
    left_out: str = "",
    missing: Sequence[Part] = (),
    *,
    is_exact: bool = True,
) -> str:
    """Return a receipt in one line: what was used, then what was shown, and what was missing."""
    without = missing_line(missing)
    rest = [part for part in (left_out, without) if part]
    if not memories:
        told = "remembered nothing: answered from this conversation alone"
        return f"{told} ({without})" if without else told
    used = [each for each in memories if each.used]
    if all(each.used is None for each in memories):
        return " · ".join(["remembered: " + _named(memories), *rest])
    about = " (an estimate)" if used and not is_exact else ""
    parts = [f"used{about}: {_named(used)}" if used else "used: nothing"]
    if others := [each for each in memories if not each.used]:
        # Where none is set there is no model that anything could be shown to.
        how = "at hand" if is_exact else "shown to the model"
        parts.append(f"{how}: {_named(others)}")
    return " · ".join([*parts, *rest])


def _named(memories: Sequence[Reading]) -> str:
    """Return memories in one line: up to three facts by name, and how many there are of others."""
    facts = [f"{m.label} {m.text}".strip() for m in memories if m.kind == "fact"]
    parts = []
    if facts:
        more = len(facts) - FACTS_NAMED
        parts.append(", ".join(facts[:FACTS_NAMED]) + (f", +{_count(more, 'fact')}" * (more > 0)))
    for kind, noun in _NOUNS.items():
        if number := sum(m.kind == kind for m in memories):
            parts.append(_count(number, noun))
    return " · ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
