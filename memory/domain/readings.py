"""What was read in one message: what it tells of its sender, and what it claims of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Final, Literal, NamedTuple

from memory.domain.chats import Message
from memory.domain.facts import Observation

Status = Literal["stated", "ended", "nobody", "other"]
"""Whether a value holds of the speaker, no longer holds, is nobody's fact, or somebody else's."""


Kinds = Mapping[str, float]
"""Kinds of thing that a text tells of, such as `pet`, each with the chance that it does."""

NO_KINDS: Final[Kinds] = {}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text to be read, with the turn before it where there was one."""

    text: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A value where it stands in a text: characters from `start` up to `end`, exclusive.

    `key` is one of `memory.facts.reading.labels.KEYS`; `confidence`, in 0..1, is the chance that
    key, extent and status are all right.
    """

    start: int
    end: int
    key: str
    status: Status
    confidence: float


@dataclass(frozen=True, slots=True)
class Earlier:
    """A message that was said shortly before another one, and what it tells of its sender."""

    message: Message
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """A message to be read, and the text of the turn before it, empty where there was none.

    `earlier`: what its sender said in the same chat just before, oldest first; given only for what
    may correct it. `zone`: the one that days are in which it names.
    """

    message: Message
    before: str = ""
    earlier: tuple[Earlier, ...] = ()
    zone: tzinfo = UTC

    @property
    def texts(self) -> tuple[str, ...]:
        """Its text, and those of what it may correct."""
        return self.message.text, *(each.message.text for each in self.earlier)


class ToldOf(NamedTuple):
    """Of whom messages claim something, as they say it, and a name in what they claim, if any."""

    holder: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ThirdPartyClaim:
    """What a message says of somebody else (X6): its sender's claim, nobody's fact.

    `holder` is who it is said of, in the message's words: a name, "wife", "dad". `key` and `value`
    are as in an Observation; `has_ended` where it is told to hold no more.
    """

    holder: str
    key: str
    value: str
    confidence: float
    source_uid: str
    stated_at: datetime
    anchor: str
    has_ended: bool = False


@dataclass(frozen=True, slots=True)
class Doubt:
    """A value that may be a fact of the speaker, where the reader is not sure enough to say so."""

    key: str
    value: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class KeptOut:
    """What a message tells that a rule keeps out, where that is known in its text. Never stored."""

    rule_id: int
    key: str
    value: str
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read in one message; nothing of what its sender may not tell.

    `kinds`: what it tells of, be it of nobody, or be the reader unsure. `kept_out`: what it tells
    that is never kept, and is none of the others.
    """

    observations: tuple[Observation, ...] = ()
    claims: tuple[ThirdPartyClaim, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    kinds: Kinds = field(default_factory=dict)
    kept_out: tuple[KeptOut, ...] = ()


NOTHING_READ: Final = Reading()
