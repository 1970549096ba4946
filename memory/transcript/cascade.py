"""What came of a message follows its text: vectors and facts, when it is edited or revoked (X1)."""

from __future__ import annotations

from datetime import datetime

from memory.domain.chats import Message, StoredMessage
from memory.facts.learning import learn_again
from memory.ports.bundle import Memory
from memory.transcript.indexing import index_messages


async def follow_change(memory: Memory, stored: StoredMessage, now: datetime) -> None:
    """Bring vectors and facts in line with what a changed message says now.

    The caller holds the lock of its chat; `stored` is a contact's message. While it waits for its
    turn it has neither: the turn makes them. What it no longer tells is withdrawn, and what only
    that had ended holds again.
    """
    waiting = await memory.ledger.pending(stored.message.chat)
    current = await memory.ledger.messages(stored.message.chat.tenant, [stored.uid])
    for entry in current:
        if all(other.uid != entry.uid for other in waiting):
            await _renew(memory, entry.message, now)
        await memory.revisions.settle(entry)


async def _renew(memory: Memory, message: Message, now: datetime) -> None:
    tenant = message.chat.tenant
    await memory.vectors.delete_items(tenant, "message", message.anchor, [message.uid])
    await index_messages(memory, [message])
    await learn_again(memory, message, now)
