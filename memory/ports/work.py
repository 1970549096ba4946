"""Ports of what waits to be done: chats that may have work, and replies on their way out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Protocol

from memory.domain.breaker import Breaker
from memory.domain.chats import ChatRef, Message
from memory.domain.work import (
    ONE,
    AccountRef,
    Delivery,
    DeliveryStatus,
    FailingAccount,
    JobCounts,
    Room,
)


class Jobs(Protocol):
    """Which chats a worker has to look at, and when. What there is to do, the ledger says."""

    async def schedule(self, chat: ChatRef, delay_s: float = 0.0) -> None:
        """Let a worker look at the chat after a while; an earlier time that is set stays."""
        ...

    async def postpone(self, chat: ChatRef, delay_s: float, failures: int) -> None:
        """Let a worker look at the chat after a while, and no sooner; it failed so often."""
        ...

    async def suspects(self, tenants: Sequence[str], grace_s: float) -> set[int]:
        """Return jobs that began longer ago than `grace_s` and whose chat's lock nobody holds.

        Their worker is dead, or is just about to end them.
        """
        ...

    async def rescue(self, tenants: Sequence[str], job_ids: Collection[int]) -> int:
        """Give the chats of those suspects that are suspects still to other workers.

        Returns how many chats there were.
        """
        ...

    async def orphans(
        self, tenants: Sequence[str], channels: Sequence[str], limit: int
    ) -> list[ChatRef]:
        """Return chats with messages that wait for a turn and no job that will look at them."""
        ...

    async def abandoned(
        self, tenants: Sequence[str], channels: Sequence[str], thread_ids: Sequence[str]
    ) -> list[ChatRef]:
        """Return those of the threads' chats that no job will look at.

        Left out are chats whose newest turn failed: those wait for the owner.
        """
        ...

    async def counts(self, tenants: Sequence[str]) -> JobCounts:
        """Return how many jobs wait and how many run; at most 10,000 of each are counted."""
        ...


class Outbox(Protocol):
    """Replies on their way out.

    A row moves queued -> sending -> sent, or back to queued, or to unknown, failed or expired; of
    unknown and failed ones whoever has looked at them makes dismissed ones.
    """

    async def take(
        self,
        tenants: Sequence[str],
        channels: Sequence[str],
        owner: str,
        *,
        room: Room = ONE,
        pace_ms: int = 0,
        not_before: datetime | None = None,
        at: datetime | None = None,
    ) -> list[Delivery]:
        """Mark the oldest due deliveries that there is room for `sending` by `owner`; return them.

        A chat's deliveries leave in order, one at a time, `pace_ms` apart; one that was created
        before `not_before` is left. Of an account whose breaker is open one is taken, and only
        when a trial is due. `at` is now by the caller's clock (None: the database's), to be
        compared with the channel's times. The caller holds the lock named `owner` from before
        until all attempts are settled.
        """
        ...

    async def settle(
        self,
        delivery: Delivery,
        status: DeliveryStatus,
        sent_message_id: str = "",
        *,
        wait_s: float = 0.0,
    ) -> None:
        """Record the outcome of an attempt: sent, queued (try again later), unknown or failed.

        `sending` is an open outcome: nobody waits for it any more. `wait_s`: how long the channel
        asked us to wait at least. Nothing changes when a later attempt has begun or an echo has
        confirmed the delivery.
        """
        ...

    async def interrupted(
        self, tenants: Sequence[str], channels: Sequence[str], doubt_s: float
    ) -> list[Delivery]:
        """Return attempts older than `doubt_s` whose owner's lock nobody holds, oldest first.

        One that a look-up has missed comes again only `doubt_s` after that. At most a few of each
        account, so that one with many hides no other's.
        """
        ...

    async def miss(self, delivery: Delivery) -> None:
        """Record that a look-up did not find an attempt of open outcome."""
        ...

    async def hasten(self, tenant: str, channel: str, account: str) -> int:
        """Make due soon what waits to be tried again on an account; return how many."""
        ...

    async def expire(self, tenants: Sequence[str], before: datetime, limit: int) -> list[Delivery]:
        """Mark queued deliveries that were created before a time expired, and return them."""
        ...

    async def known_ids(self, delivery: Delivery, message_ids: Sequence[str]) -> set[str]:
        """Return those of the ids that belong to another delivery of the same chat."""
        ...

    async def sent_elsewhere(
        self, delivery: Delivery, message_ids: Sequence[str]
    ) -> list[datetime]:
        """Return when other deliveries of the chat with the same words were sent.

        Only those that are known under none of the ids: a channel may show them under another one.
        The latest 50, newest first.
        """
        ...

    async def counts(self, tenants: Sequence[str]) -> dict[DeliveryStatus, int]:
        """Return how many deliveries are in each status; a status with none is left out.

        At most 10,000 of a status are counted.
        """
        ...

    async def match_echo(self, message: Message) -> bool:
        """Tell whether an own-account message is an echo of a delivery, and confirm that one.

        By its id, else by chat and text within a time window. A delivery is echoed under its own
        id and at most one other.
        """
        ...

    def on_echo(self, tell: Callable[[str], None]) -> None:
        """Have `tell` called with a delivery's id when an echo confirms it in this process."""
        ...

    async def confirmed(self, tenants: Sequence[str], delivery_ids: Sequence[str]) -> set[str]:
        """Return those of the deliveries that are sent, by whichever process's echo."""
        ...

    async def listing(
        self, tenant: str, *statuses: DeliveryStatus, after: int = 0, limit: int = 1000
    ) -> list[Delivery]:
        """Return deliveries in these statuses whose id comes after `after`, oldest first."""
        ...

    async def dismiss(
        self, tenants: Sequence[str], delivery_ids: Sequence[str] | None = None
    ) -> int:
        """Mark unknown and failed deliveries dismissed, those or all; return how many were."""
        ...

    async def blank_settled(self, tenants: Sequence[str], before: datetime) -> int:
        """Drop the texts of deliveries that were settled before a time; return how many.

        The reply itself is in the ledger; the row stays for quotes and late echoes. Texts of a
        reply in several parts stay with their rows: what is left once a part is deleted in the
        channel is made of them.
        """
        ...

    async def delete_settled(self, tenants: Sequence[str], before: datetime) -> int:
        """Delete deliveries that were sent, expired or dismissed before a time; return how many.

        Those that somebody has to look at stay until they are dismissed. The parts of a reply go
        together, once the last of them is old enough.
        """
        ...


class Breakers(Protocol):
    """Accounts whose gateway fails, known to all processes."""

    async def failed(self, delivery: Delivery) -> Breaker:
        """Count an attempt that the gateway failed, and return what its account has come to."""
        ...

    async def close(self, account: AccountRef) -> None:
        """Forget an account's failures: its gateway works."""
        ...

    async def listing(self, tenants: Sequence[str]) -> list[FailingAccount]:
        """Return the accounts whose breaker is open, longest first."""
        ...
