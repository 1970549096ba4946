"""What another memory needs to take part: a class with `name`, `ingest` and `search`.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.recall.cases import CaseTurn

Vectors = list[list[float]]


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
