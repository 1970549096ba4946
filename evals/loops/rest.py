"""When orders have come to rest: nothing is open in the ledger, and no webhook is on its way.

No clock decides that. Patience is counted in looks, which take longer on a loaded machine, too.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from evals.errors import NeverAtRest
from evals.loops.gateways import Line
from evals.loops.ledger import OpenWork

LOOK_S = 0.15
STUCK_LOOKS = 1_000
"""So many looks without any change: it hangs. A turn that failed is tried again after 120 s."""
MOST_LOOKS = 4_000
MOST_LOOKS_AN_ORDER = 40
"""So many looks in all, and for each order: something goes round and round."""


class Open(Protocol):
    """Tells what a product has still to do: `LedgerView`."""

    async def open_work(self) -> list[OpenWork]:
        """Return what is still to be done; empty at rest."""
        ...


async def come_to_rest(
    lines: Sequence[Line],
    ledger: Open,
    check: Callable[[], None],
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Return when the orders of these lines are at rest at two looks in a row, or `until` holds.

    `check` is called at every look; what it raises ends the wait.

    Raises:
        NeverAtRest: they hang, or are busy without end; what is still open.
    """
    accounts = {name for line in lines for name in line.accounts}
    before: object = None
    unchanged = 0
    for _ in range(MOST_LOOKS + MOST_LOOKS_AN_ORDER * len(lines)):
        check()
        if until():
            return
        on_the_way = sum(len(line.echoing) for line in lines)
        work = [each for each in await ledger.open_work() if each.account in accounts]
        state = (work, on_the_way, sum(len(line.sent) for line in lines))
        unchanged = unchanged + 1 if state == before else 0
        before = state
        if unchanged and not work and not on_the_way:
            return
        if unchanged >= STUCK_LOOKS:
            break
        await asyncio.sleep(LOOK_S)
    raise NeverAtRest(_left(work, on_the_way))


def _left(work: Sequence[OpenWork], on_the_way: int) -> str:
    counts: Counter[str] = Counter()
    for each in work:
        counts[each.what] += each.count
    if on_the_way:
        counts["webhooks on their way"] = on_the_way
    left = ", ".join(f"{count} {what}" for what, count in counts.items())
    return f"the product never came to rest; open in the end: {left or 'nothing'}"
