"""Deliverers over a gateway of many sessions, without a web server, and replies for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from server.sending.carriers import WahaCarrier
from server.sending.delivery import Deliverer
from server.sending.gateway import Gateway
from server.sending.terms import Terms
from tests.fakes.waha_gateway import WahaGateway


@asynccontextmanager
async def sending(stores: Stores, terms: Terms) -> AsyncIterator[Deliverer]:
    """Run a deliverer to the gateway of the settings, and stop it as a process does."""
    async with Gateway(stores.settings, stores.memory.identities) as gateway:
        deliverer = Deliverer(stores, {"waha": WahaCarrier(gateway)}, terms)
        running = asyncio.create_task(deliverer.run())
        try:
            yield deliverer
        finally:
            deliverer.stop()
            await asyncio.wait([running], timeout=terms.stop_s)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def reply(stores: Stores, account: str, chat_id: str, *parts: str) -> None:
    """Put a reply in parts into the outbox as a finished turn does."""
    chat = ChatRef(stores.settings.tenant, "waha", account, chat_id)
    now, contact, number = datetime.now(UTC), f"waha:{chat_id}", stores.ids()
    asked = Message(chat, f"q{number}", Actor.CONTACT, chat_id, contact, "Hi", now)
    await stores.memory.ledger.record([asked])
    turn_id = stores.ids()
    await stores.memory.ledger.claim(turn_id, asked)
    said = parts or (f"to {chat_id}",)
    answer = Message(chat, f"a{number}", Actor.AGENT, "agent", contact, "".join(said), now)
    await stores.memory.ledger.finish(chat.tenant, turn_id, [answer], None, {answer.uid: said})


async def statuses(stores: Stores) -> dict[str, int]:
    """Return how many deliveries are in each status."""
    counts = await stores.memory.outbox.counts([stores.settings.tenant])
    return {str(status): count for status, count in counts.items()}


def sends_asked(gateway: WahaGateway, account: str) -> int:
    """Return how often a session was asked to send."""
    return sum(
        name == "sendText" and body["session"] == account for name, body in list(gateway.calls)
    )


def texts(gateway: WahaGateway, account: str) -> list[str]:
    """Return what was sent on a session, oldest first."""
    return [sent.text for sent in list(gateway.sent) if sent.session == account]
