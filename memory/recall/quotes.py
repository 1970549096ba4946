"""What the messages of a turn quote: the archived text and the lines before it (N4)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from memory.domain.chats import Message, StoredMessage
from memory.domain.recalls import Recalled
from memory.ports.ledger import Ledger

MAX_QUOTES = 5
"""So many quotes of one turn are looked up, those of its newest messages."""
TOLD = "told"
"""Score part of a quote that the archive does not know: the item is the message that quotes it."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """The quotes of a turn as recalled, oldest line first, and their texts for the query.

    Of the texts the newest quote's comes first, and a quoted text before the lines before it.
    """

    recalled: tuple[Recalled, ...] = ()
    texts: tuple[str, ...] = ()


async def quoted_context(ledger: Ledger, messages: Sequence[Message], before: int) -> Quoted:
    """Look up what a turn's messages quote, each with up to `before` lines before it."""
    newest = {m.quote.message_id: m for m in messages if m.quote is not None}
    quoting = list(newest.values())[-MAX_QUOTES:]
    found = await asyncio.gather(
        *(ledger.quoted(m.chat, m.quote.message_id, before) for m in quoting if m.quote)
    )
    own = {message.uid for message in messages}
    recalled: dict[str, Recalled] = {}
    texts: list[str] = []
    for message, lines in zip(quoting, found, strict=True):
        if not lines:
            recalled[f"{TOLD} {message.uid}"] = Recalled("quote", message.uid, 1.0, {TOLD: 1.0})
        shown = [stored for stored in lines if not stored.withheld]
        recalled |= {s.uid: Recalled("quote", s.uid, 1.0) for s in shown if s.uid not in own}
        told = message.quote.text if message.quote and not lines else ""
        texts = [told, *(stored.message.text for stored in reversed(shown)), *texts]
    return Quoted(tuple(recalled.values()), tuple(text for text in texts if text.strip()))


def shown_text(entry: Recalled, stored: StoredMessage) -> str:
    """Return what a recalled message shows: its text, or as a `TOLD` quote that of its quote."""
    if TOLD not in entry.parts:
        return stored.message.text
    return stored.message.quote.text if stored.message.quote else ""
