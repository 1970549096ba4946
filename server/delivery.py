"""Sends the outbox's replies through WAHA, each at most once unless the settings say otherwise.

An attempt whose outcome nobody told us (the answer was lost, or the process died) is looked up in
the chat itself; the echo may settle it as well (`Outbox.match_echo`). What cannot be found out is
`unknown`, and listed, or sent again where `at_least_once` is set.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from channels.errors import GatewayUnavailable, MalformedPayload, SendRefused, SendUncertain
from channels.waha.jid import bare_message_id
from graph.bootstrap import Stores
from graph.retry import reason_of
from memory.domain import ChatRef, Delivery
from server.gateway import Gateway

CHANNEL = "waha"
TYPING_TIMEOUT_S = 3.0
LOOKUP_MESSAGES = 50
CLOCK_SKEW_S = 5.0
"""How far the gateway's clock, which counts whole seconds, may be behind ours."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Terms:
    """How replies are sent. Times in seconds.

    `doubt_s` is how long an echo has to settle an attempt whose outcome is open before the chat is
    looked up; `give_up_s` how long that is tried while the gateway does not answer.
    """

    senders: int = 4
    attempts: int = 20
    poll_s: float = 1.0
    send_s: float = 45.0
    doubt_s: float = 3.0
    give_up_s: float = 900.0
    stop_s: float = 10.0


class Deliverer:
    """Sends replies until it is stopped."""

    def __init__(self, stores: Stores, gateway: Gateway, terms: Terms | None = None) -> None:
        self._stores = stores
        self._gateway = gateway
        self._terms = terms or Terms()
        self._name = f"sender:{uuid4()}"
        self._due = [asyncio.Event() for _ in range(self._terms.senders)]
        self._stopped = asyncio.Event()

    def wake(self) -> None:
        """Look into the outbox now: a reply was stored."""
        self._due[0].set()

    async def run(self) -> None:
        """Send until `stop`; outlives every failure."""
        senders = (self._persistently(self._sender(slot)) for slot in range(self._terms.senders))
        await asyncio.gather(*senders, self._persistently(self._settle_interrupted))

    def stop(self) -> None:
        """Look once more, then begin no further attempt; `run` ends with those under way."""
        self._stopped.set()
        for due in self._due:
            due.set()

    async def show_typing(self, chat: ChatRef) -> None:
        """Show that a reply is being written; a gateway that does not care is no failure."""
        with contextlib.suppress(GatewayUnavailable, TimeoutError):
            async with asyncio.timeout(TYPING_TIMEOUT_S):
                await self._gateway.client(chat.account).start_typing(chat.chat_id)

    async def _persistently(self, step: Callable[[], Awaitable[None]]) -> None:
        failures = 0
        while not self._stopped.is_set():
            try:
                await step()
                failures = 0
            # The outer loop: whatever is wrong with the stores, sending goes on.
            except Exception as error:  # noqa: BLE001
                failures += 1
                log.warning("the outbox cannot be worked on: %s", reason_of(error))
                await self._rest(min(2.0**failures, 10.0))

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()

    def _sender(self, slot: int) -> Callable[[], Awaitable[None]]:
        """Return the loop body of one sender: wait, then send what is due.

        Only the first one polls; whoever finds something wakes the next, so that an idle outbox is
        asked once a second.
        """
        due = self._due[slot]

        async def step() -> None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._terms.poll_s if slot == 0 else None):
                    await due.wait()
            due.clear()
            # Once more after `stop`: the last turn's reply may just have been stored.
            while await self._send_next(slot) and not self._stopped.is_set():
                pass

        return step

    async def _send_next(self, slot: int) -> bool:
        stores = self._stores
        owner = f"{self._name}:{slot}"
        async with stores.locks.hold(owner):
            delivery = await stores.outbox.take(stores.settings.tenant, CHANNEL, owner)
            if delivery is None:
                return False
            if slot + 1 < len(self._due):
                self._due[slot + 1].set()
            await self._attempt(delivery)
            return True

    async def _attempt(self, delivery: Delivery) -> None:
        outbox, chat = self._stores.outbox, delivery.chat
        try:
            async with asyncio.timeout(self._terms.send_s):
                sent_id = await self._gateway.client(chat.account).send_text(
                    chat.chat_id, delivery.text, reply_to=delivery.reply_to or None
                )
        except SendRefused as error:
            is_over = delivery.attempts >= self._terms.attempts
            log.warning("delivery %s: %s", delivery.delivery_id, error)
            await outbox.settle(delivery, "failed" if is_over else "queued")
        except (SendUncertain, TimeoutError) as error:
            # Still `sending`, but nobody's any more: to be looked up when the dust has settled.
            log.warning("delivery %s is open: %s", delivery.delivery_id, reason_of(error))
        else:
            await outbox.settle(delivery, "sent", sent_id)

    async def _settle_interrupted(self) -> None:
        """Find out what became of attempts that nobody is making any more; then rest."""
        tenant = self._stores.settings.tenant
        before = datetime.now(UTC) - timedelta(seconds=self._terms.doubt_s)
        for delivery in await self._stores.outbox.interrupted(tenant, CHANNEL, before):
            await self._settle(delivery)
        await self._rest(self._terms.poll_s)

    async def _settle(self, delivery: Delivery) -> None:
        outbox, chat = self._stores.outbox, delivery.chat
        try:
            recent = await self._gateway.client(chat.account).recent_messages(
                chat.chat_id, LOOKUP_MESSAGES
            )
        except GatewayUnavailable:
            if _age_s(delivery) < self._terms.give_up_s:
                return
            recent = []
        candidates = sent_since(delivery, recent)
        taken = await outbox.known_ids(delivery, candidates)
        ours = [message_id for message_id in candidates if message_id not in taken]
        if ours:
            await outbox.settle(delivery, "sent", ours[0])
            return
        again = self._stores.settings.delivery == "at_least_once"
        again = again and delivery.attempts < self._terms.attempts
        log.warning(
            "delivery %s: its outcome cannot be known; %s",
            delivery.delivery_id,
            "sent again" if again else "not sent again",
        )
        await outbox.settle(delivery, "queued" if again else "unknown")
        self.wake()


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


def _age_s(delivery: Delivery) -> float:
    if delivery.attempted_at is None:
        return 0.0
    return (datetime.now(UTC) - delivery.attempted_at).total_seconds()
