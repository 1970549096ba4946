"""What is known of a contact (C1): for a query, as a prompt shows it; people and things (C7)."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from memory.contacts.state import state_of
from memory.contacts.zones import zone_of
from memory.domain.chats import StoredMessage
from memory.domain.contacts import ContactRow
from memory.domain.facts import Fact
from memory.domain.open_loops import loop_to_json
from memory.domain.recalls import Recalled
from memory.facts.asof import ever_told
from memory.recall.block import PassageLine
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from nodes.prompts import render_memory
from server.service import Serving

MAX_QUERY_CHARS = 4096
MAX_SEARCH_CHARS = 100
MAX_CONTACTS = 200
MAX_MESSAGES = 500
MAX_SEQ = 2**62

router = APIRouter()

ContactId = Annotated[str, Path(min_length=1, max_length=300, pattern=r"^[^\x00-\x20\x7f]+$")]
QueryText = Annotated[str, Query(alias="query", max_length=MAX_QUERY_CHARS)]
Limit = Annotated[int, Query(ge=1, le=50)]


@router.get("/contacts")
async def contacts(
    service: Serving,
    search: Annotated[str, Query(max_length=MAX_SEARCH_CHARS)] = "",
    after: Annotated[str, Query(max_length=300)] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_CONTACTS)] = 50,
) -> dict[str, Any]:
    """Return a page of contacts with what they are like now, by id.

    Those whose name or id holds `search`; `next_after` leads to the next page, null at the end.
    """
    stores, tenant = service.agent.stores, service.settings.tenant
    words, beyond = search.replace("\x00", " "), after.replace("\x00", " ")
    rows = await stores.memory.contact_states.listing(tenant, words, beyond, limit)
    return {
        "contacts": [_contact(row, stores.clock()) for row in rows],
        "next_after": rows[-1].contact_id if len(rows) == limit else None,
    }


@router.get("/contacts/{contact_id}/timeline")
async def timeline(
    contact_id: ContactId,
    service: Serving,
    before: Annotated[int | None, Query(ge=1, le=MAX_SEQ)] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_MESSAGES)] = 100,
) -> dict[str, Any]:
    """Return a contact's days, oldest first: what was said, and which facts began or ended.

    The days of the newest `limit` messages, in the contact's time zone; `next_before` leads to
    those before, null at the start.
    """
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    row = (await memory.contact_states.of(tenant, [contact_id])).get(contact_id)
    zone = zone_of(row.zone if row else service.settings.timezone) or UTC
    found = await memory.ledger.page(tenant, contact_id, before, limit)
    days: dict[str, dict[str, Any]] = {}

    def day_of(at: datetime) -> dict[str, Any]:
        day = at.astimezone(zone).date().isoformat()
        return days.setdefault(day, {"day": day, "messages": [], "began": [], "ended": []})

    for each in found:
        said = each.message
        line = {"uid": each.uid, "author": said.actor.value, "text": said.text}
        if not each.withheld:
            day_of(said.sent_at)["messages"].append({**line, "sent_at": said.sent_at.isoformat()})
    for fact in ever_told(await memory.facts.history(tenant, contact_id)):
        told = {"fact_id": fact.fact_id, "key": fact.key, "value": fact.value}
        for name, at in (("began", fact.valid_from), ("ended", fact.valid_to)):
            if at is not None and at.astimezone(zone).date().isoformat() in days:
                day_of(at)[name].append(told)
    return {
        "contact_id": contact_id,
        "days": [days[day] for day in sorted(days)],
        "next_before": found[0].seq if len(found) == limit else None,
    }


@router.get("/contacts/{contact_id}/context")
async def context(
    contact_id: ContactId,
    service: Serving,
    query: QueryText = "",
    limit: Limit = 10,
) -> dict[str, Any]:
    """Return a contact's facts, the messages that fit a query, and both as a prompt shows them.

    Best first; no messages without a query. An unknown contact has neither. `left_out` counts what
    was found and did not fit the room that a prompt has; `missing` names what could not be asked.
    """
    stores = service.agent.stores
    scope = Scope(service.settings.tenant, contact_id, f"contact:{contact_id}", is_group=False)
    clean = query.replace("\x00", " ")
    found = await recall(stores.memory, scope, clean, stores.clock(), limit)
    remembered = await remember(stores.memory, scope, found.entries, service.settings.memory_tokens)
    facts = [_fact(remembered.facts[entry.item_id]) for entry, _ in remembered.shown_facts]
    messages = [
        _message(entry, line, remembered.messages[entry.item_id])
        for entry, line in remembered.shown_messages
    ]
    block = replace(remembered.block, certainty=found.certainty)
    return {
        "contact_id": contact_id,
        "query": query,
        "facts": facts,
        "messages": messages,
        "left_out": remembered.left_out,
        "missing": [*found.missing, *remembered.missing],
        "context": render_memory(block) if facts or messages else "",
    }


@router.get("/contacts/{contact_id}/open")
async def open_loops(contact_id: ContactId, service: Serving) -> dict[str, Any]:
    """Return what is open with a contact, what is due first; marks are for the owner to see."""
    stores, settings = service.agent.stores, service.settings
    found = await stores.memory.open_loops.listed(settings.tenant, contact_id=contact_id)
    today = stores.clock().astimezone(settings.zone).date()
    return {"contact_id": contact_id, "open": [loop_to_json(loop, today) for loop in found]}


@router.get("/contacts/{contact_id}/entities")
async def entities(contact_id: ContactId, service: Serving) -> dict[str, Any]:
    """Return the people, pets, places, organisations and things that a contact told of.

    With each come its names, the messages that mention it, and what is claimed of it, history
    included. They are a moment behind what was said.

    Raises:
        StoreUnavailable: the store of entities does not answer.
    """
    store = service.agent.stores.memory.entities
    found = await store.of(service.settings.tenant, contact_id)
    return {"contact_id": contact_id, "entities": [asdict(each) for each in found]}


def _contact(row: ContactRow, now: datetime) -> dict[str, Any]:
    state = state_of(row.course, now, zone_of(row.zone) or UTC)
    return {
        "contact_id": row.contact_id,
        "displayName": row.name,
        "channel": row.channel,
        "mood": state.mood,
        "moodConfidence": state.mood_confidence,
        "energy": state.energy,
        "relationshipStage": state.stage,
        "activeStreak": state.streak,
        "churnRisk": state.churn_risk,
        "language": state.language,
        "usualHours": state.usual_hours,
        "lastSeen": row.course.last_at.isoformat(),
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "fact_id": fact.fact_id,
        "category": fact.category,
        "key": fact.key,
        "value": fact.value,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "valid_from": fact.valid_from.isoformat(),
        "source_uid": fact.source_uid,
        "read_by": fact.read_by,
        "span": fact.span,
    }


def _message(entry: Recalled, line: PassageLine, stored: StoredMessage) -> dict[str, Any]:
    return {
        "uid": stored.uid,
        "text": line.text,
        "speaker": line.speaker,
        "sent_at": stored.message.sent_at.isoformat(),
        "score": entry.score,
        "parts": dict(entry.parts),
    }
