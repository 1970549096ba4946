"""The clock and the ids, injected so that tests own them."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The current time, injected so that tests own it."""

    def __call__(self) -> datetime:
        """Return now, timezone-aware UTC."""
        ...


class Ids(Protocol):
    """Fresh unique ids, injected so that tests own them."""

    def __call__(self) -> str:
        """Return a new UUID string."""
        ...
