"""Late interaction: each piece of a question beside the piece of a line that is most like it. Pure.

Source: MaxSim of https://arxiv.org/abs/2004.12832 (ColBERT), here over int8. Products of whole
numbers this small are exact in float32, so that no sum depends on how the work was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.domain.recalls import TokenMatrix

Floats = npt.NDArray[np.float32]
SCALE = 127
"""What a length of one is stored as."""
MOST_PIECES = 64
"""So many pieces of a question are compared: the rarest."""
FIRST_PIECES = 64
"""So many pieces of a line, from its beginning, tell what it is about."""
_LEAST = 1e-6
_BLOCK = 250_000
"""Multiplications in one call: OpenBLAS starts its threads for more than 262,144, and these wait
for one another ten times as long as the product takes one of them (`interface/gemm.c`)."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The pieces of a question: `vectors` (pieces, width), `SCALE` long, `weights` (pieces,).

    `space`: what made them.
    """

    vectors: Floats
    weights: Floats
    space: str = ""

    @classmethod
    def of(cls, parts: Sequence[TokenMatrix], space: str = "") -> Asking | None:
        """Join the parts of a question; None where nothing of it can be compared.

        What a long question says over and over is compared once, where it counts most, and counts
        the less the more often it is said: it is not what is asked.
        """
        weights = np.array([w for part in parts for w in part.weights], np.float32)
        if not len(weights) or weights.sum() <= 0:
            return None
        vectors = rows_of(b"".join(part.vectors for part in parts), parts[0].width)
        order = np.argsort(-weights, kind="stable")
        pieces = np.array([piece for part in parts for piece in part.pieces])
        if len(pieces) == len(weights):
            _, first, times = np.unique(pieces[order], return_index=True, return_counts=True)
            once = order[first]
            weights[once] /= 1 + np.log(times).astype(np.float32)
            order = once[np.argsort(-weights[once], kind="stable")]
        kept = np.sort(order[:MOST_PIECES])
        return cls(vectors[kept].astype(np.float32), weights[kept] / weights[kept].sum(), space)


def closest(asking: Asking, lines: Sequence[bytes]) -> Floats:
    """Return the best cosine of each piece in each line, (lines, pieces); 0 where nothing is like.

    A line without vectors gets zeros.
    """
    pieces, width = asking.vectors.shape
    found = np.zeros((len(lines), pieces), np.float32)
    there = [index for index, line in enumerate(lines) if line]
    if not there:
        return found
    sizes = [len(lines[index]) // width for index in there]
    rows = rows_of(b"".join(lines[index] for index in there), width)
    likeness = np.empty((pieces, len(rows)), np.float32)
    step = max(_BLOCK // asking.vectors.size, 1)
    for start in range(0, len(rows), step):
        block = rows[start : start + step].astype(np.float32)
        likeness[:, start : start + step] = asking.vectors @ block.T
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    found[there] = np.maximum.reduceat(likeness, starts, axis=1).T / SCALE**2
    return np.maximum(found, 0)


def directions(lines: Sequence[bytes], width: int) -> Floats:
    """Return what sets each line apart from the others, (lines, width), each of length one.

    It is the mean of its pieces, less that of all lines; zeros for a line without vectors.
    """
    found = np.zeros((len(lines), width), np.float32)
    there = [index for index, line in enumerate(lines) if line]
    if not there:
        return found
    cut = [lines[index][: FIRST_PIECES * width] for index in there]
    starts = np.cumsum([0, *(len(line) // width for line in cut[:-1])])
    sums = np.add.reduceat(rows_of(b"".join(cut), width), starts, axis=0, dtype=np.int32)
    means = _unit(sums.astype(np.float32))
    found[there] = _unit(means - means.mean(0))
    return found


def _unit(rows: Floats) -> Floats:
    lengths: Floats = np.sqrt((rows * rows).sum(1, keepdims=True))
    found: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > _LEAST)
    return found


def rows_of(data: bytes, width: int) -> npt.NDArray[np.int8]:
    """Return the vectors of a `TokenMatrix`, (pieces, `width`)."""
    return np.frombuffer(data, np.int8).reshape(-1, width)
