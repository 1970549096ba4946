"""A reader of facts that tells what a test scripts for a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.readings import NOTHING_READ, Heard, Reading, ThirdPartyClaim
from memory.facts.predicates import PREDICATES
from memory.ports.reading import FactReader


@dataclass(frozen=True)
class ScriptedReader(FactReader):
    """Reads `home=Leeds` as a fact, `wife.home=Leeds` as a claim; with `!=` it has ended."""

    script: Mapping[str, Sequence[str]]

    @property
    def version(self) -> str:
        """The rules' own: nothing is to be read again."""
        return "rules/1"

    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return what is scripted for each text, nothing for any other."""
        return [self._reading(heard.message) for heard in messages]

    async def reread(self, messages: Sequence[Heard]) -> list[Reading]:
        """Return the same again."""
        return await self.read(messages)

    async def close(self) -> None:
        """Nothing is under way."""

    def _reading(self, message: Message) -> Reading:
        told = self.script.get(message.text)
        if told is None or message.withheld:
            return NOTHING_READ
        return Reading(
            tuple(_fact(message, each) for each in told if "." not in each.partition("=")[0]),
            tuple(_claim(message, each) for each in told if "." in each.partition("=")[0]),
        )


def _fact(message: Message, told: str) -> Observation:
    key, _, value = told.partition("=")
    known = PREDICATES[key.removesuffix("!")]
    return Observation(
        known.category,
        known.key,
        value,
        0.95,
        known.importance,
        message.uid,
        message.sent_at,
        message.anchor,
        key.endswith("!"),
    )


def _claim(message: Message, told: str) -> ThirdPartyClaim:
    left, _, value = told.partition("=")
    holder, _, key = left.rpartition(".")
    return ThirdPartyClaim(
        holder,
        key.removesuffix("!"),
        value,
        0.8,
        message.uid,
        message.sent_at,
        message.anchor,
        key.endswith("!"),
    )
