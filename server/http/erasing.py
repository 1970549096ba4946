"""Erasing a contact (X5): what is kept of them goes from every store, and a receipt tells of it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from memory.domain.erasures import receipt_json
from memory.trust.erasure import erase
from memory.trust.exporting import UnknownContact
from server.http import examples
from server.http.contacts import ContactId
from server.http.errors import Refused
from server.service import Serving

router = APIRouter()


@router.delete("/contacts/{contact_id}", responses=examples.ERASED)
async def erased(contact_id: ContactId, service: Serving) -> dict[str, Any]:
    """Erase a contact for good, and return the receipt: what went, and what was found afterwards.

    Their chats, messages, facts, vectors and all else, with the replies that they were given. What
    others said stays. A store that is down follows later: `done` is false until then.

    Raises:
        Refused: nothing is kept of them.
        ErasureBusy: a turn runs in one of their chats; try again in a moment.
        StoreUnavailable: the database does not answer; nothing was changed.
    """
    stores = service.agent.stores
    try:
        receipt = await erase(
            stores.memory, stores.projector, stores.settings.tenant, contact_id, "api"
        )
    except UnknownContact as error:
        raise Refused(404, f"nothing is kept of {contact_id}") from error
    return receipt_json(receipt)
