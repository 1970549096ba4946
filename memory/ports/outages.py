"""What memory can do without for a while: which store is missing, and when it is asked again.

A missing store costs one caller at most its patience. The others are told at once, until one of
them asks again. A line is logged when a store goes missing and when it is back, none in between.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from memory.domain.recalls import Part
from memory.errors import RecollectError

RETRY_S = 5.0
"""So long after a failure a missing store is asked again, by one caller."""

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class _Outage:
    since: datetime
    next_try: float


class Outages:
    """Asks stores that may be missing.

    `patience_s` names them, each with the seconds that an answer may take; any other store is
    asked as it is, and its failures pass through.
    """

    def __init__(
        self,
        patience_s: Mapping[Part, float] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._patience_s = dict(patience_s or {})
        self._now = now
        self._clock = clock
        self._outages: dict[Part, _Outage] = {}

    @property
    def since(self) -> dict[Part, datetime]:
        """The stores that are missing, and since when."""
        return {part: outage.since for part, outage in self._outages.items()}

    async def ask(
        self,
        part: Part,
        call: Callable[[], Awaitable[_Answer]],
        tolerates: type[RecollectError] = RecollectError,
    ) -> _Answer | None:
        """Return what the store answers; None where it is missing.

        Failures that are none of `tolerates` pass through.
        """
        if part not in self._patience_s:
            return await call()
        outage = self._outages.get(part)
        if outage is not None:
            if self._clock() < outage.next_try:
                return None
            outage.next_try = self._clock() + RETRY_S
        patience = self._patience_s[part]
        try:
            async with asyncio.timeout(patience):
                answer = await call()
        except TimeoutError:
            self._missed(part, f"no answer within {patience:g} s")
        except tolerates as error:
            self._missed(part, str(error))
        else:
            # An answer to what was asked before it went missing does not tell that it is back.
            if outage is not None and self._outages.get(part) is outage:
                del self._outages[part]
                log.warning("memory has %s again", part)
            return answer
        return None

    def _missed(self, part: Part, reason: str) -> None:
        retry = self._clock() + RETRY_S
        if part in self._outages:
            self._outages[part].next_try = retry
            return
        self._outages[part] = _Outage(self._now(), retry)
        log.warning("memory does without %s until it is back: %s", part, reason)
