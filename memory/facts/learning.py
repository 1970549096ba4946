"""What a contact said becomes facts, and vectors of facts (W3, W4). Idempotent by message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from memory.domain.chats import Actor, Message
from memory.domain.facts import ContactObservations, Fact, Observation
from memory.domain.recalls import VectorItem
from memory.facts.predicates import fact_sentence
from memory.facts.reading import extract
from memory.ports.bundle import Memory


async def learn_facts(memory: Memory, messages: Sequence[Message], now: datetime) -> list[Fact]:
    """Read facts from what contacts said and store them; return those that became active.

    Forwarded text is no statement of its sender (X6), and only who may command the agent may tell
    it how to behave from now on (N10), whichever way a message came in.
    """
    told: defaultdict[str, list[ContactObservations]] = defaultdict(list)
    for message in messages:
        if _is_statement(message):
            observations = extract(
                message.text,
                source_uid=message.uid,
                stated_at=message.sent_at,
                anchor=message.anchor,
            )
            if rightful := _within_rights(message, observations):
                told[message.chat.tenant].append(ContactObservations(message.contact_id, rightful))
    learned: list[Fact] = []
    for tenant, batches in told.items():
        learned += await memory.facts.apply_many(tenant, batches, now)
    await _index_facts(memory, learned)
    return learned


def _is_statement(message: Message) -> bool:
    is_said = message.actor is Actor.CONTACT and not message.forwarded and not message.withheld
    return is_said and bool(message.text.strip())


def _within_rights(
    message: Message, observations: Sequence[Observation]
) -> tuple[Observation, ...]:
    return tuple(o for o in observations if message.is_owner or o.category != "instruction")


async def _index_facts(memory: Memory, facts: Sequence[Fact]) -> None:
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
