"""`GET /context/{contact_id}` (C1): who a contact is, for another system's agent."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from server.contact_context import ContactContext, context_of
from server.http.contacts import MAX_QUERY_CHARS, ContactId
from server.service import Serving

router = APIRouter()


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
