"""A fact store that is tested, and what its contract tells it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from memory.domain.facts import Observation
from memory.facts.predicates import PREDICATES
from memory.ports.facts import FactStore

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALEX = "web:alex"


class StoppedClock:
    """A clock that a test sets."""

    now = T0 + timedelta(days=1)

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class Backend:
    """A store, a tenant of its own, and a count of stored facts that bypasses the store.

    `beside` is the same store on connections of its own, as another process has it; `clock` is that
    of both.
    """

    store: FactStore
    beside: FactStore
    tenant: str
    count_stored: Callable[[str, str], Awaitable[int]]
    clock: StoppedClock = field(default_factory=StoppedClock)


def said(
    key: str,
    value: str,
    at: int = 0,
    confidence: float = 0.95,
    *,
    retracts: bool = False,
    source: str = "",
    days: int | None = None,
) -> Observation:
    """Return an observation stated `at` minutes after T0; `days`: so many after T0 it is over."""
    known = PREDICATES[key]
    return Observation(
        known.category,
        key,
        value,
        confidence,
        known.importance,
        source or str(uuid4()),
        T0 + timedelta(minutes=at),
        f"contact:{ALEX}",
        retracts,
        until=None if days is None else T0 + timedelta(days=days),
    )


async def values(backend: Backend, key: str, contact: str = ALEX) -> list[str]:
    """Return the active values of a key, sorted."""
    return sorted(
        f.value for f in await backend.store.active(backend.tenant, contact) if f.key == key
    )


async def tell(backend: Backend, *seen: Observation, contact: str = ALEX) -> list[str]:
    """Apply observations; return the values that came to hold."""
    came_of = await backend.store.apply(backend.tenant, contact, seen, T0 + timedelta(days=1))
    return [fact.value for fact in came_of.activated]
