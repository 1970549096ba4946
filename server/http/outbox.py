"""`GET /deliveries` and `GET /turns`: what waits, what failed, and what nobody can vouch for."""

from __future__ import annotations

from typing import Annotated, Any, Final, get_args
from uuid import UUID

from fastapi import APIRouter, Query

from memory.domain.work import DeliveryStatus, TurnState, delivery_to_json
from server.http import examples
from server.http.patterns import MAX_PLACE
from server.service import Serving

MAX_PAGE: Final = 200
UNSENT: Final[tuple[DeliveryStatus, ...]] = tuple(
    each for each in get_args(DeliveryStatus) if each not in ("sent", "dismissed")
)

router = APIRouter()

Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]


@router.get("/deliveries", responses=examples.DELIVERIES)
async def deliveries(
    service: Serving,
    status: DeliveryStatus | None = None,
    after: Annotated[int, Query(ge=0, le=MAX_PLACE)] = 0,
    limit: Limit = 50,
) -> dict[str, Any]:
    """Return a page of deliveries, oldest first, without their texts.

    Those in a status; without one whatever is neither sent nor dismissed, as `recollect outbox`
    lists it.
    `next_after` leads to the next page, null at the end.
    """
    outbox, tenant = service.agent.stores.memory.outbox, service.settings.tenant
    wanted = (status,) if status else UNSENT
    found = await outbox.listing(tenant, *wanted, after=after, limit=limit)
    return {
        "deliveries": [delivery_to_json(each) for each in found],
        "next_after": found[-1].delivery_id if len(found) == limit else None,
    }


@router.get("/turns", responses=examples.TURNS)
async def turns(
    service: Serving, state: TurnState = "failed", after: UUID | None = None, limit: Limit = 50
) -> dict[str, Any]:
    """Return a page of turns in a state, oldest first, with the reason of a failure.

    `next_after` leads to the next page, null at the end.
    """
    stored, tenant = service.agent.stores.memory.turns, service.settings.tenant
    beyond = str(after) if after else ""
    found = await stored.in_state(tenant, state, after=beyond, limit=limit)
    return {
        "turns": [
            {
                "turn_id": turn.turn_id,
                "channel": turn.chat.channel,
                "chat_id": turn.chat.chat_id,
                "state": turn.state,
                "reason": turn.reason,
                "started_at": turn.started_at.isoformat(),
            }
            for turn in found
        ],
        "next_after": found[-1].turn_id if len(found) == limit else None,
    }
