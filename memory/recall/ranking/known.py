"""Kinds of thing: which a question asks for, and which lines tell of them.

"Which pets has she" asks for a pet, and a line about a hamster tells of one, whatever its words.
`known.npz`, written by `scripts/fit_kinds.py`, tells the chance of each kind from the vector of a
question; it fits the embedder whose fingerprint it names, and no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.domain.readings import NO_KINDS, Kinds
from memory.domain.recalls import Line
from memory.npz import opened

FILE: Final = Path(__file__).with_name("known.npz")
LEAST: Final = 0.01
"""The chance from which a kind is taken to be asked for."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class AskedKinds:
    """`weights` (width, kinds) and `bias` (kinds,) of a logistic model for each of `keys`."""

    fingerprint: str
    keys: tuple[str, ...]
    weights: Floats
    bias: Floats

    def of(self, vectors: Sequence[Sequence[float]]) -> Kinds:
        """Return the kinds that a question asks for; of several pieces the best one counts."""
        if not vectors:
            return NO_KINDS
        odds = (np.asarray(vectors, np.float32) @ self.weights + self.bias).max(0)
        chances = 1 / (1 + np.exp(-odds))
        return {
            key: chance
            for key, chance in zip(self.keys, chances.tolist(), strict=True)
            if chance >= LEAST
        }


def asked_kinds(fingerprint: str, vectors: Sequence[Sequence[float]]) -> Kinds:
    """Return the kinds that a question asks for; none where another embedder made its vectors."""
    known = shipped_kinds()
    return known.of(vectors) if fingerprint == known.fingerprint else NO_KINDS


def kinds_told(asked: Kinds, lines: Sequence[Line]) -> Floats:
    """Return how likely each line tells of a kind that is asked for: the best of them, in 0..1."""
    return np.array(
        [
            max((asked[key] * line.kinds[key] for key in asked.keys() & line.kinds), default=0.0)
            if line.kinds
            else 0.0
            for line in lines
        ],
        np.float32,
    )


@lru_cache(maxsize=1)
def shipped_kinds() -> AskedKinds:
    """Return what the package ships, loaded once."""
    with opened(FILE) as data:
        return AskedKinds(
            str(data["fingerprint"]),
            tuple(map(str, data["keys"])),
            data["weights"].astype(np.float32),
            data["bias"].astype(np.float32),
        )
