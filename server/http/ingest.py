"""`POST /ingest` (C2) and a contact's messages (C5): for systems that talk to people themselves.

What is ingested is stored and learned from, by the worker, and never answered.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator

from channels.text import clean_text, is_blank
from graph.stores import Stores
from memory.domain.channels import INGEST
from memory.domain.chats import Actor, ChatRef, Message, StoredMessage
from memory.transcript.intake import conversation_of_one
from server.http import examples
from server.http.body import described, read_model
from server.http.contacts import ContactId
from server.http.document import WITH_BODY, failing
from server.http.errors import Refused
from server.http.patterns import MAX_PLACE, NAME, NAME_IN_PATH
from server.service import Serving

ACCOUNT = "ingest"
PAGE = 20
MAX_PAGE = 200

router = APIRouter()

EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
"""No message of a chat is older: an earlier time is a unit or a zone that was mistaken."""

Id = Annotated[str, Field(min_length=1, max_length=300, pattern=NAME)]
WhoId = Annotated[str, Field(min_length=1, max_length=300, pattern=NAME_IN_PATH)]


class Said(BaseModel):
    """One message of a conversation that another system leads."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    contact_id: WhoId
    message: str
    role: Literal["user", "assistant"]
    conversation_id: Id
    message_id: Id | None = None
    sent_at: AwareDatetime | None = None

    @field_validator("contact_id")
    @classmethod
    def _is_in_an_address(cls, given: str) -> str:
        if given in (".", ".."):
            raise ValueError("is no name in an address: send another id")
        return given

    @field_validator("message")
    @classmethod
    def _says_something(cls, given: str) -> str:
        if is_blank(given):
            raise ValueError("is blank: there is nothing to store")
        return given

    @field_validator("sent_at")
    @classmethod
    def _is_of_an_age_of_chats(cls, given: datetime | None) -> datetime | None:
        if given is not None and given < EARLIEST:
            raise ValueError(
                f"is before {EARLIEST.date()}: send when it was said, in ISO 8601 or in seconds"
                " since 1970"
            )
        return given


_POST: Final = described(
    Said,
    {
        "contact_id": "crm:7",
        "message": "I live in Mumbai and I work as a baker.",
        "role": "user",
        "conversation_id": "ticket-1",
    },
)


@router.post(
    "/ingest",
    status_code=202,
    openapi_extra=_POST,
    responses=examples.INGESTED | failing(409, *WITH_BODY),
)
async def ingest(request: Request, service: Serving) -> dict[str, str]:
    """Store a message (`Said`); 202 once it is in the ledger. The same id again adds nothing.

    `status`: `new`, `known` (the same once more) or `erased` (with its contact: it is not stored
    again).

    Raises:
        Refused: the id is known with another text or role (409).
        InvalidMessage: the conversation is another contact's.
        Refused: the body is too large, or broke off.
        RequestValidationError: the body is no `Said`.
    """
    said = await read_model(request, Said)
    stores = service.agent.stores
    is_contact, now = said.role == "user", stores.clock()
    message = Message(
        chat=ChatRef(service.settings.tenant, INGEST, ACCOUNT, said.conversation_id),
        message_id=said.message_id or stores.ids(),
        actor=Actor.CONTACT if is_contact else Actor.AGENT,
        sender_id=said.contact_id if is_contact else "agent",
        contact_id=said.contact_id,
        text=clean_text(said.message),
        # What is stated in the future would outdo all that is stated after it.
        sent_at=said.sent_at.astimezone(UTC) if said.sent_at and said.sent_at < now else now,
        from_me=not is_contact,
    )
    async with conversation_of_one(stores.memory, message):
        taken = await service.agent.take_in(message)
    status = taken.outcome if taken.outcome != "known" else await _known_as(stores, message)
    return {"uid": message.uid, "status": status}


@router.get("/contacts/{contact_id}/messages", responses=examples.MESSAGES)
async def messages(
    contact_id: ContactId,
    service: Serving,
    before: Annotated[int | None, Query(ge=1, le=MAX_PLACE)] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = PAGE,
) -> dict[str, Any]:
    """Return a page of a contact's direct chats from the ledger, oldest first.

    The newest page without `before`; `next_before` leads to the page before it, null at the start.
    """
    ledger = service.agent.stores.memory.ledger
    found = await ledger.page(service.settings.tenant, contact_id, before, limit)
    return {
        "messages": [_shown(stored) for stored in found],
        "next_before": found[0].seq if len(found) == limit else None,
    }


async def _known_as(stores: Stores, message: Message) -> str:
    """Return how a message is known whose id came before.

    Raises:
        Refused: it said something else.
    """
    found = await stores.memory.ledger.messages(message.chat.tenant, [message.uid])
    if not found:
        return "erased"
    known = found[0].in_full
    if (known.text, known.actor) != (message.text, message.actor):
        raise Refused(
            409,
            "another message is known under this message_id: nothing was changed; send what is new"
            " under an id of its own",
        )
    return "known"


def _shown(stored: StoredMessage) -> dict[str, Any]:
    message = stored.in_full
    return {
        "uid": stored.uid,
        "seq": stored.seq,
        "channel": message.chat.channel,
        "chat_id": message.chat.chat_id,
        "author": message.actor.value,
        "text": message.text,
        "sent_at": _utc(message.sent_at),
        "turn_id": stored.turn_id,
    }


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
