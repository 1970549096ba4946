"""`GET /context/{contact_id}` (C1): what another system's agent needs before it answers.

Field names are those of the interface that C1 gives. What of memory goes in is a matter of the
stage (C4): nothing of whom one has just met, all of whom one knows well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC
from itertools import accumulate
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from graph.stores import Stores
from memory.contacts.state import state_of
from memory.contacts.tone import BUDGET, advice_for
from memory.domain.contacts import ContactRow, Energy, MoodName, Stage, State
from memory.domain.entities import Entity
from memory.domain.facts import Fact
from memory.facts.predicates import fact_sentence
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from memory.recall.relevance import CORE_IMPORTANCE, MIN_IMPORTANCE, WORDS, in_order, naming
from memory.text.chunks import estimate_tokens
from memory.text.zones import zone_of
from server.http.contacts import MAX_QUERY_CHARS, ContactId
from server.service import Serving

MAX_MESSAGES: Final = 5
MAX_ENTITIES: Final = 20
WITH_MESSAGES: Final[tuple[Stage, ...]] = ("established", "deep")
"""Stages at which messages that fit the query go in beside facts."""
LEAST_IMPORTANCE: Final[dict[Stage, float]] = {
    "building": MIN_IMPORTANCE,
    "established": 0.0,
    "deep": 0.0,
    "fading": CORE_IMPORTANCE,
    "dormant": 2.0,
}
"""From which importance on facts go in at a stage: of somebody dormant the name alone does."""
CHANNELS: Final = {"waha": "whatsapp"}

_EXAMPLE: Final[dict[str, Any]] = {
    "contact": {"displayName": "Arjun", "channel": "whatsapp"},
    "state": {
        "mood": "frustrated",
        "moodConfidence": 0.9,
        "energy": "high",
        "relationshipStage": "building",
        "activeStreak": 5,
        "churnRisk": 0.15,
    },
    "memories": [{"memoryType": "fact", "content": "occupation: baker"}],
    "entities": [
        {"entityType": "pet", "displayName": "Bruno", "metadata": {"species": "dog"}},
    ],
    "context_text": "Contact: Arjun (whatsapp)\nMood: frustrated ...\nMemories:\n- ...",
    "memory_budget": 500,
}

router = APIRouter()


class Who(BaseModel):
    """How to call a contact, and where they write."""

    displayName: str  # noqa: N815 as C1 names it
    channel: str


class StateNow(BaseModel):
    """What a contact is like now."""

    mood: MoodName
    moodConfidence: float  # noqa: N815
    energy: Energy
    relationshipStage: Stage  # noqa: N815
    activeStreak: int  # noqa: N815
    churnRisk: float  # noqa: N815


class MemoryLine(BaseModel):
    """One thing that is remembered: `fact`, `preference`, `instruction` or `message`."""

    memoryType: str  # noqa: N815
    content: str


class EntityLine(BaseModel):
    """Somebody or something in a contact's life."""

    entityType: str  # noqa: N815
    displayName: str  # noqa: N815
    metadata: dict[str, str]


class ContactContext(BaseModel):
    """A contact for a query, as C1 gives it; `memory_budget` in estimated tokens."""

    model_config = ConfigDict(json_schema_extra={"example": _EXAMPLE})

    contact: Who
    state: StateNow
    memories: list[MemoryLine]
    entities: list[EntityLine]
    context_text: str
    memory_budget: int


@router.get("/context/{contact_id}")
async def contact_context(
    contact_id: ContactId,
    service: Serving,
    query: Annotated[str, Query(max_length=MAX_QUERY_CHARS)] = "",
) -> ContactContext:
    """Return who a contact is, what they are like now, and what to remember for a query.

    A stranger is new, and nothing is remembered of them.

    Raises:
        StoreUnavailable: a store does not answer.
    """
    return await context_of(service.agent.stores, contact_id, query)


