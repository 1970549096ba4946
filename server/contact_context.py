"""What another system's agent needs of a contact before it answers (C1), over HTTP and MCP.

Field names are those of the interface that C1 gives. What of memory goes in is a matter of the
stage (C4): nothing of whom one has just met, all of whom one knows well. What could harm, what the
owner wrote or pinned, and facts that the query asks for go in at any stage, as in a prompt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC
from itertools import accumulate
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from graph.stores import Stores
from memory.contacts.state import state_of
from memory.contacts.tone import BUDGET, advice_for
from memory.domain.channels import channel_name
from memory.domain.contacts import ContactRow, Energy, MoodName, Stage, State
from memory.domain.entities import Entity
from memory.domain.facts import Fact
from memory.facts.predicates import fact_sentence
from memory.recall.entries import is_asked
from memory.recall.fact_lines import is_held
from memory.recall.facts_asked import Asked, facts_asked
from memory.recall.gathering import embedded
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from memory.recall.relevance import (
    ASKED_FOR,
    CORE_IMPORTANCE,
    MIN_IMPORTANCE,
    WORDS,
    in_order,
    naming,
)
from memory.text.chunks import estimate_tokens
from memory.text.zones import zone_of

MAX_MESSAGES: Final = 5
MAX_ENTITIES: Final = 20
WITH_MESSAGES: Final[tuple[Stage, ...]] = ("established", "deep")
"""Stages at which messages that fit the query go in beside facts."""
LEAST_IMPORTANCE: Final[dict[Stage, float]] = {
    "building": MIN_IMPORTANCE,
    "established": 0.0,
    "deep": 0.0,
    "fading": CORE_IMPORTANCE,
}
"""From which importance on facts go in at a stage; at others none does for its importance."""

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
    """A contact for a query, as C1 gives it.

    `memory_budget` is the stage's, in estimated tokens, or what the memories take where that is
    more.
    """

    model_config = ConfigDict(json_schema_extra={"example": _EXAMPLE})

    contact: Who
    state: StateNow
    memories: list[MemoryLine]
    entities: list[EntityLine]
    context_text: str
    memory_budget: int


async def context_of(stores: Stores, contact_id: str, query: str) -> ContactContext:
    """Return who a contact is, what they are like now, and what to remember for a query.

    Of the tenant of the settings. A stranger is new, and nothing is remembered of them.

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
    clean, budget = query.replace("\x00", " "), BUDGET[state.stage]
    found = _facts(facts, clean, state.stage, await _asked_for(stores, clean) if facts else None)
    messages = await _messages(stores, contact_id, clean, state.stage)
    most = stores.settings.memory_tokens
    held = _fitting(found.held, most)
    asked = _fitting(found.asked, most - _tokens(held))
    others = _fitting([*found.others, *messages], budget - _tokens(asked))
    memories = [*held, *asked, *others]
    who = _who(contact_id, row)
    named = entities if state.stage not in ("new", "dormant") else ()
    people = [_entity(each) for each in named if not _is_over(each)][:MAX_ENTITIES]
    return ContactContext(
        contact=who,
        state=_state(state),
        memories=memories,
        entities=people,
        context_text=_text(who, state, memories, people),
        memory_budget=max(budget, _tokens(memories)),
    )


async def _messages(stores: Stores, contact_id: str, query: str, stage: Stage) -> list[MemoryLine]:
    """Return the messages that fit a query, best first; of somebody dormant the last one only."""
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


class Lines(NamedTuple):
    """Facts, the best first: shown whatever is asked, asked for, and those of a stage beside."""

    held: list[MemoryLine]
    asked: list[MemoryLine]
    others: list[MemoryLine]


async def _asked_for(stores: Stores, query: str) -> Asked | None:
    """Return the kinds of fact that a query asks for, as a turn finds them; None where unknown."""
    memory = stores.memory
    read = await embedded(memory, query) or ()
    return facts_asked(memory.embedder.fingerprint, [each.vector for each in read], query)


def _facts(facts: Sequence[Fact], query: str, stage: Stage, asked_for: Asked | None) -> Lines:
    """Return the facts that go in for a query at a stage. `asked_for`: the kinds it asks for."""
    least = LEAST_IMPORTANCE.get(stage)
    asks, named = bool(query.strip()), naming(query)
    weights = {
        fact.fact_id: max(named(fact), ASKED_FOR * is_asked(fact, asked_for)) for fact in facts
    }

    def rank(fact: Fact) -> int:
        if is_held(fact):
            return 0
        if asks and weights[fact.fact_id] >= ASKED_FOR:
            return 1
        return 2 if least is not None and fact.importance >= least else 3

    parts = [{WORDS: weight} if (weight := weights[fact.fact_id]) else {} for fact in facts]
    ordered = [facts[n] for n in in_order(facts, parts).order]
    return Lines(*([_line(fact) for fact in ordered if rank(fact) == n] for n in range(3)))


def _line(fact: Fact) -> MemoryLine:
    kind = fact.category if fact.category in ("preference", "instruction") else "fact"
    return MemoryLine(memoryType=kind, content=fact_sentence(fact))


def _fitting(lines: Sequence[MemoryLine], budget: int) -> list[MemoryLine]:
    """Return the first lines that fit a budget of estimated tokens together."""
    costs = accumulate(_cost(line) for line in lines)
    return [line for line, cost in zip(lines, costs, strict=True) if cost <= budget]


def _tokens(lines: Sequence[MemoryLine]) -> int:
    return sum(map(_cost, lines))


def _cost(line: MemoryLine) -> int:
    return estimate_tokens(f"- {line.content}\n")


def _is_over(entity: Entity) -> bool:
    """Tell whether it was in a contact's life, and is no more; people are told as former ones."""
    ties = entity.ties
    return entity.type != "person" and bool(ties) and all(tie.until is not None for tie in ties)


def _who(contact_id: str, row: ContactRow | None) -> Who:
    prefix, _, rest = contact_id.partition(":")
    channel = row.channel if row else prefix if rest else ""
    name = (row.name if row else "") or rest or contact_id
    return Who(displayName=name, channel=channel_name(channel))


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
        lines += ["Memories:", *(f"- {line.content}" for line in memories)]
    if entities and state.stage == "deep":
        lines += ["People and things:", *(f"- {e.displayName} ({e.entityType})" for e in entities)]
    # As in a prompt's memory block: what people said can close no tag, and begins no line.
    return "\n".join(" ".join(line.split()) for line in lines).replace("<", "\\u003c")
