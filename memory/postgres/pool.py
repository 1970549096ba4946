"""The one connection pool of a process, and how its failures read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import AsyncConnection, conninfo, errors
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from memory.errors import RecollectError, StoreRefused, StoreUnavailable

SETTING = "RECOLLECT_DATABASE_URL"
SCHEMA = "recollect"
CONNECT_TIMEOUT_S = 5.0
MAX_CONNECTIONS = 12
"""Six turns, with what they read side by side, and the webhooks beside them seldom wait."""
MAX_QUEUE_CONNECTIONS = 3
REST_S = 0.5
"""Time since its last use after which a connection is asked whether it is alive."""


def connect_kwargs() -> dict[str, Any]:  # Any: psycopg's connection options have no common type
    """Return the connection options that every connection of ours has."""
    return {
        "autocommit": True,
        "prepare_threshold": 0,
        "row_factory": dict_row,
        "options": f"-c search_path={SCHEMA}",
        "connect_timeout": int(CONNECT_TIMEOUT_S),
    }


def address_of(database_url: str) -> str:
    """Return where a database URL points to, without its user and password."""
    try:
        parts = conninfo.conninfo_to_dict(database_url)
    except psycopg.ProgrammingError:
        return "an address that is no database URL"
    host = parts.get("host") or "local socket"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"{host}{port}/{parts.get('dbname') or 'postgres'}"


def _reason(error: psycopg.Error) -> str:
    # What the server says of a statement can quote values: its kind and code are told instead.
    if error.sqlstate:
        return f"{type(error).__name__}, SQLSTATE {error.sqlstate}"
    # "connection failed: connection to server at ... failed: Connection refused", then a hint.
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rpartition("failed: ")[2] if lines else type(error).__name__


def _translation(database_url: str, error: psycopg.Error) -> RecollectError:
    # Deadlocks and serialization failures are OperationalErrors too, and so is a limit of the
    # server that the same statement hits again.
    may_pass = (
        psycopg.OperationalError,
        psycopg.InterfaceError,
        errors.ReadOnlySqlTransaction,  # while a standby takes over
    )
    is_limit = (error.sqlstate or "").startswith("54")
    if isinstance(error, may_pass) and not is_limit:
        return StoreUnavailable(SETTING, address_of(database_url), _reason(error))
    return StoreRefused(SETTING, _reason(error))


@contextmanager
def translated(database_url: str) -> Iterator[None]:
    """Turn what psycopg raises into errors of ours.

    Raises:
        StoreUnavailable: a connection was lost or refused, or the statement may succeed later.
        StoreRefused: the server refuses the statement for good.
    """
    try:
        yield
    except psycopg.Error as error:
        raise _translation(database_url, error) from error


class _CancellablePool(AsyncConnectionPool[AsyncConnection[DictRow]]):
    """A pool that loses no cancellation.

    It waits by `asyncio.wait_for`, which before Python 3.12 swallows one that comes as the
    connection does (https://github.com/python/cpython/issues/86296): who stops a loop by
    cancelling it would wait for ever.
    """

    async def getconn(self, timeout: float | None = None) -> AsyncConnection[DictRow]:
        """Hand a connection out, as `AsyncConnectionPool` does."""
        task = asyncio.current_task()
        asked = task.cancelling() if task else 0
        connection = await super().getconn(timeout)
        if task and task.cancelling() > asked:
            await self.putconn(connection)
            raise asyncio.CancelledError
        return connection


class Pool(_CancellablePool):
    """A pool whose connections raise errors of ours, the checkpointer's included."""

    @asynccontextmanager
    async def connection(
        self, timeout: float | None = None
    ) -> AsyncIterator[AsyncConnection[DictRow]]:
        """Lend a connection, as `AsyncConnectionPool` does; raises as `translated` says."""
        with translated(str(self.conninfo)):
            async with super().connection(timeout) as connection:
                yield connection


class Liveness:
    """Asks a connection whether it is alive before it is used again after a rest.

    Asking before every use costs a round trip a statement, a sixth of a turn. What breaks within
    the rest is an outage like any other: the statement fails, and its turn is tried again.
    """

    def __init__(self) -> None:
        self._used_at: WeakKeyDictionary[AsyncConnection[DictRow], float] = WeakKeyDictionary()

    async def check(self, connection: AsyncConnection[DictRow]) -> None:
        """Raise OperationalError for a connection that is dead after a rest."""
        now = time.monotonic()
        if now - self._used_at.get(connection, -REST_S) >= REST_S:
            await AsyncConnectionPool.check_connection(connection)
        self._used_at[connection] = now


@asynccontextmanager
async def open_pool(database_url: str) -> AsyncIterator[Pool]:
    """Open the pool, with the schema made.

    Raises:
        StoreUnavailable: the server cannot be reached, or the URL is none.
    """
    try:
        conninfo.conninfo_to_dict(database_url)
    except psycopg.ProgrammingError as error:
        raise StoreUnavailable(SETTING, address_of(database_url), "not a database URL") from error
    with translated(database_url):
        async with (
            await AsyncConnection.connect(database_url, **connect_kwargs()) as connection,
            connection.transaction(),
        ):
            # Two processes that create the schema at once would otherwise collide.
            await connection.execute(
                "select pg_advisory_xact_lock(hashtextextended(%s, 0))", [SCHEMA]
            )
            await connection.execute(f"create schema if not exists {SCHEMA}")
    pool = Pool(
        database_url,
        open=False,
        min_size=1,
        max_size=MAX_CONNECTIONS,
        timeout=CONNECT_TIMEOUT_S,
        check=Liveness().check,
        kwargs=connect_kwargs(),
    )
    async with pool:
        yield pool


@asynccontextmanager
async def open_queue_pool(
    database_url: str,
) -> AsyncIterator[AsyncConnectionPool[AsyncConnection[DictRow]]]:
    """Open a small pool as the queue library wants it: it translates psycopg's errors itself.

    Raises:
        StoreUnavailable: the server cannot be reached.
    """
    # The library passes `autocommit` itself where it connects by itself.
    kwargs = {name: value for name, value in connect_kwargs().items() if name != "autocommit"}
    pool = _CancellablePool(
        database_url,
        open=False,
        min_size=1,
        max_size=MAX_QUEUE_CONNECTIONS,
        timeout=CONNECT_TIMEOUT_S,
        check=Liveness().check,
        configure=_autocommitted,
        kwargs=kwargs,
    )
    with translated(database_url):
        async with pool:
            yield pool


async def _autocommitted(connection: AsyncConnection[DictRow]) -> None:
    await connection.set_autocommit(True)
