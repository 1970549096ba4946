"""One turn at a time per chat, across processes: Postgres advisory locks on one connection."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from memory.postgres.pool import address_of, connect_kwargs, translated

POLL_FIRST_S = 0.005
POLL_CAP_S = 0.1


class ChatLocks:
    """Advisory locks held on a connection of their own, so that waiting uses up no pool.

    A session may hold the same advisory lock twice, so that within a process an asyncio lock
    stands before it. A killed process drops its connection, and with it its locks.
    """

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._local: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: defaultdict[str, int] = defaultdict(int)
        self._connection: AsyncConnection[DictRow] | None = None
        self._connecting = asyncio.Lock()

    @asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[None]:
        """Wait for a chat's lock and hold it.

        Raises:
            StoreUnavailable: the database cannot be reached.
        """
        self._waiting[thread_id] += 1
        try:
            async with self._local[thread_id]:
                connection = await self._acquire(thread_id)
                try:
                    yield
                finally:
                    await self._release(connection, thread_id)
        finally:
            self._waiting[thread_id] -= 1
            if not self._waiting[thread_id]:
                del self._waiting[thread_id], self._local[thread_id]

    async def close(self) -> None:
        """Close the connection, which drops every lock on it."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _connect(self) -> AsyncConnection[DictRow]:
        async with self._connecting:
            if self._connection is None or self._connection.closed:
                with translated(address_of(self._url)):
                    self._connection = await AsyncConnection.connect(self._url, **connect_kwargs())
            return self._connection

    async def _acquire(self, thread_id: str) -> AsyncConnection[DictRow]:
        pause = POLL_FIRST_S
        while True:
            connection = await self._connect()
            with translated(address_of(self._url)):
                cursor = await connection.execute(
                    "select pg_try_advisory_lock(hashtextextended(%s, 0)) as held", [thread_id]
                )
                row = await cursor.fetchone()
            if row and row["held"]:
                return connection
            await asyncio.sleep(pause)
            pause = min(pause * 2, POLL_CAP_S)

    async def _release(self, connection: AsyncConnection[DictRow], thread_id: str) -> None:
        if connection.closed:
            return
        with translated(address_of(self._url)):
            await connection.execute(
                "select pg_advisory_unlock(hashtextextended(%s, 0))", [thread_id]
            )
