"""One turn at a time per chat, across processes: Postgres advisory locks on one connection."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from typing_extensions import override

from memory.errors import StoreUnavailable
from memory.ports.runtime import Locks
from memory.postgres.pool import (
    CONNECT_TIMEOUT_S,
    SETTING,
    address_of,
    connect_kwargs,
    translated,
)

POLL_FIRST_S = 0.005
POLL_CAP_S = 0.1
WATCH_S = 0.2
"""How often a holder's connection is asked whether it is there."""
LOST_S = 5 * WATCH_S
"""Whoever lost a lock has stopped by then: who gets a lost one enters so much later."""

T = TypeVar("T")

_TAKE = "select take_lock(%s) as outcome"
_GIVE_BACK = "select give_back_lock(%s) as outcome"
HELD: Final = """exists (
  select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 1
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::bigint << 32 | l.objid::bigint = hashtextextended({name}, 0))"""
"""Whether somebody holds the lock of a `name`, which is SQL, as `take_lock` takes it."""
_ALIVE = "select 'alive' as outcome"

_Connection = AsyncConnection[DictRow]


class ChatLocks(Locks):
    """Advisory locks held on a connection of their own, so that waiting uses up no pool.

    A session may hold the same advisory lock twice, so that within a process an asyncio lock
    stands before it. A killed process drops its connection, and with it its locks;
    who gets one that was never given back enters when its last holder must have noticed.

    Every statement runs in a task of its own, which no cancellation of a holder reaches: half a
    statement would leave it open whether the lock is held. They are carried out in order.
    """

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._local: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: defaultdict[str, int] = defaultdict(int)
        self._connection: _Connection | None = None
        self._connecting = asyncio.Lock()
        self._statements: set[asyncio.Task[Any]] = set()  # Any: whatever they return

    @override
    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        self._waiting[name] += 1
        try:
            async with self._local[name]:
                connection, was_lost = await self._acquire(name)
                try:
                    await asyncio.sleep(LOST_S if was_lost else 0)
                    async with self._watched(connection):
                        yield
                finally:
                    await asyncio.shield(self._start(self._release(connection, name)))
        finally:
            self._waiting[name] -= 1
            if not self._waiting[name]:
                del self._waiting[name], self._local[name]

    async def close(self) -> None:
        """Close the connection, which drops every lock on it."""
        await asyncio.gather(*self._statements, return_exceptions=True)
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _connect(self) -> _Connection:
        async with self._connecting:
            if self._connection is None or self._connection.closed:
                with translated(self._url):
                    self._connection = await AsyncConnection.connect(self._url, **connect_kwargs())
            return self._connection

    async def _acquire(self, name: str) -> tuple[_Connection, bool]:
        """Return the connection that holds the lock now, and whether its last holder lost it."""
        pause = POLL_FIRST_S
        while True:
            connection = await asyncio.shield(self._start(self._connect()))
            asked = self._start(self._ask(connection, _TAKE, [name]))
            try:
                outcome = await asyncio.shield(asked)
            except asyncio.CancelledError:
                # It may be granted all the same, to nobody.
                self._start(self._give_back(asked, connection, name))
                raise
            if outcome != "held":
                return connection, outcome == "lost"
            await asyncio.sleep(pause)
            pause = min(pause * 2, POLL_CAP_S)

    async def _give_back(
        self, asked: asyncio.Task[str], connection: _Connection, name: str
    ) -> None:
        if await asked != "held":
            await self._release(connection, name)

    async def _release(self, connection: _Connection, name: str) -> None:
        try:
            await self._ask(connection, _GIVE_BACK, [name])
        except StoreUnavailable:
            # The connection is gone, and with it the lock.
            await connection.close()

    async def _ask(
        self, connection: _Connection, statement: str, parameters: Sequence[str] = ()
    ) -> str:
        """Run a statement to its end and return what it says.

        Raises:
            StoreUnavailable: the connection is lost. It is closed then, so that no lock stays.
        """
        try:
            with translated(self._url):
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    cursor = await connection.execute(statement.encode(), parameters)
                    row = await cursor.fetchone()
        except TimeoutError as error:
            await connection.close()
            raise StoreUnavailable(SETTING, address_of(self._url), "no answer") from error
        return str(row["outcome"]) if row else ""

    @asynccontextmanager
    async def _watched(self, connection: _Connection) -> AsyncIterator[None]:
        """Interrupt the body when the connection is lost: then somebody else may hold the lock.

        Raises:
            StoreUnavailable: it was lost.
        """
        holder = asyncio.current_task()
        lost: list[StoreUnavailable] = []

        async def watch() -> None:
            try:
                while True:
                    await asyncio.sleep(WATCH_S)
                    await asyncio.shield(self._start(self._ask(connection, _ALIVE)))
            except StoreUnavailable as error:
                lost.append(error)
                if holder is not None:
                    holder.cancel()

        cancelled_before = holder.cancelling() if holder else 0
        watching = asyncio.create_task(watch())
        try:
            yield
        except asyncio.CancelledError:
            # Unless it is cancelled from elsewhere as well.
            if not lost or (holder and holder.cancelling() > cancelled_before + 1):
                raise
        finally:
            watching.cancel()
            if lost and holder is not None:
                holder.uncancel()
        if lost:
            raise lost[0]

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._statements.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._statements.discard(task)
        if not task.cancelled():
            # Whoever waited for it may be gone.
            task.exception()
