"""`POST /webhooks/waha/{account}`: check, read, store durably, answer; the turn comes after."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from channels.inbound import Inbound, SystemEvent
from channels.waha.normalize import lid_pairs, normalize
from channels.waha.payload import parse_body
from channels.waha.signature import verify
from memory.domain import Actor, Message
from memory.errors import InvalidMessage
from nodes.normalize import MAX_TEXT_CHARS
from server.body import read_body
from server.errors import Refused
from server.service import Service, Serving

# First words of the names of WAHA's events. Source: WAHA, events, list of events.
EVENT_FAMILIES = frozenset(
    {
        "call",
        "chat",
        "contact",
        "engine",
        "event",
        "group",
        "label",
        "message",
        "poll",
        "presence",
        "session",
        "state",
    }
)

router = APIRouter()

Account = Annotated[str, Path(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9@.+_-]+$")]


@router.post("/webhooks/waha/{account}")
async def receive(account: Account, request: Request, service: Serving) -> dict[str, str]:
    """Take one event in. 2xx means that its message is in the ledger, or that it has none.

    Raises:
        Refused, BadSignature, MalformedPayload, InvalidMessage: nothing was stored.
        StoreUnavailable: nothing was stored; the gateway sends it again.
    """
    settings = service.settings
    hmac_key = settings.waha_hmac_key.get_secret_value() if settings.waha_hmac_key else ""
    secret = settings.waha_secret.get_secret_value() if settings.waha_secret else ""
    if not hmac_key and not secret:
        raise Refused(
            503, "webhooks are refused: set RECOLLECT_WAHA_HMAC_KEY (or RECOLLECT_WAHA_SECRET)"
        )
    body = await read_body(request)
    verify(request.headers, body, hmac_key=hmac_key, shared_secret=secret)
    event = parse_body(body)
    check_addressee(event, account)
    return {"status": await _take_in(service, account, await _read(service, account, event))}


def check_addressee(event: object, account: str) -> None:
    """Refuse what is no event of WAHA, or was meant for another account.

    Raises:
        Refused: it is; one line that says what to do.
    """
    if not isinstance(event, dict):
        return
    name, session = event.get("event"), event.get("session")
    if isinstance(name, str) and name.partition(".")[0] not in EVENT_FAMILIES:
        raise Refused(422, "malformed webhook: event is none that WAHA sends")
    if isinstance(session, str) and session != account:
        raise Refused(422, "malformed webhook: session is not the account named in the address")


async def _read(service: Service, account: str, event: object) -> Inbound:
    def read() -> Inbound:
        return normalize(
            event,
            tenant=service.settings.tenant,
            account=account,
            owner_ids=service.settings.owner_ids,
            known_bots=service.settings.known_bots,
            lids=service.gateway.phones,
        )

    inbound = read()
    # Only what is well-formed may teach anything.
    service.gateway.learn(lid_pairs(event))
    message = _message_of(inbound)
    if message is None:
        return inbound
    await service.gateway.resolve(account, [message.chat.chat_id, message.sender_id])
    return read()


async def _take_in(service: Service, account: str, inbound: Inbound) -> str:
    message = _message_of(inbound)
    if message is None:
        return "ignored"
    if len(message.text) > MAX_TEXT_CHARS:
        raise InvalidMessage(f"the message has more than {MAX_TEXT_CHARS} characters")
    outcome = await service.agent.take_in(message)
    if outcome == "new" and message.awaits_turn:
        await service.schedule(message.chat, at_once=message.actor is Actor.OWNER)
    return outcome


def _message_of(inbound: Inbound) -> Message | None:
    if isinstance(inbound, SystemEvent):
        return inbound.message
    return inbound if isinstance(inbound, Message) else None
