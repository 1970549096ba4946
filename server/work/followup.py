"""What follows from news about the past: edits, revokes, people and chats with two ids.

All of it is written down before it is done here, and can be done twice: whatever is interrupted is
found again by the next round, of this process or another.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from graph.stores import Stores
from memory.domain.chats import ChatRef, Pair
from memory.errors import reason_of
from memory.transcript.joining import join_contact, move_chat

BATCH = 100
POLL_S = 5.0

T = TypeVar("T")

log = logging.getLogger(__name__)


class FollowUp:
    """Looks for such news until it is stopped."""

    def __init__(self, stores: Stores, poll_s: float = POLL_S) -> None:
        self._stores = stores
        self._poll_s = poll_s
        self._due = asyncio.Event()
        self._is_stopped = False

    def wake(self) -> None:
        """Look now: something became known."""
        self._due.set()

    def stop(self) -> None:
        """Begin nothing more; `run` ends with what is under way."""
        self._is_stopped = True
        self._due.set()

    async def run(self) -> None:
        """Work until `stop`; outlives every failure."""
        while not self._is_stopped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._poll_s):
                    await self._due.wait()
            self._due.clear()
            await self.look()

    async def look(self) -> None:
        """Do once what is due now; what fails is left for the next time."""
        stores = self._stores
        for tenant in stores.settings.served_tenants:
            await self._catch_up(tenant)
            await self._each(stores.memory.identities.unjoined, tenant, self._join)
            await self._each(stores.memory.moves.announced, tenant, self._move)
        # What moved is derived anew.
        stores.projector.wake()

    async def _catch_up(self, tenant: str) -> None:
        try:
            await self._stores.memory.revisions.catch_up(tenant, BATCH)
        # The outer loop: whatever is wrong with a store, the next round tries again.
        except Exception as error:  # noqa: BLE001
            log.warning("a follow-up is put off: %s", reason_of(error))

    async def _each(
        self,
        find: Callable[[str, int], Awaitable[list[T]]],
        tenant: str,
        work: Callable[[T], Awaitable[None]],
    ) -> None:
        """Work on what is found, one after the other; one that fails does not stop the others."""
        try:
            found = await find(tenant, BATCH)
        # The outer loop: whatever is wrong with a store, the next round tries again.
        except Exception as error:  # noqa: BLE001
            log.warning("a follow-up is put off: %s", reason_of(error))
            return
        for item in found:
            if self._is_stopped:
                return
            try:
                await work(item)
            # The outer loop of one item.
            except Exception as error:  # noqa: BLE001
                log.warning("a follow-up is put off: %s", reason_of(error))

    async def _join(self, pair: Pair) -> None:
        stores = self._stores
        drop = stores.saver.adelete_thread
        if await join_contact(stores.memory, pair, drop):
            await self._stores.memory.identities.joined(pair)

    async def _move(self, announced: tuple[ChatRef, ChatRef]) -> None:
        old, new = announced
        if await move_chat(self._stores.memory, old, new, self._stores.saver.adelete_thread):
            await self._stores.memory.moves.done(old)
