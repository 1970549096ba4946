"""What a question asks for, told by a logistic model of its vector and its wording. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory.npz import opened

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Told:
    """A logistic model: `weights` (width,) for a question's vector, and one for its wording.

    It fits the embedder of the `fingerprint`.
    """

    fingerprint: str
    weights: Floats
    wording: float
    bias: float

    def of(self, vectors: Sequence[Sequence[float]], *, by_wording: bool) -> float:
        """Return the chance; of a question in pieces the likeliest piece decides."""
        odds = float((np.asarray(vectors, np.float32) @ self.weights).max())
        return float(1 / (1 + np.exp(-(odds + self.wording * by_wording + self.bias))))


@cache
def shipped(file: Path) -> Told:
    """Return what the package ships in a file, loaded once."""
    with opened(file) as data:
        return Told(
            str(data["fingerprint"]),
            data["weights"].astype(np.float32),
            float(data["wording"]),
            float(data["bias"]),
        )