async def context_of(stores: Stores, contact_id: str, query: str) -> ContactContext:
    """Return what `contact_context` does, for the tenant of the settings.

    Raises:
        StoreUnavailable: a store does not answer.
    """
    memory, tenant = stores.memory, stores.settings.tenant
    kept, facts, entities = await asyncio.gather(
        memory.contact_states.of(tenant, [contact_id]),
        memory.facts.active(tenant, contact_id),
        memory.entities.of(tenant, contact_id),
    )
    row = kept.get(contact_id)
    zone = zone_of(row.zone if row else stores.settings.timezone) or UTC
    state = state_of(row.course if row else None, stores.clock(), zone)
    memories: list[MemoryLine] = []
    if BUDGET[state.stage]:
        clean = query.replace("\x00", " ")
        messages = await _messages(stores, contact_id, clean, state.stage)
        memories = _fitting([*_facts(facts, clean, state.stage), *messages], BUDGET[state.stage])
    who = _who(contact_id, row)
    named = entities if state.stage not in ("new", "dormant") else ()
    people = [_entity(each) for each in named][:MAX_ENTITIES]
    return ContactContext(
        contact=who,
        state=_state(state),
        memories=memories,
        entities=people,
        context_text=_text(who, state, memories, people),
        memory_budget=BUDGET[state.stage],
    )


async def _messages(stores: Stores, contact_id: str, query: str, stage: Stage) -> list[MemoryLine]:
    """Return the messages that fit a query, best first; where the stage has the last one only."""
    tenant = stores.settings.tenant
    if stage == "dormant":
        last = await stores.memory.ledger.page(tenant, contact_id, None, MAX_MESSAGES)
        said = [each.message for each in last if not each.withheld and each.message.text]
        theirs = [each.text for each in said if not each.from_me]
        return [MemoryLine(memoryType="message", content=theirs[-1])] if theirs else []
    if stage not in WITH_MESSAGES or not query.strip():
        return []
    scope = Scope.direct(tenant, contact_id)
    found = await recall(
        stores.memory, scope, query, stores.clock(), MAX_MESSAGES, with_facts=False
    )
    entries = [entry for entry in found.entries if entry.kind == "message"]
    remembered = await remember(stores.memory, scope, entries, BUDGET[stage])
    return [
        MemoryLine(memoryType="message", content=f"{line.when} {line.speaker}: {line.text}")
        for _, line in remembered.shown_messages
    ]


def _facts(facts: Sequence[Fact], query: str, stage: Stage) -> list[MemoryLine]:
    """Return the facts of a stage: what could harm first, then the core, then what fits."""
    least = LEAST_IMPORTANCE[stage]
    kept = [fact for fact in facts if fact.importance >= least or fact.mark == "pinned"]
    named = naming(query)
    parts = [{WORDS: weight} if (weight := named(fact)) else {} for fact in kept]
    return [
        MemoryLine(
            memoryType=kept[n].category
            if kept[n].category in ("preference", "instruction")
            else "fact",
            content=fact_sentence(kept[n]),
        )
        for n in in_order(kept, parts).order
    ]


def _fitting(lines: Sequence[MemoryLine], budget: int) -> list[MemoryLine]:
    """Return the first lines that fit a budget of estimated tokens together."""
    costs = accumulate(estimate_tokens(f"- {line.content}\n") for line in lines)
    return [line for line, cost in zip(lines, costs, strict=True) if cost <= budget]


def _who(contact_id: str, row: ContactRow | None) -> Who:
    prefix, _, rest = contact_id.partition(":")
    channel = row.channel if row else prefix if rest else ""
    name = (row.name if row else "") or rest or contact_id
    return Who(displayName=name, channel=CHANNELS.get(channel, channel))


def _state(state: State) -> StateNow:
    return StateNow(
        mood=state.mood,
        moodConfidence=state.mood_confidence,
        energy=state.energy,
        relationshipStage=state.stage,
        activeStreak=state.streak,
        churnRisk=state.churn_risk,
    )


def _entity(each: Entity) -> EntityLine:
    # C1 calls the kind of a pet its species.
    named = {"species" if key == "kind" else key: value for key, value in each.metadata.items()}
    return EntityLine(entityType=each.type, displayName=each.name, metadata=named)


def _text(
    who: Who, state: State, memories: Sequence[MemoryLine], entities: Sequence[EntityLine]
) -> str:
    """Return it all as a prompt may show it, with how to speak to the contact (C3)."""
    advice = advice_for(state.mood, state.mood_confidence, state.stage)
    lines = [
        f"Contact: {who.displayName} ({who.channel})" if who.channel else who.displayName,
        f"Mood: {state.mood} (energy {state.energy}). {advice}".strip(),
        f"Relationship: {state.stage}",
    ]
    if memories:
        lines += ["Memories:", *(f"- {' '.join(line.content.split())}" for line in memories)]
    if entities and state.stage == "deep":
        lines += ["People and things:", *(f"- {e.displayName} ({e.entityType})" for e in entities)]
    return "\n".join(lines)
