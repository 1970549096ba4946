"""Pools of questions as arrays: what the network of attention learns from. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pools:
    """Lines and questions, each as a row of one array and where it begins.

    pieces: Vectors of lines' pieces, int8 (pieces, 64); `line_starts` (lines + 1,).
    before, behind: The number of the line beside each, -1 for none, (lines,).
    asked, weights: Pieces of questions, int8 (pieces, 64), and their weights; `asked_starts`.
    lines, scores, is_evidence: Of each question's pool the numbers of the lines, what they score
        without attention, and which answer; `pool_starts`.
    space: What made the pieces.
    """

    pieces: npt.NDArray[np.int8]
    line_starts: Ints
    before: Ints
    behind: Ints
    asked: npt.NDArray[np.int8]
    weights: Floats
    asked_starts: Ints
    lines: Ints
    scores: Floats
    is_evidence: Flags
    pool_starts: Ints
    space: str

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return len(self.pool_starts) - 1

    def write(self, path: Path) -> None:
        """Write the arrays to an npz file."""
        np.savez(path, **{name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def read(cls, path: Path) -> Pools:
        """Read what `write` wrote."""
        with np.load(path) as data:
            arrays = {name: data[name] for name in cls.__slots__ if name != "space"}
            return cls(**arrays, space=str(data["space"]))
