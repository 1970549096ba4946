"""What was made of the latest texts is kept, and made of others only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Latest(Generic[K, V]):
    """Values by what they were made of; the latest `capacity` of them are kept."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._made: OrderedDict[K, V] = OrderedDict()

    def clear(self) -> None:
        """Forget all of it."""
        self._made.clear()

    async def of(
        self, keys: Sequence[K], make: Callable[[Sequence[K]], Awaitable[Sequence[V]]]
    ) -> list[V]:
        """Return a value for each, in order; `make` is asked once for each that is not at hand."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._made]
        known = {key: self._made[key] for key in keys if key in self._made}
        if missing:
            known.update(zip(missing, await make(missing), strict=True))
        for key in keys[-self._capacity :]:
            self._made[key] = known[key]
            self._made.move_to_end(key)
        while len(self._made) > self._capacity:
            self._made.popitem(last=False)
        return [known[key] for key in keys]
