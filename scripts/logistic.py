"""A logistic model held by a ridge, for what is learnt of questions' vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

RIDGE: Final = 1.0
STEPS: Final = 8

Floats = npt.NDArray[np.float64]


def fit(rows: Floats, target: Floats, counts: Floats | None = None, held: float = RIDGE) -> Floats:
    """Return a weight for each column and, last, the bias, by Newton's steps.

    Args:
        rows: (cases, columns).
        target: (cases,), 1 or 0.
        counts: (cases,), what each counts; by default 1.
        held: How strongly weights are held to zero; the bias is not.
    """
    columns = np.hstack([rows, np.ones((len(rows), 1))])
    counted = np.ones(len(rows)) if counts is None else counts
    ridge = np.full(columns.shape[1], held)
    ridge[-1] = 1e-6
    weights = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(columns @ weights)))
        slope = columns.T @ (counted * (chance - target)) + ridge * weights
        bend = (columns * (counted * chance * (1 - chance) + 1e-9)[:, None]).T @ columns
        weights -= np.linalg.solve(bend + np.diag(ridge), slope)
    return weights


def chances(rows: Floats, weights: Floats) -> Floats:
    """Return the chance of each case, (cases,)."""
    found: Floats = 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1])))
    return found


def write(out: Path, fingerprint: str, weights: Floats) -> None:
    """Write weights of a vector, a wording and a bias as `memory.recall.wording` reads them."""
    np.savez_compressed(
        out,
        fingerprint=fingerprint,
        weights=weights[:-2].astype(np.float16),
        wording=weights[-2],
        bias=weights[-1],
    )
