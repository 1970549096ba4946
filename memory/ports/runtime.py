"""Clock, ids and locks, injected so that tests own them."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The current time, injected so that tests own it."""

    def __call__(self) -> datetime:
        """Return now, timezone-aware UTC."""
        ...


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Ids(Protocol):
    """Fresh unique ids, injected so that tests own them."""

    def __call__(self) -> str:
        """Return a new UUID string."""
        ...


class Locks(Protocol):
    """One at a time by name, across processes."""

    def hold(self, name: str) -> AbstractAsyncContextManager[None]:
        """Wait for a lock and hold it; it is free again when its holder's process dies.

        Raises:
            StoreUnavailable: the locks cannot be reached, or this one was lost while it was held;
                the body is interrupted then.
        """
        ...
