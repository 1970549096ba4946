"""Sends the outbox's replies through the channels' carriers, each once.

A process takes and sends under one lock; each account has places of its own (`places.py`), and one
whose gateway keeps failing is tried now and then (`memory/domain/breaker.py`). What became of a
send that nobody told us is found out by `clearing.py`; its echo may tell as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from channels.errors import ChatHasMoved, SendRefused
from graph.stores import Stores
from memory.domain.chats import ChatRef
from memory.domain.work import AccountRef, Delivery, DeliveryStatus
from memory.errors import RecollectError, reason_of
from server.sending.carriers import Carrier
from server.sending.clearing import Clearing, audit_line, oldest
from server.sending.places import Places
from server.sending.terms import Terms, persistently, rest

WAKE_MARGIN_S = 0.01
MOVE_WAIT_S = 5.0
TYPING_AGAIN_S = 4.0
"""Channels show the typing indicator for five seconds at most, or for as long as they like."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Wait:
    """For the answer to one send."""

    patience: asyncio.Timeout
    is_confirmed: bool = False


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of an attempt. `is_answered`: the gateway did its work, even if it refused."""

    status: DeliveryStatus
    is_answered: bool = True
    sent_id: str = ""
    wait_s: float = 0.0
    moved_to: str = ""


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
        self._terms = terms = terms or Terms()
        self._places = Places(terms.senders, terms.senders_in_all)
        self._waits: dict[str, _Wait] = {}
        self._clearing = Clearing(stores, carriers, terms, self.wake)
        self._due = asyncio.Event()
        self._stopped = asyncio.Event()
        stores.memory.outbox.on_echo(self._confirm)

    def wake(self) -> None:
        """Look into the outbox now: a reply was stored."""
        self._due.set()

    async def run(self) -> None:
        """Send until `stop`; outlives every failure."""
        beside = [
            asyncio.create_task(persistently(step, self._stopped))
            for step in (self._clearing.step, self._hear)
        ]
        try:
            await persistently(self._send_what_is_due, self._stopped)
            # The last turn's reply may just have been stored.
            with contextlib.suppress(RecollectError):
                await self._send_what_is_due()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await self._clearing.close()

    def stop(self) -> None:
        """Look once more, then begin no further attempt; `run` ends with those under way."""
        self._stopped.set()
        self._due.set()

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

    async def _send_what_is_due(self) -> None:
        """Wait, then take and send under one lock until nothing happens any more.

        The lock has a new name each time: what was left under an old one is nobody's.
        """
        was_woken = await self._woken()
        owner = f"sender:{uuid4()}"
        async with self._stores.memory.locks.hold(owner), asyncio.TaskGroup() as attempts:
            while True:
                is_last = self._stopped.is_set()
                await self._take(owner, attempts)
                if is_last or (not was_woken and self._places.are_all_free):
                    break
                was_woken = await self._woken()

    async def _woken(self) -> bool:
        """Wait for the next look; tell whether somebody asked for it."""
        if not self._stopped.is_set():
            await rest(self._due, self._terms.poll_s)
        was_woken = self._due.is_set()
        self._due.clear()
        return was_woken

    async def _take(self, owner: str, attempts: asyncio.TaskGroup) -> None:
        """Begin to send what is due, as far as there is room."""
        stores = self._stores
        while (room := self._places.room).in_all > 0:
            try:
                taken = await stores.memory.outbox.take(
                    self._tenants,
                    self._channels,
                    owner,
                    room=room,
                    pace_ms=stores.settings.send_pace_ms,
                    not_before=oldest(stores),
                    at=stores.clock(),
                )
            except RecollectError as error:
                # Those under way go on. If the database is gone, so is the lock, which ends them.
                log.warning("the outbox cannot be read: %s", reason_of(error))
                return
            for delivery in taken:
                self._places.enter(account := AccountRef.of(delivery.chat))
                attempt = attempts.create_task(self._attempt(delivery))
                # One that is cancelled before it begins has no `finally`.
                attempt.add_done_callback(partial(self._leave, account))
            if len(taken) < room.in_all:
                return

    async def _attempt(self, delivery: Delivery) -> None:
        outcome = await self._send(delivery)
        await self._until_written(lambda: self._record(delivery, outcome))
        self._wake_for_next_part()

    def _leave(self, account: AccountRef, _: asyncio.Task[None]) -> None:
        if self._places.leave(account):
            self.wake()

    def _wake_for_next_part(self) -> None:
        # It waits for the pace, not for the next poll.
        pace_s = self._stores.settings.send_pace_ms / 1000
        asyncio.get_running_loop().call_later(pace_s + WAKE_MARGIN_S, self.wake)

    async def _send(self, delivery: Delivery) -> _Outcome:
        """Make one attempt and return what became of it."""
        wait = _Wait(asyncio.timeout(self._terms.send_s))
        self._waits[delivery.delivery_id] = wait
        try:
            async with wait.patience:
                sent_id = await self._carriers[delivery.chat.channel].send(delivery)
            return _Outcome("sent", sent_id=sent_id)
        except ChatHasMoved as error:
            # It goes out once its chat has been moved.
            return _Outcome("queued", wait_s=MOVE_WAIT_S, moved_to=error.new_chat_id)
        # The outer loop of one attempt: what nobody foresaw leaves its outcome open.
        except Exception as error:  # noqa: BLE001
            if wait.is_confirmed:
                return _Outcome("sent")
            if not isinstance(error, SendRefused):
                log.warning("delivery %s is open: %s", delivery.delivery_id, reason_of(error))
                return _Outcome("sending", is_answered=False)
            log.warning("delivery %s: %s", delivery.delivery_id, error)
            if error.is_final:
                return _Outcome("failed")
            # Who names a wait is well, and busy.
            wait_s = error.retry_after_s
            return _Outcome("queued", is_answered=wait_s > 0, wait_s=wait_s)
        finally:
            del self._waits[delivery.delivery_id]

    async def _until_written(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write an outcome down, however long the stores cannot."""
        failures = 0
        while True:
            try:
                return await write()
            # The outer loop of one outcome: nobody else knows it, and others' sends go on.
            except Exception as error:  # noqa: BLE001
                failures += 1
                log.warning("an outcome cannot be written down: %s", reason_of(error))
                await asyncio.sleep(min(2.0**failures, 10.0))

    async def _record(self, delivery: Delivery, outcome: _Outcome) -> None:
        memory = self._stores.memory
        if outcome.moved_to:
            moved = replace(delivery.chat, chat_id=outcome.moved_to)
            await memory.moves.announce(delivery.chat, moved)
        await memory.outbox.settle(delivery, outcome.status, outcome.sent_id, wait_s=outcome.wait_s)
        if outcome.status == "failed":
            await memory.audit.write([audit_line(self._stores, delivery, "failed")])
        if not outcome.is_answered:
            await self._count_failure(delivery)
        elif delivery.account_failures:
            await self._close_breaker(AccountRef.of(delivery.chat))

    async def _count_failure(self, delivery: Delivery) -> None:
        breaker = await self._stores.memory.breakers.failed(delivery)
        if breaker.is_open:
            log.warning(
                "the gateway of account %s keeps failing; it is tried again at %s",
                delivery.chat.account,
                breaker.trial_at.isoformat(timespec="seconds"),
            )

    async def _close_breaker(self, account: AccountRef) -> None:
        """Send and look up soon what waited for a gateway that is back."""
        await self._stores.memory.breakers.close(account)
        self._clearing.hasten(account)
        if await self._stores.memory.outbox.hasten(*account):
            self.wake()

    async def _hear(self) -> None:
        """Learn of echoes that other processes took in."""
        await asyncio.sleep(self._terms.poll_s)
        if self._waits:
            for each in await self._stores.memory.outbox.confirmed(
                self._tenants, list(self._waits)
            ):
                self._confirm(each)

    def _confirm(self, delivery_id: str) -> None:
        """End the wait for an answer: an echo shows that the message was sent.

        The answer is often just behind, and has the id that quotes of the message will name.
        """
        wait = self._waits.get(delivery_id)
        if wait is None or wait.is_confirmed or wait.patience.expired():
            return
        wait.is_confirmed = True
        loop = asyncio.get_running_loop()
        wait.patience.reschedule(loop.time() + self._terms.echo_grace_s)
        self._wake_for_next_part()
