"""Ports of summaries: who makes them of an episode, and who counts what a model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory.domain.episodes import Point, Spoken, Summary


class Summarizer(Protocol):
    """Says what a stretch of a chat comes down to."""

    @property
    def made_by(self) -> str:
        """Names how it summarizes: summaries made another way may be made anew."""
        ...

    async def summarize(
        self, tenant: str, said: Sequence[Spoken], facts: Sequence[Point] = ()
    ) -> Summary:
        """Return the summary of messages in the order of time; `made_by` in it says who wrote it.

        It never fails for a model's sake: without one, the words of the stretch stand for it.
        """
        ...


class CallBudget(Protocol):
    """Counts how often a chat model is asked, for all processes."""

    async def spend(self, tenant: str, limit: int) -> bool:
        """Count one more call of today, in UTC; False, uncounted, where `limit` were made."""
        ...
