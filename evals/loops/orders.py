"""Which orders of a case's deliveries are played: distinct ones first, drawn by the seed."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from evals.loops.cases import LoopCase

DEFAULT_ORDERS = 10_000
_LISTED_UP_TO = 5_040
"""A case with no more orders than this has them listed; of one with more they are drawn."""

Order = tuple[int, ...]
"""Indices of a case's deliveries, in the order in which they are posted."""


def keys_of(case: LoopCase) -> tuple[int, ...]:
    """Return a number for each delivery; equal deliveries have equal numbers."""
    numbers: dict[str, int] = {}
    return tuple(
        numbers.setdefault(json.dumps([step.deliver, step.to], sort_keys=True), len(numbers))
        for step in case.deliveries
    )


def distinct_orders(keys: Sequence[int]) -> int:
    """Return how many orders can be told apart: n! over the factorials of the repetitions."""
    total = math.factorial(len(keys))
    for repetitions in Counter(keys).values():
        total //= math.factorial(repetitions)
    return total


def share(capacities: Sequence[int], sizes: Sequence[int], total: int) -> list[int]:
    """Spread a total over cases, none above its number of distinct orders.

    The more there is to do in an order of a case (`sizes`), the fewer it gets, by the fourth
    power: what is to be found is found by many cheap ones. What
    is left when all are full is spread evenly, as repetitions. The sum is `total`, or the number of
    cases where that is more; empty for no cases.
    """
    if not capacities:
        return []
    shares = [1] * len(capacities)
    left = total - len(capacities)
    while left > 0:
        open_ones = [i for i, capacity in enumerate(capacities) if shares[i] < capacity]
        if not open_ones:
            break
        weight = sum(sizes[i] ** -4.0 for i in open_ones)
        for i, part in [(i, left * sizes[i] ** -4.0 / weight) for i in open_ones]:
            added = min(max(int(part), 1), capacities[i] - shares[i], left)
            shares[i] += added
            left -= added
    for i in range(max(left, 0)):
        shares[i % len(shares)] += 1
    return shares


def draw(case: LoopCase, count: int, seed: int) -> list[Order]:
    """Return so many orders of a case, the written one first; the same for the same seed.

    No two can be told apart before all distinct ones are there.
    """
    keys = keys_of(case)
    dice = Random(f"{seed}:{case.case_id}")  # noqa: S311 a sample, no secret
    possible = distinct_orders(keys)
    orders: list[Order] = []
    while len(orders) < count:
        wanted = min(count - len(orders), possible)
        orders += _distinct(keys, wanted, possible, dice)
    return orders


def _distinct(keys: Sequence[int], wanted: int, possible: int, dice: Random) -> list[Order]:
    written = tuple(range(len(keys)))
    if possible <= _LISTED_UP_TO:
        listed = list(_listed(keys))
        rest = [order for order in listed if order != written]
        dice.shuffle(rest)
        return [written, *rest][:wanted]
    found = {keys if isinstance(keys, tuple) else tuple(keys): written}
    while len(found) < wanted:
        drawn = list(written)
        dice.shuffle(drawn)
        found.setdefault(tuple(keys[i] for i in drawn), tuple(drawn))
    return list(found.values())


def _listed(keys: Sequence[int]) -> Iterator[Order]:
    """Yield every distinct order once; of equal deliveries the earlier one comes earlier."""

    def extend(chosen: Order) -> Iterator[Order]:
        if len(chosen) == len(keys):
            yield chosen
            return
        tried: set[int] = set()
        for i, key in enumerate(keys):
            if i not in chosen and key not in tried:
                tried.add(key)
                yield from extend((*chosen, i))

    yield from extend(())
