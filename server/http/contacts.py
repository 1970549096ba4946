"""What is known of a contact (C1): for a query, as a prompt shows it; people and things (C7)."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from memory.domain.chats import StoredMessage
from memory.domain.facts import Fact
from memory.domain.open_loops import loop_to_json
from memory.domain.recalls import Recalled
from memory.recall.block import PassageLine
from memory.recall.passages import remember
from memory.recall.recall import Scope, recall
from nodes.prompts import render_memory
from server.service import Serving

MAX_QUERY_CHARS = 4096

router = APIRouter()

ContactId = Annotated[str, Path(min_length=1, max_length=300, pattern=r"^[^\x00-\x20\x7f]+$")]
QueryText = Annotated[str, Query(alias="query", max_length=MAX_QUERY_CHARS)]
Limit = Annotated[int, Query(ge=1, le=50)]


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
