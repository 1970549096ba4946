"""Sends the outbox's replies through the channels' carriers, each once.

An attempt whose outcome nobody told us (the answer was lost, or the process died) is looked up in
the chat itself; the echo may settle it as well (`Outbox.match_echo`). What two look-ups do not find
was not sent, and is queued again. What cannot be looked up is `unknown`, and listed, or sent again
where `at_least_once` is set.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import uuid4

from channels.errors import ChatHasMoved, GatewayUnavailable, SendRefused, SendUncertain
from graph.retry import reason_of
from graph.stores import Stores
from memory.domain.chats import ChatRef
from memory.domain.work import AuditLine, Delivery, DeliveryStatus
from server.sending.carriers import Carrier, ours_among

EXPIRED_AT_ONCE = 200
"""Deliveries dropped in one go; the next go follows at once."""
WAKE_MARGIN_S = 0.01
MOVE_WAIT_S = 5.0
TYPING_AGAIN_S = 4.0
"""Channels show the typing indicator for five seconds at most, or for as long as they like."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Terms:
    """How replies are sent. Times in seconds.

    `doubt_s` is how long an attempt whose outcome is open is left alone before the chat is looked
    up, and again before a second look is taken for the truth: together longer than a gateway takes
    for a send that is still under way. `give_up_s` is how long a look-up is tried while the gateway
    does not answer.
    """

    senders: int = 4
    poll_s: float = 1.0
    send_s: float = 45.0
    look_up_s: float = 10.0
    doubt_s: float = 5.0
    give_up_s: float = 900.0
    stop_s: float = 10.0


