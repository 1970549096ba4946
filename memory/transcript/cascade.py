"""What came of a message follows its text: vectors and facts, when it is edited or revoked (X1)."""

from __future__ import annotations

from datetime import datetime

from memory.domain.chats import Message, StoredMessage
from memory.domain.facts import Fact
from memory.facts.learning import learn_facts
from memory.facts.reading import extract
from memory.ports.bundle import Memory
from memory.transcript.indexing import index_messages


async def follow_change(memory: Memory, stored: StoredMessage, now: datetime) -> None:
    """Bring vectors and facts in line with what a changed message says now.

    The caller holds the lock of its chat; `stored` is a contact's message. While it waits for its
    turn it has neither: the turn makes them. A fact that it no longer tells is closed; one that
    this fact had superseded does not come back.
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
    active = await memory.facts.active(tenant, message.contact_id)
    told = _told(message)
    stale = [
        fact
        for fact in active
        if fact.source_uid == message.uid and _slot(fact.key, fact.value) not in told
    ]
    await memory.facts.retract(tenant, message.contact_id, [f.fact_id for f in stale], now)
    await _forget_vectors(memory, tenant, stale)
    await index_messages(memory, [message])
    await learn_facts(memory, [message], now)


async def _forget_vectors(memory: Memory, tenant: str, facts: list[Fact]) -> None:
    for fact in facts:
        await memory.vectors.delete_items(tenant, "knowledge", fact.anchor, [fact.fact_id])


def _told(message: Message) -> set[tuple[str, str]]:
    if message.forwarded or not message.text.strip():
        return set()
    observations = extract(
        message.text,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
    )
    return {_slot(seen.key, seen.value) for seen in observations if not seen.retracts}


def _slot(key: str, value: str) -> tuple[str, str]:
    return key, " ".join(value.split()).casefold()
