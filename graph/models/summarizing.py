"""Summaries by a chat model, and by the stretch's own words where it gives none that holds."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from contextvars import Context
from typing import Final

from typing_extensions import override

from memory.domain.episodes import Point, Spoken, Summary
from memory.episodes.summaries import MADE_BY, summarize
from memory.episodes.summaries.checking import INSTRUCTIONS, SCHEMA, checked, question_of
from memory.errors import RecollectError, Transient
from memory.ports.reading import ASK_PATIENCE_S, AskedModel
from memory.ports.summaries import CallBudget, Summarizer

REST_S: Final = 30.0
"""How long a model that could not be had is left alone, by each process."""
LEAST_LINES: Final = 3
"""Fewer messages are told as they are."""

log = logging.getLogger(__name__)


class Extractor(Summarizer):
    """Summaries out of the stretch's own words; no model."""

    @property
    @override
    def made_by(self) -> str:
        return MADE_BY

    @override
    async def summarize(
        self, tenant: str, said: Sequence[Spoken], facts: Sequence[Point] = ()
    ) -> Summary:
        return await asyncio.to_thread(summarize, said, None, facts)


class AskedSummarizer(Summarizer):
    """`Summarizer` on a chat model that is asked for JSON, within a day's calls."""

    def __init__(
        self,
        model: AskedModel,
        budget: CallBudget,
        calls_a_day: int,
        patience_s: float = ASK_PATIENCE_S,
    ) -> None:
        """Take whom to ask, who counts, how often a tenant may, and how long to wait."""
        self._model = model
        self._budget = budget
        self._limit = calls_a_day
        self._patience_s = patience_s
        self._plain = Extractor()
        self._rests_until = 0.0

    @property
    @override
    def made_by(self) -> str:
        return f"model/1:{self._model.name}"

    @override
    async def summarize(
        self, tenant: str, said: Sequence[Spoken], facts: Sequence[Point] = ()
    ) -> Summary:
        answer = await self._answer(tenant, said)
        if answer is not None:
            try:
                return await asyncio.to_thread(checked, answer, said, self.made_by)
            except ValueError:
                log.info("a model's summary does not hold: the chat's own words stand for it")
        return await self._plain.summarize(tenant, said, facts)

    async def _answer(self, tenant: str, said: Sequence[Spoken]) -> str | None:
        """Return what the model answers; None where it is not asked, or nothing came of it."""
        if len(said) < LEAST_LINES or time.monotonic() < self._rests_until:
            return None
        asked = question_of(said)
        if asked is None or not await self._budget.spend(tenant, self._limit):
            return None
        try:
            async with asyncio.timeout(self._patience_s):
                # In no context of the caller's, whose watchers would see the model's words.
                asking = self._model.answer(INSTRUCTIONS, asked, SCHEMA)
                return await asyncio.create_task(asking, context=Context())
        except (TimeoutError, Transient):
            self._rests_until = time.monotonic() + REST_S
            log.warning("no model writes summaries for %.0f s: it cannot be had", REST_S)
        except RecollectError:
            log.info("a model gives no summary: the chat's own words stand for it")
        return None
