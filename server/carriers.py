"""How a channel carries deliveries: the port, and WAHA's side of it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Protocol

from channels.errors import GatewayUnavailable, MalformedPayload
from channels.waha.jid import bare_message_id
from memory.domain import ChatRef, Delivery
from server.gateway import Gateway

TYPING_TIMEOUT_S = 3.0
LOOKUP_MESSAGES = 50
CLOCK_SKEW_S = 60.0
"""How far the gateway's clock, which counts whole seconds, may be behind ours.

Further back, the same words may be those of an earlier reply, whose echo came under another id.
"""


class Carrier(Protocol):
    """Sends through one channel, one attempt a call."""

    async def send(self, delivery: Delivery) -> str:
        """Send one message and return its id on the channel.

        Raises:
            SendRefused: it was certainly not sent (`ChatHasMoved`: the chat has another id).
            SendUncertain: it may have been sent.
        """
        ...

    async def show_typing(self, chat: ChatRef) -> None:
        """Show that a reply is being written; a gateway that does not care is no failure."""
        ...

    async def look_up(self, delivery: Delivery) -> list[str] | None:
        """Return ids of messages of ours in the chat that may be this delivery, oldest first.

        None: the channel has no way to ask.

        Raises:
            GatewayUnavailable: it could not be asked now.
        """
        ...


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

    async def show_typing(self, chat: ChatRef) -> None:
        """Show the typing indicator, or leave it."""
        with contextlib.suppress(GatewayUnavailable, TimeoutError):
            async with asyncio.timeout(TYPING_TIMEOUT_S):
                await self._gateway.client(chat.account).start_typing(chat.chat_id)

    async def look_up(self, delivery: Delivery) -> list[str] | None:
        """Return the ids of our own messages in the chat that may be this delivery."""
        client = self._gateway.client(delivery.chat.account)
        recent = await client.recent_messages(delivery.chat.chat_id, LOOKUP_MESSAGES)
        return sent_since(delivery, recent)


def sent_since(delivery: Delivery, recent: list[dict[str, Any]]) -> list[str]:
    """Return the ids of our own messages that may be this delivery, oldest first.

    Same words, and not older than the attempt, allowing for the clocks.
    """
    if delivery.attempted_at is None:
        return []
    earliest = delivery.attempted_at.timestamp() - CLOCK_SKEW_S
    found: list[tuple[float, str]] = []
    for message in recent:
        at, body, wire_id = message.get("timestamp"), message.get("body"), message.get("id")
        if message.get("fromMe") is not True or not isinstance(at, int | float) or at < earliest:
            continue
        if isinstance(body, str) and body.split() == delivery.text.split():
            with contextlib.suppress(MalformedPayload):
                found.append((at, bare_message_id(wire_id if isinstance(wire_id, str) else "", "")))
    return [message_id for _, message_id in sorted(found)]
