"""The linear score of a line: features by weights, some of which depend on how long messages are.

`weights.json` is written by `scripts/fit_recall.py`, from chats of our own alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from memory.recall.ranking.features import Floats, Table

FILE: Final = Path(__file__).with_name("weights.json")
LONG_SUFFIX: Final = "*long"
"""Names the weight that a feature has in addition where messages are long."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Weights by feature; `feature*long` counts in proportion to the chat's style."""

    weights: Mapping[str, float]

    def parts(self, features: Mapping[str, Floats], style: float) -> dict[str, Floats]:
        """Return what each feature adds to the score of each line."""
        return {
            name: values
            * (self.weights.get(name, 0.0) + style * self.weights.get(name + LONG_SUFFIX, 0.0))
            for name, values in features.items()
            if name in self.weights or name + LONG_SUFFIX in self.weights
        }

    def scores(self, features: Mapping[str, Floats], style: float) -> Floats:
        """Return the score of each line by the features that there are; there is at least one."""
        found: Floats = np.sum(list(self.parts(features, style).values()), axis=0)
        return found

    def grouped(self, table: Table, style: float) -> dict[str, Floats]:
        """Return what each group of features adds to the score of each line."""
        found: dict[str, Floats] = {}
        for name, values in self.parts(table.columns, style).items():
            group = table.groups[name]
            found[group] = found[group] + values if group in found else values
        return found


@lru_cache(maxsize=1)
def shipped_scorer() -> Scorer:
    """Return the scorer of the package, loaded once."""
    return Scorer(json.loads(FILE.read_text("utf-8"))["weights"])
