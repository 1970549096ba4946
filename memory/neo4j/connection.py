"""How a Neo4j server is reached, and how its failures read."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, LiteralString
from urllib.parse import urlsplit

from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction, Record
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from memory.errors import StoreRefused, StoreUnavailable, Transient

SETTING: Final = "RECOLLECT_NEO4J_URI"
CONNECT_TIMEOUT_S: Final = 5.0
LOCK_ATTEMPTS: Final = 5
"""How often contacts are locked that others drop meanwhile."""

# The driver logs every retry; what came of it is told by our errors.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)


def address_of(uri: str) -> str:
    """Return scheme, host and port of a Neo4j address, without user and password."""
    try:
        parts = urlsplit(uri)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that is no Neo4j URI"
    return f"{parts.scheme}://{parts.hostname or ''}{port}"


@asynccontextmanager
async def translated(address: str) -> AsyncIterator[None]:
    """Turn what the driver raises into errors of ours.

    Raises:
        StoreUnavailable: a connection was lost or refused, or the statement may succeed later.
        StoreRefused: the server refuses the statement for good.
    """
    try:
        yield
    except AuthError as error:
        raise StoreRefused(SETTING, f"user or password, at {address}") from error
    except (ServiceUnavailable, SessionExpired) as error:
        raise StoreUnavailable(SETTING, address, "no answer on the Bolt port") from error
    except ValueError as error:
        # The driver's way to say that a name leads nowhere: that of a container that is down, too.
        if not isinstance(error, UnicodeError) and not isinstance(error.__cause__, OSError):
            raise
        raise StoreUnavailable(SETTING, address, "its name leads nowhere") from error
    except (Neo4jError, DriverError) as error:
        # What the server says of a statement can quote values: its kind is told instead.
        reason = getattr(error, "code", None) or type(error).__name__
        if error.is_retryable():
            raise StoreUnavailable(SETTING, address, reason) from error
        raise StoreRefused(SETTING, reason) from error


def connect(uri: str, user: str, password: str) -> AsyncDriver:
    """Return a driver; nothing is sent yet. An empty user connects without authentication.

    Raises:
        StoreUnavailable: `uri` is not an address that the driver understands.
    """
    try:
        return AsyncGraphDatabase.driver(
            uri,
            auth=(user, password) if user else None,
            connection_timeout=CONNECT_TIMEOUT_S,
            connection_acquisition_timeout=2 * CONNECT_TIMEOUT_S,
            max_transaction_retry_time=2 * CONNECT_TIMEOUT_S,
            notifications_min_severity="OFF",
        )
    except (ConfigurationError, ValueError) as error:
        raise StoreUnavailable(SETTING, address_of(uri), "not a Neo4j URI") from error


async def locked(
    transaction: AsyncManagedTransaction, lock: LiteralString, given: Mapping[str, Any]
) -> list[Record]:
    """Lock contacts by a statement that returns each as `contact_id`; return its records.

    Whoever was dropped while their lock was waited for is found, and is nobody: they are made anew.

    Raises:
        Transient: others drop them all the time.
    """
    for _ in range(LOCK_ATTEMPTS):
        result = await transaction.run(lock, dict(given))
        records = [record async for record in result]
        if all(record["contact_id"] is not None for record in records):
            return records
    raise Transient("Others drop the same contact in Neo4j all the time.")
