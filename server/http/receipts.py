"""`GET /receipts`: what replies were based on, wherever they went (X3)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query

from memory.policy.rules import BadPolicy
from memory.recall.explain import explain, explanation_to_json, parse_chat
from server.http import examples
from server.http.errors import Refused
from server.http.patterns import LINE
from server.service import Serving

MAX_RECEIPTS = 200

router = APIRouter()

ChatName = Annotated[str, Query(max_length=1000, pattern=LINE)]
Limit = Annotated[int, Query(ge=1, le=MAX_RECEIPTS)]


@router.get("/receipts", responses=examples.RECEIPTS)
async def receipts(service: Serving, chat: ChatName = "", limit: Limit = 20) -> dict[str, Any]:
    """Return the newest receipts, newest first; those of one chat where it is named.

    Raises:
        Refused: `chat` is not `CHANNEL/ACCOUNT/CHAT_ID`.
    """
    try:
        name = parse_chat(chat) if chat else ""
    except BadPolicy as error:
        raise Refused(422, f"chat: {error}") from error
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    found = await explain(memory, [tenant], limit, chat=name)
    return {"receipts": [explanation_to_json(each) for each in found]}


@router.get("/receipts/{turn_id}", responses=examples.RECEIPT)
async def receipt(turn_id: UUID, service: Serving) -> dict[str, Any]:
    """Return the receipt of one turn.

    Raises:
        Refused: the turn has none: it did not answer, or there is no such turn.
    """
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    found = await explain(memory, [tenant], 1, turn_id=str(turn_id))
    if not found:
        raise Refused(404, "there is no receipt of this turn")
    return explanation_to_json(found[0])
