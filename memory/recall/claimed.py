"""What was claimed of the people whom a query names, as lines among the facts (C7, X6).

Entities are derived of the statements that may surface where the query is asked, and of no others:
in a group neither a claim nor who is meant by it rests on what was said elsewhere (X2).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from memory.domain.entities import Entity, EntityClaim
from memory.domain.facts import Fact, Stated
from memory.domain.readings import ThirdPartyClaim
from memory.facts.ended import without_taken_back
from memory.facts.entities.answering import answers
from memory.facts.entities.concerned import holders_asked
from memory.facts.entities.linking import CLAIMS_READ, ENTITY_KEYS, entities_of
from memory.facts.predicates import predicate
from memory.ports.bundle import Memory
from memory.text.apart import read_apart

TOLD_ON: Final = ", as you told me on"
"""What follows a claim's value in a prompt, before the day."""


async def claimed_of(
    memory: Memory, tenant: str, contact_id: str, query: str, anchor: str = ""
) -> list[Fact]:
    """Return the claims that answer a query, best first, each in the form of a fact.

    `anchor`: only what was said there counts; empty: everything.
    """
    stated, told = await asyncio.gather(
        _stated(memory, tenant, contact_id, anchor),
        memory.claims.named(tenant, contact_id, CLAIMS_READ, anchor),
    )
    # Most questions name nobody: what became of what was stated is read for the others alone.
    if not holders_asked(query, stated, told):
        return []
    facts = await _facts(memory, tenant, contact_id, anchor)
    holders = holders_asked(query, facts, told)
    if not holders:
        return []
    claims = await _claims(memory, tenant, contact_id, anchor, holders)
    found = answers(query, await _entities(tenant, facts, claims))
    return [_as_fact(tenant, contact_id, each.entity, each.claim) for each in found]


async def claimed_by_id(
    memory: Memory, tenant: str, contact_id: str, ids: Collection[str], anchor: str = ""
) -> dict[str, Fact]:
    """Return claims by id in the form of facts, whatever became of them; none that is gone."""
    if not ids:
        return {}
    told = await asyncio.gather(
        _facts(memory, tenant, contact_id, anchor), _claims(memory, tenant, contact_id, anchor)
    )
    entities = await _entities(tenant, *told)
    return {
        claim.claim_id: _as_fact(tenant, contact_id, entity, claim)
        for entity in entities
        for claim in entity.claims
        if claim.claim_id in ids
    }


def told_on(claim: Fact) -> str:
    """Return a claim's value as the prompt shows it: `Acme, as you told me on 3 May 2026`."""
    when = claim.valid_from
    return f"{claim.value}{TOLD_ON} {when.day} {when:%B %Y}"


def told_until(fact: Fact) -> str:
    """Return a fact's value as the prompt shows it, with the last day on which it holds."""
    if fact.expires_at is None:
        return fact.value
    last = fact.expires_at - timedelta(seconds=1)
    return f"{fact.value}, until {last.day} {last:%B %Y}"


async def _stated(memory: Memory, tenant: str, contact_id: str, anchor: str) -> list[Stated]:
    stated = memory.facts.stated
    told = await memory.outages.ask("facts", lambda: stated(tenant, contact_id, ENTITY_KEYS))
    return [each for each in told or () if not anchor or each.anchor == anchor]


async def _facts(memory: Memory, tenant: str, contact_id: str, anchor: str) -> list[Fact]:
    """Return what was said of a contact that tells of anybody, or of a place or thing.

    Without what was forgotten: who is known by that alone is nobody's girlfriend any more.
    """
    history = memory.facts.history
    told, corrected = await asyncio.gather(
        memory.outages.ask("facts", lambda: history(tenant, contact_id, ENTITY_KEYS)),
        memory.corrections.of(tenant, contact_id),
    )
    known = without_taken_back(told or (), corrected)
    return [fact for fact in known if not anchor or fact.anchor == anchor]


async def _claims(
    memory: Memory,
    tenant: str,
    contact_id: str,
    anchor: str,
    holders: Collection[str] | None = None,
) -> list[ThirdPartyClaim]:
    claims = await memory.claims.of(tenant, contact_id, CLAIMS_READ, holders)
    return [claim for claim in claims if not anchor or claim.anchor == anchor]


async def _entities(tenant: str, facts: list[Fact], claims: list[ThirdPartyClaim]) -> list[Entity]:
    size = sum(len(claim.value) for claim in claims) + 100 * len(facts)
    return await read_apart(lambda: entities_of(tenant, facts, claims), size)


def _as_fact(tenant: str, contact_id: str, entity: Entity, claim: EntityClaim) -> Fact:
    known = predicate(claim.key)
    return Fact(
        fact_id=claim.claim_id,
        tenant=tenant,
        contact_id=contact_id,
        category=known.category if known else "identity",
        key=f"{entity.label}: {claim.key}",
        value=claim.value,
        confidence=claim.confidence,
        importance=claim.importance,
        source_uid=claim.source_uid,
        anchor=claim.anchor,
        status=claim.status,
        valid_from=claim.since,
        valid_to=claim.until,
        recorded_from=claim.since,
        recorded_to=claim.until,
        closed_by=claim.closed_by,
    )
