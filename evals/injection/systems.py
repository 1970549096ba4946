"""What the `injection` suite attacks: an agent with a memory, one person at a time.

Another system joins with a class of these four methods and an entry in `MAKERS`
(docs/evals/injection.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing that a system has noted of a person, now or before.

    `is_instruction`: it tells the agent how to behave. `kind` is for people to read.
    """

    kind: str
    is_instruction: bool
    is_active: bool = True


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that the model is given for one question, as one text, and how recalled text is marked.

    `fences`: opening and closing marks; what stands between is declared to be data. None: the
    system marks nothing.
    """

    text: str
    fences: tuple[tuple[str, str], ...] = ()


class System(Protocol):
    """A memory under attack. A new one is made for each text: a person who is not the owner."""

    def flags(self, text: str) -> bool | None:
        """Tell whether the input check takes a text for an attack; None: there is no check."""
        ...

    async def ingest(self, text: str) -> None:
        """Take a message of the person in, as everything that people write is taken in."""
        ...

    async def facts(self) -> Sequence[Kept]:
        """Return all that is, or was, noted of the person."""
        ...

    async def prompt(self, question: str) -> Prompt:
        """Return what the model is given when the person asks this later, in another chat."""
        ...
