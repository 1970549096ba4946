"""What messages tell, read as the product reads them by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.readings import Excerpt, Heard, Span
from memory.facts.learning import Learner
from memory.ports.reading import SpanReader


async def observations_of(message: Message) -> tuple[Observation, ...]:
    """Return what a message tells of its sender."""
    (reading,) = await Learner().read([Heard(message)])
    return reading.observations


@dataclass(frozen=True, slots=True)
class ScriptedSpans(SpanReader):
    """Marks the given values wherever they stand: key, value and confidence."""

    marks: tuple[tuple[str, str, float], ...] = ()

    @property
    def version(self) -> str:
        return "scripted/1"

    @property
    def threshold(self) -> float:
        return 0.6

    async def read(self, excerpts: Sequence[Excerpt]) -> list[list[Span]]:
        return [
            [
                Span(each.text.index(value), each.text.index(value) + len(value), key, "stated", at)
                for key, value, at in self.marks
                if value in each.text
            ]
            for each in excerpts
        ]
