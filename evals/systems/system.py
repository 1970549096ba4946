"""What every memory under test is: it takes a conversation in, and ranks its turns.

Another memory takes part as a class with `name`, `ingest` and `search`:

    class MyMemory:
        name = "my-memory"

        def __init__(self, place: Place) -> None: ...
        def ingest(self, turns: Sequence[CaseTurn]) -> None: ...
        def search(self, query: str, k: int) -> Sequence[str]: ...

One object holds one conversation. Both methods may be `async`; `search` returns turn ids, best
first, or a `Found` where the system says how sure it is. `close()` is called at the end if there
is one. A class that needs no vectors says `embeds = False`: no embedder is loaded for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from evals.recall.cases import CaseTurn
from memory.recall.stages import Stage
from memory.text.chunks import estimate_tokens

Vectors = list[list[float]]
SHOWN_TURNS = 10
"""As many as the product puts into a prompt."""


@dataclass(frozen=True, slots=True)
class Found:
    """A search's answer: turn ids, best first, and how sure the system is that they answer.

    `confidence` only compares within one system; None where it does not tell. `parts`: what a
    turn's rank was made of, by turn id, where the system tells; `stages`: what a model added.
    """

    ids: tuple[str, ...]
    confidence: float | None
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()


class System(Protocol):
    """A memory under test, for one conversation at a time."""

    async def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Take a whole conversation in, in order."""
        ...

    async def search(self, query: str, k: int) -> Found:
        """Return at most `k` turns, best first."""
        ...


@runtime_checkable
class ShowsContext(Protocol):
    """A system that knows what of its memory a prompt would show."""

    async def context_tokens(self, query: str, found: Found) -> int:
        """Estimate how many tokens of a prompt the memory for this query would take."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where one conversation lives, and the embedder that every system gets.

    `folder` is empty, the conversation's own, and removed after the run. `embed` gives a unit
    vector of `dimension` numbers for each text; it blocks, and may be called from any thread but
    the event loop's: an `async` method calls `await asyncio.to_thread(place.embed, texts)`.
    """

    case_id: str
    folder: Path
    dimension: int
    embed: Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as a system is given it: never blank, and with its speaker's name in a group."""

    turn: CaseTurn
    text: str


def said(turns: Sequence[CaseTurn]) -> list[Said]:
    """Return what was said in the turns that have a text.

    Where several users speak, a text starts with the speaker's name, as the product embeds it:
    questions there name people.
    Source: the LoCoMo harnesses of mem0 (`evaluation/src/memzero/add.py`) and MemPalace
    (`benchmarks/locomo_bench.py`) do the same.
    """
    users = {turn.speaker for turn in turns if turn.role == "user"}
    is_group = len(users) > 1
    return [
        Said(turn, f"{turn.speaker}: {turn.text}" if is_group and turn.speaker else turn.text)
        for turn in turns
        if turn.text.strip()
    ]


def shown_tokens(turns: Sequence[CaseTurn], found: Found) -> int:
    """Return the size of the best turns: what a prompt shows of a system that says no more."""
    shown = set(found.ids[:SHOWN_TURNS])
    return tokens_of([turn for turn in turns if turn.id in shown])


def tokens_of(turns: Sequence[CaseTurn]) -> int:
    """Return how many tokens the turns' texts take, as estimated."""
    return sum(estimate_tokens(turn.text) for turn in turns)
