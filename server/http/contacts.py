"""`GET /contacts/{contact_id}/context`: what the agent would remember for a query (C1)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from memory.domain.chats import Message, StoredMessage
from memory.domain.facts import Fact
from memory.domain.recalls import Recalled
from memory.recall.recall import Scope, recall
from nodes.prompts import FactLine, MemoryBlock, PassageLine, render_memory
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

    Best first; no messages without a query. An unknown contact has neither.
    """
    stores = service.agent.stores
    tenant = service.settings.tenant
    clean = query.replace("\x00", " ")
    scope = Scope(tenant, contact_id, f"contact:{contact_id}", is_group=False)
    found = await recall(stores.memory, scope, clean, stores.clock(), limit)
    facts = {f.fact_id: f for f in await stores.memory.facts.active(tenant, contact_id)}
    uids = [entry.item_id for entry in found if entry.kind == "message"]
    said = {s.uid: s for s in await stores.memory.ledger.messages(tenant, uids) if s.message.text}
    shown = [facts[e.item_id] for e in found if e.kind == "fact" and e.item_id in facts]
    recalled = [(e, said[e.item_id]) for e in found if e.item_id in said]
    return {
        "contact_id": contact_id,
        "query": query,
        "facts": [_fact(fact) for fact in shown],
        "messages": [_message(entry, stored) for entry, stored in recalled],
        "context": _context_text(shown, [stored for _, stored in recalled]),
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
    }


def _message(entry: Recalled, stored: StoredMessage) -> dict[str, Any]:
    message = stored.message
    return {
        "uid": stored.uid,
        "text": message.text,
        "speaker": _speaker(message),
        "sent_at": message.sent_at.isoformat(),
        "score": entry.score,
        "parts": dict(entry.parts),
    }


def _context_text(facts: list[Fact], messages: list[StoredMessage]) -> str:
    if not facts and not messages:
        return ""
    passages = (
        PassageLine(
            s.message.sent_at.strftime("%Y-%m-%d %H:%M"), _speaker(s.message), s.message.text
        )
        for s in messages
    )
    return render_memory(
        MemoryBlock(tuple(FactLine(f.key, f.value) for f in facts), tuple(passages))
    )


def _speaker(message: Message) -> str:
    return message.sender_name or message.actor.value
