"""Telegram's updates, pushed by its webhook or fetched by long polling; both end in the intake."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request

from channels.errors import GatewayUnavailable, MalformedPayload
from channels.inbound import Inbound
from channels.telegram.normalize import CHANNEL, normalize
from channels.telegram.signature import verify_secret
from channels.wire import parse_body
from memory.errors import Transient, reason_of
from server.http import examples
from server.http.body import any_object, read_body
from server.http.document import failing
from server.http.errors import Refused
from server.http.patterns import BOT
from server.receiving.intake import guarded, handle, keep_unreadable
from server.service import Service, Serving

POLL_S = 25.0
"""How long Telegram holds a request that has nothing to answer."""
RETRY_S = 2.0
RETRY_CAP_S = 60.0

log = logging.getLogger(__name__)

router = APIRouter()

_UPDATE: Final = any_object(
    {"update_id": 7, "message": {"message_id": 1, "from": {"id": 42}, "text": "Hi"}}
)

Account = Annotated[str, Path(pattern=BOT)]


@router.post(
    "/webhooks/telegram/{account}",
    openapi_extra=_UPDATE,
    responses=examples.HOOK | failing(404),
)
async def receive(account: Account, request: Request, service: Serving) -> dict[str, str]:
    """Take one update in. 2xx means that what it says is in the ledger, or that it is kept.

    Raises:
        Refused, BadSignature: nothing was stored.
        StoreUnavailable: nothing was stored; Telegram sends it again.
    """
    if account not in service.bots.accounts:
        raise Refused(404, "no bot of RECOLLECT_TELEGRAM_TOKENS has this id")
    secret = service.settings.telegram_secret
    if secret is None:
        raise Refused(503, "webhooks are refused: set RECOLLECT_TELEGRAM_SECRET")
    body = await read_body(request)
    verify_secret(request.headers, secret.get_secret_value())
    try:
        update = parse_body(body)
    except MalformedPayload as error:
        status = await keep_unreadable(service, CHANNEL, account, error, body)
        return {"status": status}
    try:
        return {"status": await take_update(service, account, update, body)}
    except GatewayUnavailable as error:
        raise Refused(503, str(error)) from error


async def take_update(service: Service, account: str, update: object, raw: bytes) -> str:
    """Store what an update says and return what became of it.

    Raises:
        GatewayUnavailable: it is not known yet who the bot is; nothing was stored.
        StoreUnavailable: nothing was stored.
    """
    settings = service.settings
    bot = await service.bots.identity(account)

    def reading() -> Inbound:
        return normalize(
            update,
            tenant=settings.tenant_of(CHANNEL, account),
            account=account,
            bot=bot,
            owner_ids=settings.owner_ids,
            # Our own bots see each other in groups: none of them answers another.
            known_bots=settings.known_bots | set(service.bots.accounts) - {account},
        )

    try:
        inbound = guarded(reading)
    except MalformedPayload as error:
        return await keep_unreadable(service, CHANNEL, account, error, raw)
    return await handle(service, account, inbound, raw)


async def poll(service: Service, account: str) -> None:
    """Fetch a bot's updates until cancelled; only what is stored is confirmed to Telegram.

    One process at a time does so: Telegram refuses a second one.
    """
    failures = 0
    while True:
        try:
            client = service.bots.client(account)
            async with service.agent.stores.memory.locks.hold(f"telegram-polling:{account}"):
                await client.delete_webhook()
                offset = 0
                while True:
                    for update in await client.updates(offset, POLL_S):
                        await _take_polled(service, account, update)
                        offset = _after(update, offset)
                    failures = 0
        # The outer loop of polling: whatever fails, it goes on.
        except Exception as error:  # noqa: BLE001
            failures += 1
            log.warning("Telegram's updates wait: %s", reason_of(error))
            await asyncio.sleep(min(RETRY_S * 2 ** min(failures - 1, 10), RETRY_CAP_S))


async def _take_polled(service: Service, account: str, update: dict[str, object]) -> None:
    raw = json.dumps(update, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        await take_update(service, account, update, raw)
    except Transient:
        raise
    # The outer loop of one update: what can never be stored is kept, and holds up no other.
    except Exception as error:  # noqa: BLE001
        log.warning("an update of Telegram's could not be taken in: %s", reason_of(error))
        await keep_unreadable(service, CHANNEL, account, reason_of(error), raw)


def _after(update: dict[str, object], offset: int) -> int:
    update_id = update.get("update_id")
    return max(offset, update_id + 1) if isinstance(update_id, int) else offset
