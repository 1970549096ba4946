"""What a contact said becomes facts, and vectors of facts (W3, W4). Idempotent by message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from memory.domain.chats import Actor, Message
from memory.domain.facts import Applied, ContactObservations, Fact, Observation
from memory.domain.recalls import VectorItem
from memory.facts.predicates import fact_sentence
from memory.facts.reading import extract
from memory.policy.addressed import WISH, families_of
from memory.ports.bundle import Memory
from memory.text.apart import read_apart


async def learn_facts(memory: Memory, messages: Sequence[Message], now: datetime) -> list[Fact]:
    """Read facts from what contacts said and store them; return those that hold because of it."""
    size = sum(len(message.text) for message in messages)
    read = await read_apart(lambda: [(each, observations_of(each)) for each in messages], size)
    told: defaultdict[str, list[ContactObservations]] = defaultdict(list)
    for message, observations in read:
        if observations:
            told[message.chat.tenant].append(ContactObservations(message.contact_id, observations))
    learned: list[Fact] = []
    for tenant, batches in told.items():
        applied = await memory.facts.apply_many(tenant, batches, now)
        await index_facts(memory, applied)
        learned += applied.activated
    return learned


async def learn_again(memory: Memory, message: Message, now: datetime) -> None:
    """Bring facts in line with what a changed message says now: nothing, where it was revoked."""
    tenant, contact = message.chat.tenant, message.contact_id
    told = await read_apart(lambda: observations_of(message), len(message.text))
    applied = await memory.facts.correct(tenant, contact, message.uid, told, now)
    await index_facts(memory, applied)


async def index_facts(memory: Memory, applied: Applied) -> None:
    """Give the facts that hold a vector, and take it from those that do not."""
    await _forget_vectors(memory, applied.closed)
    await _index(memory, applied.activated)


def observations_of(message: Message) -> tuple[Observation, ...]:
    """Return what a message tells of its sender, whichever way it came in.

    Forwarded text is no statement of its sender (X6). Only who may instruct the agent may tell it
    how to behave from now on. Of anybody else, what is addressed to the machine tells nothing, not
    even what stands beside it; a wish for the answers to come spoils nothing (N10).
    """
    is_said = message.actor is Actor.CONTACT and not message.forwarded and not message.withheld
    if not is_said or not message.text.strip():
        return ()
    if not message.is_owner and families_of(message.text) - {WISH}:
        return ()
    observations = extract(
        message.text,
        source_uid=message.uid,
        stated_at=message.sent_at,
        anchor=message.anchor,
    )
    return tuple(o for o in observations if message.is_owner or o.category != "instruction")


async def _forget_vectors(memory: Memory, facts: Sequence[Fact]) -> None:
    items: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for fact in facts:
        items[fact.tenant, fact.anchor].append(fact.fact_id)
    for (tenant, anchor), fact_ids in items.items():
        await memory.vectors.delete_items(tenant, "knowledge", anchor, fact_ids)


async def _index(memory: Memory, facts: Sequence[Fact]) -> None:
    if not facts:
        return
    vectors = await memory.embedder.embed([fact_sentence(fact) for fact in facts])
    items: defaultdict[str, list[VectorItem]] = defaultdict(list)
    for fact, vector in zip(facts, vectors, strict=True):
        metadata: dict[str, str | int | float | bool] = {
            "contact": fact.contact_id,
            "message_uid": fact.source_uid,
            "timestamp": fact.valid_from.timestamp(),
        }
        items[fact.tenant].append(VectorItem(fact.fact_id, fact.anchor, vector, metadata))
    for tenant, batch in items.items():
        await memory.vectors.upsert(tenant, "knowledge", batch)
