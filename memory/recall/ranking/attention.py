"""How well a line answers, read beside the question: a small network over vectors of pieces. Pure.

Each piece of the question attends to those of a line and of the lines beside it, then to the
question's others, layer by layer. A state of its own hears them all and tells how well the line
answers. `attention.npz`, written by `scripts/attention`, fits the pieces whose space it names.

Source: attention, https://arxiv.org/abs/1706.03762, over the vectors of late interaction,
https://arxiv.org/abs/2004.12832 (ColBERT).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from memory.npz import opened
from memory.recall.ranking.late import SCALE, Asking, rows_of

FILE: Final = Path(__file__).with_name("attention.npz")
READ: Final = 24
"""So many lines are read beside the question: those that fit best by all else."""
ASKED: Final = 20
"""So many pieces of a question are read: those that weigh most."""
OWN: Final = 40
"""So many pieces of a line that follow one another: those that are most like the question."""
LOOKED_AT: Final = 200
"""So many pieces of a line, from its beginning, these are chosen from."""
NEAR: Final = 12
"""So many of the end of the line before, and of the beginning of the one behind.

With `OWN` 64 in all: of 64 by 64 by 64 multiplications OpenBLAS starts no threads, and sums do not
depend on how many it has.
"""
HEADS: Final = 4
_UNHEARD: Final = -1e9
_TINY: Final = 1e-6

Floats = npt.NDArray[np.float32]


class Spot(NamedTuple):
    """The pieces of a line, and of those before and behind it, as `TokenMatrix` has them.

    Empty where there are none.
    """

    own: bytes
    before: bytes = b""
    behind: bytes = b""


@dataclass(frozen=True, slots=True)
class Attention:
    """The network: `weights` by name, for pieces of the `space` that is named."""

    space: str
    weights: Mapping[str, Floats]
    layers: int

    def scores(self, asking: Asking, spots: Sequence[Spot]) -> Floats:
        """Return how well each line answers, (lines,): differences of log odds, no chances."""
        w = self.weights
        vectors, salience = _asked(asking)
        pieces, is_there = _pieces(spots, vectors, salience)
        anywhere = np.union1d([0], np.flatnonzero(is_there.any(0)))
        pieces, is_there = pieces[:, anywhere], is_there[:, anywhere]
        alike = np.matmul(vectors, pieces.swapaxes(1, 2))
        closest = np.where(is_there[:, None], alike, -1).max(-1, keepdims=True)
        # The state that hears them all is like nothing.
        alike, closest = (np.pad(each, ((0, 0), (1, 0), (0, 0))) for each in (alike, closest))
        place = w["place"][1:].repeat([OWN, NEAR, NEAR], 0)[anywhere]
        said = _rms(np.matmul(pieces, w["inp"]) + place)
        asked = np.matmul(vectors, w["inp"]) + w["place"][0]
        asked += np.log1p(20 * salience)[:, None] * w["salience"]
        state = np.broadcast_to(
            np.concatenate([w["start"][None], asked]), (len(spots), len(asked) + 1, len(w["start"]))
        )
        is_there[:, 0] = True
        unheard = np.where(is_there, 0, _UNHEARD).astype(np.float32)[:, None, None]
        for n in range(self.layers):
            asks, heard = _rms(state) * w[f"{n}.asked"], said * w[f"{n}.said"]
            bias = alike[:, None] * w[f"{n}.alike"][:, None, None] + unheard
            state = state + closest * w[f"{n}.closest"]
            state = state + self._attend(f"{n}.line.", asks, heard, bias)
            own = _rms(state) * w[f"{n}.own"]
            if n == self.layers - 1:  # Nobody asks what the others have heard.
                state = state[:, :1]
            state = state + self._attend(f"{n}.self.", own[:, : state.shape[1]], own)
            wide = np.matmul(_rms(state) * w[f"{n}.wide"], w[f"{n}.up"])
            state = state + np.matmul(_gelu(wide), w[f"{n}.down"])
        found: Floats = np.einsum("ld,d->l", _rms(state[:, 0]), w["out"])
        return found

    def _attend(self, name: str, asks: Floats, told: Floats, bias: Floats | None = None) -> Floats:
        w, width = self.weights, asks.shape[-1] // HEADS

        def heads(rows: Floats, which: str) -> Floats:
            made: Floats = np.matmul(rows, w[name + which])
            return made.reshape(*rows.shape[:2], HEADS, width).swapaxes(1, 2)

        odds = np.matmul(heads(asks, "q"), heads(told, "k").swapaxes(2, 3)) * width**-0.5
        if bias is not None:
            odds = odds + bias
        share = np.exp(odds - odds.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        heard = np.matmul(share, heads(told, "v")).swapaxes(1, 2).reshape(asks.shape)
        found: Floats = np.matmul(heard, w[name + "o"])
        return found


@lru_cache(maxsize=1)
def shipped_attention() -> Attention:
    """Return the network of the package, loaded once."""
    with opened(FILE) as data:
        weights = {
            name: data[name].astype(np.float32)
            for name in data.files
            if name not in ("about", "space")
        }
        layers = len({name.split(".")[0] for name in weights if name[0].isdigit()})
        return Attention(str(data["space"]), weights, layers)


def _asked(asking: Asking) -> tuple[Floats, Floats]:
    """Return the pieces that weigh most, in their order, of length one, and their weights."""
    first = np.sort(np.argsort(-asking.weights, kind="stable")[:ASKED])
    return asking.vectors[first] / np.float32(SCALE), asking.weights[first]


def _pieces(
    spots: Sequence[Spot], asked: Floats, salience: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the pieces of each line and of those beside it, (lines, 64, width), and which are."""
    width = asked.shape[1]
    found = np.zeros((len(spots), OWN + 2 * NEAR, width), np.float32)
    is_there = np.zeros(found.shape[:2], np.bool_)
    for row, spot in enumerate(spots):
        own, before, behind = (rows_of(each, width) for each in spot)
        parts = (likest(own, asked, salience), before[-NEAR:], behind[:NEAR])
        for start, part in zip((0, OWN, OWN + NEAR), parts, strict=True):
            found[row, start : start + len(part)] = part
            is_there[row, start : start + len(part)] = True
    found /= SCALE
    return found, is_there


def likest(own: npt.NDArray[np.int8], asked: Floats, salience: Floats) -> npt.NDArray[np.int8]:
    """Return the `OWN` pieces in a row that are most like those of a question.

    Args:
        own: The pieces of a line, (pieces, width).
        asked: Those of the question, (20, width) at most.
        salience: How much each of these weighs.
    """
    if len(own) <= OWN:
        return own
    seen = own[:LOOKED_AT]
    best = (np.matmul(seen.astype(np.float32), asked.T) * salience).max(1)
    sums = np.cumsum(np.concatenate([[0], best]))
    start = int(np.argmax(sums[OWN:] - sums[:-OWN]))
    return own[start : start + OWN]


def _rms(rows: Floats) -> Floats:
    scaled: Floats = rows / np.sqrt((rows * rows).mean(-1, keepdims=True) + _TINY)
    return scaled


def _gelu(values: Floats) -> Floats:
    inner = math.sqrt(2 / math.pi) * (values + 0.044715 * values * values * values)
    found: Floats = 0.5 * values * (1 + np.tanh(inner))
    return found
