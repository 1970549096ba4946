"""A circuit breaker: what keeps failing is asked less often. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

OPENS_AFTER = 3
"""Failures in a row. One or two may be a single message's fault."""
PAUSE_S = 1.0
PAUSE_CAP_S = 60.0
"""The first pause before a trial and the longest; each is twice the one before."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """How often an account's gateway has failed in a row since it last did its work.

    Closed, all sends are let through; open, one trial from `trial_at` on.
    """

    failures: int
    since: datetime
    trial_at: datetime

    @property
    def is_open(self) -> bool:
        """Whether it failed so often that only trials are let through."""
        return self.failures >= OPENS_AFTER

    def after_failure(self, at: datetime, *, failures_before: int) -> Breaker:
        """Return what a failure makes of it.

        Args:
            at: Now.
            failures_before: What was known when the attempt began. An attempt that began while the
                breaker was closed says nothing new of one that is open.
        """
        if self.is_open and failures_before < OPENS_AFTER:
            return self
        counted = replace(self, failures=self.failures + 1, trial_at=at)
        if not counted.is_open:
            return counted
        pause_s = PAUSE_S * 2.0 ** min(counted.failures - OPENS_AFTER, 30)
        return replace(counted, trial_at=at + timedelta(seconds=min(pause_s, PAUSE_CAP_S)))
