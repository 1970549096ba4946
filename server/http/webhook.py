"""`POST /webhooks/waha/{account}`: check, read, store durably, answer; the turn comes after.

What is authentic but cannot be read is kept as an event and answered 200: the gateway would send
it again, up to fifteen times, and it would be no better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request

from channels.errors import MalformedPayload
from channels.inbound import Ack, Edit, Inbound, Revoke, SystemEvent
from channels.waha.accounts import lid_pairs, own_ids
from channels.waha.normalize import normalize
from channels.waha.payload import parse_body
from channels.waha.signature import verify
from memory.domain.chats import Message, message_uid
from server.http import examples
from server.http.body import any_object, read_body
from server.http.errors import Refused
from server.http.patterns import ACCOUNT
from server.receiving.intake import guarded, handle, keep_unreadable
from server.sending.gateway import CHANNEL
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

_EVENT: Final = any_object(
    {
        "event": "message",
        "session": "default",
        "payload": {"id": "false_4915@c.us_3A01", "body": "Hi"},
    }
)

Account = Annotated[str, Path(min_length=1, max_length=100, pattern=ACCOUNT)]


@router.post("/webhooks/waha/{account}", openapi_extra=_EVENT, responses=examples.HOOK)
async def receive(account: Account, request: Request, service: Serving) -> dict[str, str]:
    """Take one event in. 2xx means that what it says is in the ledger, or that it is kept.

    Raises:
        Refused, BadSignature: nothing was stored.
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
    try:
        event = parse_body(body)
        check_addressee(event, account)
        inbound = await _read(service, account, event)
    except MalformedPayload as error:
        status = await keep_unreadable(service, CHANNEL, account, error, body)
    else:
        status = await handle(service, account, inbound, body)
    return {"status": status}


def check_addressee(event: object, account: str) -> None:
    """Refuse what is no event of WAHA, or was meant for another account.

    Raises:
        MalformedPayload: it is; one line that says what is wrong.
    """
    if not isinstance(event, dict):
        return
    name, session = event.get("event"), event.get("session")
    if isinstance(name, str) and name.partition(".")[0] not in EVENT_FAMILIES:
        raise MalformedPayload("event", "is none that WAHA sends")
    if isinstance(session, str) and session != account:
        raise MalformedPayload("session", "is not the account named in the address")


async def _read(service: Service, account: str, event: object) -> Inbound:
    """Read an event twice: as it is, then with the hidden ids resolved that it turned out to name.

    Raises:
        MalformedPayload: it cannot be read.
    """
    stores = service.agent.stores
    tenant = service.settings.tenant_of(CHANNEL, account)
    bots = service.settings.known_bots | await stores.memory.identities.other_own(CHANNEL, account)

    def reading(lids: Mapping[str, str]) -> Inbound:
        return normalize(
            event,
            tenant=tenant,
            account=account,
            owner_ids=service.settings.owner_ids,
            known_bots=bots,
            lids=lids,
        )

    first = guarded(lambda: reading({}))
    # Only what is well-formed may teach anything.
    ours = own_ids(event)
    await stores.memory.identities.remember_own(CHANNEL, account, ours)
    told = {lid: jid for lid, jid in lid_pairs(event).items() if not ours & {lid, jid}}
    uid = _uid(first)
    if await service.gateway.learn(tenant, account, told, "webhook", uid):
        service.follow_up.wake()
    resolved = await service.gateway.resolve(tenant, account, _named(first), uid)
    return guarded(lambda: reading(resolved)) if resolved else first


def _uid(inbound: Inbound) -> str:
    """Return the uid of the message that an event is, or changes, or is about; empty: of none."""
    match inbound:
        case Message():
            return inbound.uid
        case SystemEvent():
            about = inbound.about
            return message_uid(inbound.message.chat, about) if about else inbound.message.uid
        case Ack() | Edit() | Revoke():
            return message_uid(inbound.chat, inbound.message_id)
        case _:
            return ""


def _named(inbound: Inbound) -> list[str]:
    """Return the ids of the chat, the speaker and whom they quote."""
    match inbound:
        case Message():
            quoted = [inbound.quote.sender_id] if inbound.quote else []
            return [inbound.chat.chat_id, inbound.sender_id, *quoted]
        case SystemEvent():
            return [inbound.message.chat.chat_id]
        case Edit() | Revoke():
            return [inbound.chat.chat_id, inbound.sender_id]
        case _:
            return []
