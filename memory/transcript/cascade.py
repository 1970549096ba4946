"""What came of a message follows its text: vectors and facts, when it is edited or revoked (X1)."""

from __future__ import annotations

from datetime import datetime

from memory.domain.chats import Message, StoredMessage
from memory.domain.facts import Fact
from memory.facts.learning import learn_facts
from memory.facts.reading import extract
from memory.ports.changes import Revisions
from memory.transcript.indexing import Capture, index_messages


async def follow_change(
    stores: Capture, revisions: Revisions, stored: StoredMessage, now: datetime
) -> None:
    """Bring vectors and facts in line with what a changed message says now.

    The caller holds the lock of its chat; `stored` is a contact's message. While it waits for its
    turn it has neither: the turn makes them. A fact that it no longer tells is closed; one that
    this fact had superseded does not come back.
    """
    waiting = await stores.ledger.pending(stored.message.chat)
    current = await stores.ledger.messages(stored.message.chat.tenant, [stored.uid])
    for entry in current:
        if all(other.uid != entry.uid for other in waiting):
            await _renew(stores, entry.message, now)
        await revisions.settle(entry)


async def _renew(stores: Capture, message: Message, now: datetime) -> None:
    tenant = message.chat.tenant
    await stores.vectors.delete_items(tenant, "message", message.anchor, [message.uid])
    active = await stores.facts.active(tenant, message.contact_id)
    told = _told(message)
    stale = [
        fact
        for fact in active
        if fact.source_uid == message.uid and _slot(fact.key, fact.value) not in told
    ]
    await stores.facts.retract(tenant, message.contact_id, [f.fact_id for f in stale], now)
    await _forget_vectors(stores, tenant, stale)
    await index_messages(stores, [message])
    await learn_facts(stores, [message], now)


async def _forget_vectors(stores: Capture, tenant: str, facts: list[Fact]) -> None:
    for fact in facts:
        await stores.vectors.delete_items(tenant, "knowledge", fact.anchor, [fact.fact_id])


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
