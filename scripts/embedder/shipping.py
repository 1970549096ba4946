"""The embedder's weights as they are shipped: packed like the reader's, with how rare pieces are.

Of the layers only those that were learnt are in the file, `encoder.layer.3` and above, and of the
heads those that embed: what only the loss needs stays behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from scripts.embedder.judging import Figures
from scripts.embedder.pages import Page, digest
from scripts.reader.packing import Weights, pack

ABOUT: Final = (
    "Weights of the embedder of memory search, learnt by scripts/embedder. all-MiniLM-L6-v2"
    " (Apache-2.0), its layers from the fourth on tuned on datasets/recall/pages and"
    " datasets/recall/pairs (CC0)."
)
LOSS_ONLY: Final = ("scale", "null")


def halfway(start: Weights, learnt: Weights) -> Weights:
    """Return the mean of what training began with and what came of it; salience stays as learnt.

    Beyond the texts that it learnt from, long messages above all, it is the better of the three.

    Source: https://arxiv.org/abs/2109.01903 (WiSE-FT).
    """
    return {
        name: value if name.startswith("salience.") else (value + start[name]) / 2
        for name, value in learnt.items()
    }


def told(
    pages: Sequence[Page], *, version: str, seed: int, epochs: float, before: Figures
) -> dict[str, Any]:
    """Return what the file says of its origin; the figures after training are added to it."""
    return {
        "about": ABOUT,
        "version": version,
        "seed": seed,
        "epochs": epochs,
        "pages": len(pages),
        "questions": sum(len(page.questions) for page in pages),
        "data": digest(pages),
        "before": before,
    }


def ship(path: Path, weights: Weights, rarity: np.ndarray, about: Mapping[str, Any]) -> None:
    """Write what was learnt.

    `rarity`: how rare each word piece is, (vocabulary); kept in 16 bits.
    """
    kept = {name: value for name, value in weights.items() if name not in LOSS_ONLY}
    pack(path, kept, dict(about), {"rarity": rarity.astype(np.float16)})
