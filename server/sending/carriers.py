"""How a channel carries deliveries: the port, and WAHA's side of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from channels.errors import GatewayUnavailable, MalformedPayload
from channels.waha.jid import bare_message_id
from memory.domain.chats import ChatRef
from memory.domain.work import Delivery, Sighting
from server.sending.gateway import Gateway

PRESENCE_TIMEOUT_S = 3.0
LOOKUP_MESSAGES = 50
CLOCK_SKEW = timedelta(seconds=60)
"""How far the gateway's clock, which counts whole seconds, may differ from ours."""


class Carrier(Protocol):
    """Sends through one channel, one attempt a call."""

    async def send(self, delivery: Delivery) -> str:
        """Send one message and return its id on the channel.

        Raises:
            SendRefused: it was certainly not sent (`ChatHasMoved`: the chat has another id).
            SendUncertain: it may have been sent.
        """
        ...

    async def mark_seen(self, chat: ChatRef) -> None:
        """Show that the chat was read. This and typing are no failure where they do not succeed."""
        ...

    async def show_typing(self, chat: ChatRef) -> None:
        """Show that a reply is being written."""
        ...

    async def stop_typing(self, chat: ChatRef) -> None:
        """Show that none is being written any more."""
        ...

    async def look_up(self, delivery: Delivery) -> list[Sighting] | None:
        """Return the latest messages of ours in the chat with this delivery's words.

        None: the channel has no way to ask.

        Raises:
            GatewayUnavailable: it could not be asked now.
        """
        ...


@asynccontextmanager
async def presence() -> AsyncIterator[None]:
    """Give a call that only shows something a moment, and let it fail."""
    with contextlib.suppress(GatewayUnavailable, TimeoutError):
        async with asyncio.timeout(PRESENCE_TIMEOUT_S):
            yield


class WahaCarrier:
    """`Carrier` over a WAHA gateway."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def send(self, delivery: Delivery) -> str:
        """Send one message and return its bare id."""
        chat = delivery.chat
        client = self._gateway.client(chat.account)
        return await client.send_text(
            chat.chat_id, delivery.text, reply_to=delivery.reply_to or None
        )

    async def mark_seen(self, chat: ChatRef) -> None:
        """Mark the chat as read, or leave it."""
        async with presence():
            await self._gateway.client(chat.account).send_seen(chat.chat_id)

    async def show_typing(self, chat: ChatRef) -> None:
        """Show the typing indicator, or leave it."""
        async with presence():
            await self._gateway.client(chat.account).start_typing(chat.chat_id)

    async def stop_typing(self, chat: ChatRef) -> None:
        """Take the typing indicator back, or leave it."""
        async with presence():
            await self._gateway.client(chat.account).stop_typing(chat.chat_id)

    async def look_up(self, delivery: Delivery) -> list[Sighting] | None:
        """Return our own messages with its words among the chat's latest 50."""
        client = self._gateway.client(delivery.chat.account)
        recent = await client.recent_messages(delivery.chat.chat_id, LOOKUP_MESSAGES)
        return sightings(delivery, recent)


def sightings(delivery: Delivery, recent: list[dict[str, Any]]) -> list[Sighting]:
    """Return our own messages with a delivery's words, among what the gateway lists."""
    found: list[Sighting] = []
    for message in recent:
        at, body, wire_id = message.get("timestamp"), message.get("body"), message.get("id")
        if message.get("fromMe") is not True or not isinstance(at, int | float):
            continue
        if isinstance(body, str) and body.split() == delivery.text.split():
            with contextlib.suppress(MalformedPayload, ValueError, OverflowError, OSError):
                bare = bare_message_id(wire_id if isinstance(wire_id, str) else "", "")
                found.append(Sighting(bare, datetime.fromtimestamp(at, UTC)))
    return found


def ours_among(
    delivery: Delivery,
    seen: Sequence[Sighting],
    taken: Collection[str],
    elsewhere: Sequence[datetime],
) -> str:
    """Return the id under which a delivery is in its chat; empty when it is not there.

    Args:
        delivery: An attempt of open outcome.
        seen: Our messages in the chat with the same words.
        taken: Ids of them that belong to other deliveries.
        elsewhere: When further deliveries with the same words were sent, whose ids the chat does
            not show: each of them is one of the messages, the one nearest in time.
    """
    if delivery.attempted_at is None:
        return ""
    left = [sighting for sighting in seen if sighting.message_id not in taken]
    for tried_at in elsewhere:
        near = [each for each in left if abs(each.at - tried_at) <= CLOCK_SKEW]
        if near:
            left.remove(min(near, key=lambda each: abs(each.at - tried_at)))
    began = delivery.attempted_at
    fitting = [each for each in left if each.at >= began - CLOCK_SKEW]
    return min(fitting, key=lambda each: abs(each.at - began)).message_id if fitting else ""
