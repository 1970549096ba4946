"""How many lines a question wants: one thing looked up, or several, as in a list or a count. Pure.

`breadth.npz`, written by `scripts/fit_breadth.py`, tells the chance that several are asked for from
a question's vector and its wording; it fits the embedder whose fingerprint it names. With any other
the wording alone decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from memory.domain.recalls import Recalled
from memory.recall.questions import asks_for_several
from memory.recall.ranking.wording import asks_when
from memory.recall.wording import shipped

FILE: Final = Path(__file__).with_name("breadth.npz")
UNSURE: Final = 0.1
LIKELY: Final = 0.3
"""Chances that several things are asked for. Below the first it is a lookup, from the second on a
list. Source: the training chats, each by the others (docs/retrieval.md)."""
FEW: Final = 0.8
MANY: Final = 1.8
"""What a lookup and a list get of the lines that are shown otherwise."""
RESERVE: Final = 0.5
"""So many more are looked for, to stand in for those that say the same as others."""


def several_chance(fingerprint: str, vectors: Sequence[Sequence[float]], question: str) -> float:
    """Return the chance that a question asks for several things.

    Where another embedder made its vectors, or none did: 1 by its wording, else in between.
    """
    by_wording = wants_several(question)
    known = shipped(FILE)
    if vectors and fingerprint == known.fingerprint:
        return known.of(vectors, by_wording=by_wording)
    return 1.0 if by_wording else (UNSURE + LIKELY) / 2


def wants_several(question: str) -> bool:
    """Tell by its wording alone whether a question asks for several things: "how many days" not."""
    return asks_for_several(question) and not asks_when(question)


def lines_for(chance: float, limit: int) -> int:
    """Return how many lines are shown of a question that asks for several with this chance.

    `limit`: as many as where one cannot tell.
    """
    share = FEW if chance < UNSURE else 1.0 if chance < LIKELY else MANY
    return round(limit * share)


def for_prompt(messages: Sequence[Recalled], chance: float, limit: int) -> list[Recalled]:
    """Return the messages that a question gets, best first, then some in reserve, marked so."""
    most = lines_for(chance, limit)
    reserve = messages[most : most + round(most * RESERVE)]
    return [*messages[:most], *(replace(entry, is_shown=False) for entry in reserve)]


def lines_sought(limit: int) -> int:
    """Return how many lines are looked for, whatever the question, those in reserve with them."""
    return round(limit * MANY * (1 + RESERVE))
