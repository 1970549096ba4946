"""What was made of the latest texts is kept, and made of others only."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Latest(Generic[K, V]):
    """Values by what they were made of; the latest `capacity` of them are kept."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._made: OrderedDict[K, V] = OrderedDict()
        self._under_way: dict[K, asyncio.Future[Mapping[K, V]]] = {}
        self._cleared = 0

    def clear(self) -> None:
        """Forget all of it; what is being made now is not kept either."""
        self._made.clear()
        self._under_way.clear()
        self._cleared += 1

    async def of(
        self, keys: Sequence[K], make: Callable[[Sequence[K]], Awaitable[Sequence[V]]]
    ) -> list[V]:
        """Return a value for each, in order; `make` is asked once for each that is not at hand.

        What somebody else has made of now is waited for; if nothing comes of that, it is made here.
        """
        known: dict[K, V] = {}
        cleared = self._cleared
        while left := [key for key in dict.fromkeys(keys) if key not in known]:
            known |= {key: self._made[key] for key in left if key in self._made}
            left = [key for key in left if key not in known]
            others = {self._under_way[key] for key in left if key in self._under_way}
            if mine := [key for key in left if key not in self._under_way]:
                known |= await self._make(mine, make)
            if others:
                await asyncio.wait(others)
                known |= {key: each.result()[key] for each in others for key in each.result()}
        if cleared == self._cleared:
            self._keep({key: known[key] for key in keys})
        return [known[key] for key in keys]

    async def _make(
        self, keys: Sequence[K], make: Callable[[Sequence[K]], Awaitable[Sequence[V]]]
    ) -> Mapping[K, V]:
        """Make values, so that others who want the same meanwhile wait for them."""
        future = asyncio.get_running_loop().create_future()
        self._under_way |= dict.fromkeys(keys, future)
        made: dict[K, V] = {}
        try:
            made = dict(zip(keys, await make(keys), strict=True))
        finally:
            future.set_result(made)
            for key in keys:
                if self._under_way.get(key) is future:
                    del self._under_way[key]
        return made

    def _keep(self, made: Mapping[K, V]) -> None:
        for key in list(made)[-self._capacity :]:
            self._made[key] = made[key]
            self._made.move_to_end(key)
        while len(self._made) > self._capacity:
            self._made.popitem(last=False)
