"""Ports of reading: who marks values in messages, who reads facts from them, who is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from memory.domain.answers import Answered, Kept, Refusal, Rejection
from memory.domain.readings import Excerpt, Heard, Reading, Span
from memory.ports.summaries import CallBudget

ASK_PATIENCE_S: Final = 20.0
"""How long one question to a chat model may take; then its messages do without."""


class SpanReader(Protocol):
    """Marks what messages say of people, by a model that runs here."""

    @property
    def version(self) -> str:
        """Names what was learnt: `reader/1`."""
        ...

    @property
    def threshold(self) -> float:
        """The confidence from which a span is right often enough to be kept, in 0..1."""
        ...

    async def read(self, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        """Return the spans of each message, in its order; the same for the same message."""
        ...


class FactReader(Protocol):
    """Reads what messages tell of people, whichever way they came in."""

    @property
    def version(self) -> str:
        """Names how it reads: facts read another way are to be read again."""
        ...

    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells, in order; nothing of what its sender may not tell."""
        ...

    async def reread(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what each message tells by what was found out before: nobody is asked anew."""
        ...

    async def close(self) -> None:
        """Let what is under way come to an end, for a while."""
        ...


class AskedModel(Protocol):
    """A chat model that is asked for JSON, at a temperature of 0."""

    @property
    def name(self) -> str:
        """Which model it is, as it is set."""
        ...

    async def answer(self, instructions: str, question: str, schema: Mapping[str, Any]) -> str:
        """Return what the model answers: JSON by the schema, if it does as it is told.

        Raises:
            ModelUnavailable: it cannot be had now.
            ModelRefused, ModelFailed: it refuses, or answers nothing that can be used.
        """
        ...


class Answers(CallBudget, Protocol):
    """What a model answered about messages, so that it is asked once; and how often it was."""

    async def kept(self, tenant: str, uids: Sequence[str]) -> dict[str, Kept]:
        """Return what is kept about messages, by uid; those never asked about are left out."""
        ...

    async def begin(
        self,
        tenant: str,
        digests: Mapping[str, str],
        reader: str,
        limit: int,
        *,
        again: bool = False,
    ) -> frozenset[str] | None:
        """Return which messages the caller is to ask about, with one call; it is counted.

        `digests`: of their texts, by uid. Others have asked about the rest, or it is not in the
        ledger. `again`: those of which no answer came, too. None: the tenant's `limit` calls of the
        day, in UTC, are used up.
        """
        ...

    async def settle(
        self,
        tenant: str,
        answered: Sequence[Answered],
        refusals: Sequence[Refusal],
        reader: str,
    ) -> None:
        """Keep what came of asking; nothing about a message whose text changed meanwhile."""
        ...

    async def rejections(self, tenant: str, limit: int) -> list[Rejection]:
        """Return what counted for nothing, the newest first."""
        ...

    async def calls_today(self, tenants: Sequence[str]) -> dict[str, int]:
        """Return how often a model was asked today, in UTC, by tenant."""
        ...