class Deliverer:
    """Sends replies until it is stopped."""

    def __init__(
        self,
        stores: Stores,
        carriers: Mapping[str, Carrier],
        terms: Terms | None = None,
    ) -> None:
        self._stores = stores
        self._carriers = carriers
        self._channels = tuple(carriers)
        self._tenants = stores.settings.served_tenants
        self._terms = terms or Terms()
        self._name = f"sender:{uuid4()}"
        self._due = [asyncio.Event() for _ in range(self._terms.senders)]
        self._stopped = asyncio.Event()
        self._troubled: set[tuple[str, str, str]] = set()

    def wake(self) -> None:
        """Look into the outbox now: a reply was stored."""
        self._due[0].set()

    async def run(self) -> None:
        """Send until `stop`; outlives every failure."""
        senders = (self._persistently(self._sender(slot)) for slot in range(self._terms.senders))
        await asyncio.gather(*senders, self._persistently(self._clear_up))

    def stop(self) -> None:
        """Look once more, then begin no further attempt; `run` ends with those under way."""
        self._stopped.set()
        for due in self._due:
            due.set()

    async def accompany(self, chat: ChatRef, replied: asyncio.Future[bool]) -> None:
        """Show that a chat was read and that a reply is being written, until `replied` is known.

        If it tells that there is none, typing stops; otherwise the reply itself ends it.
        """
        carrier = self._carriers[chat.channel]
        await carrier.mark_seen(chat)
        await carrier.show_typing(chat)
        while not (await asyncio.wait([replied], timeout=TYPING_AGAIN_S))[0]:
            await carrier.show_typing(chat)
        if not replied.result():
            await carrier.stop_typing(chat)

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
        pace_ms = stores.settings.send_pace_ms
        async with stores.memory.locks.hold(owner):
            delivery = await stores.memory.outbox.take(
                self._tenants,
                self._channels,
                owner,
                pace_ms=pace_ms,
                not_before=self._oldest(),
                at=stores.clock(),
            )
            if delivery is None:
                return False
            if slot + 1 < len(self._due):
                self._due[slot + 1].set()
            await self._attempt(delivery)
        # The chat's next part waits for the pace, not for the next poll.
        asyncio.get_running_loop().call_later(pace_ms / 1000 + WAKE_MARGIN_S, self.wake)
        return True

    def _oldest(self) -> datetime:
        age = timedelta(seconds=self._stores.settings.reply_max_age_s)
        return self._stores.clock() - age

    async def _attempt(self, delivery: Delivery) -> None:
        outbox = self._stores.memory.outbox
        account = (delivery.chat.tenant, delivery.chat.channel, delivery.chat.account)
        try:
            async with asyncio.timeout(self._terms.send_s):
                sent_id = await self._carriers[delivery.chat.channel].send(delivery)
        except ChatHasMoved as error:
            # It goes out once its chat has been moved.
            moved = replace(delivery.chat, chat_id=error.new_chat_id)
            await self._stores.memory.moves.announce(delivery.chat, moved)
            await outbox.settle(delivery, "queued", wait_s=MOVE_WAIT_S)
        except SendRefused as error:
            log.warning("delivery %s: %s", delivery.delivery_id, error)
            status: DeliveryStatus = "failed" if error.is_final else "queued"
            await outbox.settle(delivery, status, wait_s=error.retry_after_s)
            if error.is_final:
                await self._stores.memory.audit.write([self._line(delivery, "failed")])
            else:
                self._troubled.add(account)
        except (SendUncertain, TimeoutError) as error:
            # Still `sending`, but nobody's any more: to be looked up when the dust has settled.
            log.warning("delivery %s is open: %s", delivery.delivery_id, reason_of(error))
            self._troubled.add(account)
        else:
            await outbox.settle(delivery, "sent", sent_id)
            if account in self._troubled:
                self._troubled.discard(account)
                await self._hasten(*account)

    async def _hasten(self, tenant: str, channel: str, account: str) -> None:
        """Send soon what waited for a gateway that is back."""
        if await self._stores.memory.outbox.hasten(tenant, channel, account):
            self.wake()

    async def _clear_up(self) -> None:
        """Find out what became of attempts that nobody is making any more; drop what is too old."""
        stores, terms = self._stores, self._terms
        expired = await stores.memory.outbox.expire(self._tenants, self._oldest(), EXPIRED_AT_ONCE)
        for delivery in expired:
            log.warning("delivery %s expired: it waited too long", delivery.delivery_id)
        await stores.memory.audit.write([self._line(delivery, "expired") for delivery in expired])
        silent: set[tuple[str, str]] = set()
        open_ones = await stores.memory.outbox.interrupted(
            self._tenants, self._channels, terms.doubt_s
        )
        for delivery in open_ones:
            gateway = (delivery.chat.channel, delivery.chat.account)
            if gateway not in silent and not await self._settle(delivery):
                silent.add(gateway)
        if len(expired) < EXPIRED_AT_ONCE:
            await self._rest(terms.poll_s)

    async def _settle(self, delivery: Delivery) -> bool:
        """Look an open attempt up and settle it; False when the gateway does not answer."""
        outbox = self._stores.memory.outbox
        try:
            async with asyncio.timeout(self._terms.look_up_s):
                seen = await self._carriers[delivery.chat.channel].look_up(delivery)
        except (GatewayUnavailable, TimeoutError):
            if self._age_s(delivery) < self._terms.give_up_s:
                return False
            seen = None
        if seen is None:
            await self._decide(delivery)
            return True
        ids = [sighting.message_id for sighting in seen]
        taken = await outbox.known_ids(delivery, ids)
        elsewhere = await outbox.sent_elsewhere(delivery, ids)
        if ours := ours_among(delivery, seen, taken, elsewhere):
            await outbox.settle(delivery, "sent", ours)
        elif delivery.missed_at is None:
            await outbox.miss(delivery)
        else:
            log.warning("delivery %s was not sent; it is sent again", delivery.delivery_id)
            await outbox.settle(delivery, "queued")
        self.wake()
        return True

    async def _decide(self, delivery: Delivery) -> None:
        """Do as the settings say with an attempt whose outcome nobody can know."""
        again = self._stores.settings.delivery == "at_least_once"
        log.warning(
            "delivery %s: its outcome cannot be known; %s",
            delivery.delivery_id,
            "sent again" if again else "not sent again",
        )
        await self._stores.memory.outbox.settle(delivery, "queued" if again else "unknown")
        outcome = "outcome unknown, sent again" if again else "outcome unknown, not sent again"
        await self._stores.memory.audit.write([self._line(delivery, outcome)])
        self.wake()

    def _line(self, delivery: Delivery, outcome: str) -> AuditLine:
        return AuditLine(
            tenant=delivery.chat.tenant,
            thread_id=delivery.chat.thread_id,
            turn_id="",
            kind="delivery",
            outcome=outcome,
            detail=f"delivery {delivery.delivery_id}",
            at=self._stores.clock(),
        )

    def _age_s(self, delivery: Delivery) -> float:
        if delivery.attempted_at is None:
            return 0.0
        return (self._stores.clock() - delivery.attempted_at).total_seconds()
