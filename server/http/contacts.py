"""What is known of a contact (C1): for a query, as a prompt shows it; people and things (C7)."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import StreamingResponse

from memory.contacts.activity import activity_to_json
from memory.contacts.state import state_of
from memory.contacts.timeline import Day, timeline_of, zone_for
from memory.domain.channels import channel_name
from memory.domain.chats import StoredMessage
from memory.domain.contacts import ContactRow
from memory.domain.facts import Fact
from memory.domain.open_loops import loop_to_json
from memory.domain.recalls import Recalled
from memory.recall.block import PassageLine, asks_for_of, moment_of
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from memory.text.zones import zone_of
from nodes.prompts import render_memory
from server.http import examples
from server.http.download import download
from server.http.errors import of_parameter
from server.http.patterns import NAME_IN_PATH
from server.service import Serving

MAX_QUERY_CHARS = 4096
MAX_SEARCH_CHARS = 100
MAX_CONTACTS = 200
MAX_MESSAGES = 500

router = APIRouter()

ContactId = Annotated[str, Path(min_length=1, max_length=300, pattern=NAME_IN_PATH)]
QueryText = Annotated[str, Query(alias="query", max_length=MAX_QUERY_CHARS)]
Limit = Annotated[int, Query(ge=1, le=50)]


@router.get("/contacts", responses=examples.CONTACTS)
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


@router.get("/contacts/{contact_id}/timeline", responses=examples.TIMELINE)
async def timeline(
    contact_id: ContactId,
    service: Serving,
    until: Annotated[str, Query(max_length=40)] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_MESSAGES)] = 100,
) -> dict[str, Any]:
    """Return a contact's days, oldest first: what was said, which facts began or ended, episodes.

    The last days with at most `limit` messages, in the contact's time zone, up to the day `until`
    (`2026-03-31`); `next_until` leads to those before, null at the start. Both sides of direct
    chats, what the contact says in groups, and chats imported for them.
    """
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    zone = await zone_for(memory, tenant, contact_id, service.settings.timezone)
    now = service.agent.stores.clock()
    with of_parameter("until"):
        found = await timeline_of(memory, tenant, contact_id, now, zone, until=until, limit=limit)
    return {
        "contact_id": contact_id,
        "days": [_day(day) for day in reversed(found.days)],
        "next_until": found.earlier or None,
    }


@router.get("/contacts/{contact_id}/activity", responses=examples.ACTIVITY)
async def activity(contact_id: ContactId, service: Serving) -> dict[str, Any]:
    """Return how a contact and the agent talk: week by week, at which hours, answered or why not.

    Hours and weeks are those of the contact's time zone, `median_reply_s` is seconds from a message
    to its answer; of somebody unknown all of it is nothing.
    """
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    zone = await zone_for(memory, tenant, contact_id, service.settings.timezone)
    found = await memory.timelines.activity(tenant, contact_id, zone)
    return activity_to_json(contact_id, zone, found)


@router.get(
    "/contacts/{contact_id}/export",
    response_class=StreamingResponse,
    responses=examples.EXPORT,
)
async def exported(contact_id: ContactId, service: Serving) -> StreamingResponse:
    """Return everything that is kept of a contact: a zip of JSON Lines, with a README.

    What they said, both sides of their direct chats, and what is kept about them; never what others
    said in groups or in private.

    Raises:
        Refused: nothing is kept of them.
        StoreUnavailable: a store does not answer.
    """
    return await download(service.agent.stores, contact_id)


@router.get("/contacts/{contact_id}/context", responses=examples.CONTEXT)
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
    tenant, now = service.settings.tenant, stores.clock()
    zone = await zone_for(stores.memory, tenant, contact_id, service.settings.timezone)
    scope = replace(Scope.direct(tenant, contact_id), zone=zone)
    clean = query.replace("\x00", " ")
    found = await recall(stores.memory, scope, clean, now, limit)
    room = service.settings.memory_tokens
    remembered = await remember(stores.memory, scope, found.entries, room, question=clean)
    facts = [_fact(remembered.facts[entry.item_id]) for entry, _ in remembered.shown_facts]
    messages = [
        _message(entry, line, remembered.messages[entry.item_id])
        for entry, line in remembered.shown_messages
    ]
    block = replace(
        remembered.block,
        now=moment_of(now, str(zone)),
        certainty=found.certainty,
        asks_for=asks_for_of(found.asks_for),
    )
    return {
        "contact_id": contact_id,
        "query": query,
        "facts": facts,
        "messages": messages,
        "left_out": remembered.left_out,
        "missing": list(dict.fromkeys([*found.missing, *remembered.missing])),
        "context": render_memory(block) if facts or messages else "",
    }


@router.get("/contacts/{contact_id}/open", responses=examples.OPEN)
async def open_loops(contact_id: ContactId, service: Serving) -> dict[str, Any]:
    """Return what is open with a contact, what is due first; marks are for the owner to see."""
    stores, settings = service.agent.stores, service.settings
    found = await stores.memory.open_loops.listed(settings.tenant, contact_id=contact_id)
    now = stores.clock()
    return {"contact_id": contact_id, "open": [loop_to_json(loop, now) for loop in found]}


@router.get("/contacts/{contact_id}/entities", responses=examples.ENTITIES)
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
        "channel": channel_name(row.channel),
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


def _day(day: Day) -> dict[str, Any]:
    return {
        "day": day.day.isoformat(),
        "messages": [
            {
                "uid": each.uid,
                "author": each.message.actor.value,
                "speaker": each.message.sender_name,
                "chat": each.message.chat.thread_id,
                "is_group": each.message.is_group,
                "text": each.message.text,
                "sent_at": each.message.sent_at.isoformat(),
            }
            for each in day.said
        ],
        "began": [_told(fact) for fact in day.began],
        "ended": [_told(fact) for fact in day.ended],
        "episodes": [
            {
                "number": each.number,
                "topic": each.summary.topic if each.summary else "",
                "summary": each.summary.text if each.summary else "",
                "turns": each.turns,
                "began_at": each.began_at.isoformat(),
                "ended_at": each.ended_at.isoformat(),
                "is_open": each.is_open,
            }
            for each in day.episodes
        ],
        "opened": [{"uid": each.uid, "kind": each.kind, "text": each.text} for each in day.opened],
    }


def _told(fact: Fact) -> dict[str, str]:
    return {"fact_id": fact.fact_id, "key": fact.key, "value": fact.value}


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
