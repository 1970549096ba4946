"""What the evidence is worth: the weights that `scripts/fit_open_loops.py` learnt. Pure.

There are two sets: one reads the vectors of the embedder that ships, one does without any, for
where another embedder is set.
"""

# ruff: noqa: E501 - patterns and tables

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memory.npz import opened
from memory.open_loops.due import DUE_VERSION
from memory.open_loops.loops import Vector

WEIGHTS_FILE: Final = Path(__file__).with_name("weights.npz")
DIMENSION: Final = 384
VECTOR_SCALE: Final = 3.0
"""A vector's numbers are small beside cues of 0 and 1."""
VECTORS: Final = "vectors"
WORDING: Final = "wording"

Floats = npt.NDArray[np.float32]


def scaled(evidence: Vector) -> Vector:
    """Return rows of evidence with their vectors scaled."""
    rows = evidence.copy()
    rows[:, :DIMENSION] *= VECTOR_SCALE
    return rows


@dataclass(frozen=True, slots=True)
class Model:
    """Two linear models with a column for each kind, and from which probability it is listed.

    `reads_vectors`: whether sentences come with their vectors; else those are zeros.
    """

    opening: npt.NDArray[Any]
    opening_bias: npt.NDArray[Any]
    closing: npt.NDArray[Any]
    closing_bias: npt.NDArray[Any]
    thresholds: npt.NDArray[Any]
    reads_vectors: bool = True
    about: Mapping[str, Any] = field(default_factory=dict)

    def opens(self, evidence: Vector) -> Floats:
        """Return how likely each sentence opens each kind, (sentences, kinds)."""
        return np.asarray(_sigmoid(scaled(evidence) @ self.opening + self.opening_bias), np.float32)

    def closes(self, evidence: list[float], kind: int) -> float:
        """Return how likely a message closes a loop of a kind."""
        logit = np.asarray(evidence) @ self.closing[:, kind] + self.closing_bias[kind]
        return float(_sigmoid(logit))

    @property
    def fingerprint(self) -> str:
        """What made it and what it reads: another one lists other loops."""
        reads = VECTORS if self.reads_vectors else WORDING
        return f"{self.about['version']}+{DUE_VERSION}/{reads}"


def save(models: Mapping[str, Model], about: Mapping[str, Any], file: Path = WEIGHTS_FILE) -> None:
    """Write models by name, and what they were made of."""
    arrays = {
        f"{name}.{part}": getattr(model, part).astype(
            np.float16 if part == "opening" else np.float32
        )
        for name, model in models.items()
        for part in ("opening", "opening_bias", "closing", "closing_bias", "thresholds")
    }
    np.savez_compressed(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)


@lru_cache(maxsize=4)
def load_model(embedder: str = "") -> Model:
    """Return the weights for an embedder by its fingerprint: those without vectors for any other."""
    with opened(WEIGHTS_FILE) as packed:
        about = json.loads(packed["about"].tobytes())
        reads_vectors = embedder == about["embedder"]
        name = VECTORS if reads_vectors else WORDING
        parts = ("opening", "opening_bias", "closing", "closing_bias", "thresholds")
        return Model(
            **{part: packed[f"{name}.{part}"].astype(np.float32) for part in parts},
            reads_vectors=reads_vectors,
            about=about,
        )


def _sigmoid(values: Any) -> Any:  # Any: a number or an array
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))
