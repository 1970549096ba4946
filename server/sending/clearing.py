"""Finds out what became of sends that nobody is making any more, and drops what is too old.

An attempt whose outcome nobody told us (the answer was lost, or the process died) is looked up in
the chat itself. What two look-ups do not find was not sent, and is queued again. What cannot be
looked up is `unknown`, and listed, or sent again where `at_least_once` is set.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from channels.errors import GatewayUnavailable
from graph.stores import Stores
from memory.domain.work import AccountRef, AuditLine, Delivery
from memory.errors import reason_of
from server.sending.carriers import Carrier, ours_among
from server.sending.terms import Terms, rest

EXPIRED_AT_ONCE = 200
"""Deliveries dropped in one go; the next go follows at once."""

log = logging.getLogger(__name__)


class Clearing:
    """Looks open attempts up, every account by itself: one that is silent delays no other's."""

    def __init__(
        self,
        stores: Stores,
        carriers: Mapping[str, Carrier],
        terms: Terms,
        on_queued: Callable[[], None],
    ) -> None:
        self._stores = stores
        self._carriers = carriers
        self._terms = terms
        self._on_queued = on_queued
        self._looking: dict[AccountRef, asyncio.Task[None]] = {}
        self._silences: Counter[AccountRef] = Counter()
        self._pauses: dict[AccountRef, asyncio.Event] = {}

    async def step(self) -> None:
        """Drop what is too old, begin to look up what is open, and wait until the next poll."""
        stores, terms = self._stores, self._terms
        tenants = stores.settings.served_tenants
        expired = await stores.memory.outbox.expire(tenants, oldest(stores), EXPIRED_AT_ONCE)
        for delivery in expired:
            log.warning("delivery %s expired: it waited too long", delivery.delivery_id)
        await stores.memory.audit.write([audit_line(stores, each, "expired") for each in expired])
        found = await stores.memory.outbox.interrupted(
            tenants, tuple(self._carriers), terms.doubt_s
        )
        by_account: defaultdict[AccountRef, list[Delivery]] = defaultdict(list)
        for delivery in found:
            by_account[AccountRef.of(delivery.chat)].append(delivery)
        for account in by_account.keys() - self._looking.keys():
            task = asyncio.create_task(self._look_up(account, by_account[account]))
            self._looking[account] = task
        if len(expired) < EXPIRED_AT_ONCE:
            await asyncio.sleep(terms.poll_s)

    async def close(self) -> None:
        """Look no further; what is open is looked up by whoever comes next."""
        tasks = list(self._looking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def hasten(self, account: AccountRef) -> None:
        """Look an account's open attempts up soon: its gateway is back."""
        self._silences.pop(account, None)
        if account in self._pauses:
            self._pauses[account].set()

    async def _look_up(self, account: AccountRef, deliveries: Sequence[Delivery]) -> None:
        try:
            for delivery in deliveries:
                if not await self._settle(delivery):
                    return await self._pause(account)
            self._silences.pop(account, None)
        # The outer loop of one account's look-ups: they are made again in the next round.
        except Exception as error:  # noqa: BLE001
            log.warning("open deliveries could not be looked up: %s", reason_of(error))
        finally:
            del self._looking[account]

    async def _pause(self, account: AccountRef) -> None:
        """Leave a silent gateway alone, each time for longer."""
        self._silences[account] += 1
        pause_s = min(2.0 ** min(self._silences[account] - 1, 30), self._terms.silence_s)
        back = self._pauses[account] = asyncio.Event()
        try:
            await rest(back, pause_s)
        finally:
            del self._pauses[account]

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
            # Its answers may be lost, but it does its work.
            await self._stores.memory.breakers.close(AccountRef.of(delivery.chat))
        elif delivery.missed_at is None:
            await outbox.miss(delivery)
        else:
            log.warning("delivery %s was not sent; it is sent again", delivery.delivery_id)
            await outbox.settle(delivery, "queued")
        self._on_queued()
        return True

    async def _decide(self, delivery: Delivery) -> None:
        """Do as the settings say with an attempt whose outcome nobody can know."""
        stores = self._stores
        again = stores.settings.delivery == "at_least_once"
        log.warning(
            "delivery %s: its outcome cannot be known; %s",
            delivery.delivery_id,
            "sent again" if again else "not sent again",
        )
        await stores.memory.outbox.settle(delivery, "queued" if again else "unknown")
        outcome = "outcome unknown, sent again" if again else "outcome unknown, not sent again"
        await stores.memory.audit.write([audit_line(stores, delivery, outcome)])
        self._on_queued()

    def _age_s(self, delivery: Delivery) -> float:
        if delivery.attempted_at is None:
            return 0.0
        return (self._stores.clock() - delivery.attempted_at).total_seconds()


def oldest(stores: Stores) -> datetime:
    """Return when a reply was created that is just young enough to be sent."""
    return stores.clock() - timedelta(seconds=stores.settings.reply_max_age_s)


def audit_line(stores: Stores, delivery: Delivery, outcome: str) -> AuditLine:
    """Return the line that says what became of a delivery."""
    return AuditLine(
        tenant=delivery.chat.tenant,
        thread_id=delivery.chat.thread_id,
        turn_id="",
        kind="delivery",
        outcome=outcome,
        detail=f"delivery {delivery.delivery_id}",
        at=stores.clock(),
    )
