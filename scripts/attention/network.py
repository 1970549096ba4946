"""The network of attention in JAX, as `memory/recall/ranking/attention.py` has it. Pure."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from memory.recall.ranking.attention import ASKED, HEADS, NEAR, OWN
from scripts.attention.batches import Batch
from scripts.reader.packing import Weights

LAYERS = 2
WIDTH = 64
WIDE = 128
LIKENESS = (8.0, 8.0, 2.0, 2.0)
"""How much the cosine of two pieces counts at first, by head."""
_UNSEEN = -1e9


def begin(seed: int) -> Weights:
    """Return weights to begin with."""
    random = np.random.default_rng(seed)

    def drawn(rows: int, columns: int, share: float = 1.0) -> np.ndarray:
        found: np.ndarray = random.normal(size=(rows, columns)) * share * rows**-0.5
        return found.astype(np.float32)

    weights = {
        "inp": drawn(WIDTH, WIDTH),
        "place": 0.1 * random.normal(size=(4, WIDTH)).astype(np.float32),
        "start": 0.1 * random.normal(size=WIDTH).astype(np.float32),
        "salience": np.zeros(WIDTH, np.float32),
        "out": np.zeros(WIDTH, np.float32),
    }
    for n in range(LAYERS):
        weights |= {
            f"{n}.{name}": np.ones(WIDTH, np.float32) for name in "asked said own wide".split()
        }
        weights[f"{n}.alike"] = np.array(LIKENESS, np.float32)
        weights[f"{n}.closest"] = np.zeros(WIDTH, np.float32)
        for kind in ("line", "self"):
            weights |= {f"{n}.{kind}.{which}": drawn(WIDTH, WIDTH) for which in "qkv"}
            weights[f"{n}.{kind}.o"] = drawn(WIDTH, WIDTH, 0.5)
        weights[f"{n}.up"] = drawn(WIDTH, WIDE)
        weights[f"{n}.down"] = drawn(WIDE, WIDTH, 0.5)
    return weights


def scores(
    w: Weights, batch: Batch, key: jax.Array | None = None, dropout: float = 0.0
) -> jax.Array:
    """Return how well each line answers, (questions, lines); with `key` pieces are dropped."""
    asked, pieces = batch.asked.astype(jnp.float32) / 127, batch.pieces.astype(jnp.float32) / 127
    is_there = jnp.asarray(batch.is_there)
    if key is not None:
        is_there &= jax.random.bernoulli(key, 1 - dropout, is_there.shape)
    alike = jnp.einsum("nqd,nkpd->nkqp", asked, pieces)
    closest = jnp.where(is_there[:, :, None], alike, -1).max(-1, keepdims=True)
    alike, closest = (jnp.pad(each, ((0, 0), (0, 0), (1, 0), (0, 0))) for each in (alike, closest))
    said = pieces @ w["inp"] + jnp.repeat(
        w["place"][1:], np.array([OWN, NEAR, NEAR]), axis=0, total_repeat_length=OWN + 2 * NEAR
    )
    own = asked @ w["inp"] + w["place"][0]
    own += jnp.log1p(20 * batch.weights)[..., None] * w["salience"]
    count, lines = batch.scores.shape
    state = jnp.concatenate([jnp.broadcast_to(w["start"], (count, 1, WIDTH)), own], 1)
    state = jnp.broadcast_to(state[:, None], (count, lines, ASKED + 1, WIDTH))
    is_there = is_there.at[:, :, 0].set(True)
    is_asked = jnp.pad(batch.weights > 0, ((0, 0), (1, 0)), constant_values=True)[:, None]
    for n in range(LAYERS):
        heard = _rms(said) * w[f"{n}.said"]
        bias = alike[:, :, None] * w[f"{n}.alike"][:, None, None]
        asks = _rms(state) * w[f"{n}.asked"]
        state = state + closest * w[f"{n}.closest"]
        state = state + _attend(w, f"{n}.line.", asks, heard, bias, is_there)
        mine = _rms(state) * w[f"{n}.own"]
        state = state + _attend(w, f"{n}.self.", mine, mine, 0.0, is_asked)
        wide = (_rms(state) * w[f"{n}.wide"]) @ w[f"{n}.up"]
        state = state + jax.nn.gelu(wide) @ w[f"{n}.down"]
    return _rms(state[:, :, 0]) @ w["out"]


def _attend(
    w: Weights,
    name: str,
    asks: jax.Array,
    told: jax.Array,
    bias: jax.Array | float,
    is_there: jax.Array,
) -> jax.Array:
    def heads(rows: jax.Array, which: str) -> jax.Array:
        return (rows @ w[name + which]).reshape(*rows.shape[:3], HEADS, -1)

    odds = jnp.einsum("nkahd,nkbhd->nkhab", heads(asks, "q"), heads(told, "k"))
    odds = odds / np.sqrt(WIDTH // HEADS) + bias
    share = jax.nn.softmax(jnp.where(is_there[:, :, None, None], odds, _UNSEEN), -1)
    heard = jnp.einsum("nkhab,nkbhd->nkahd", share, heads(told, "v")).reshape(asks.shape)
    return heard @ w[name + "o"]


def _rms(rows: jax.Array) -> jax.Array:
    return rows * jax.lax.rsqrt((rows * rows).mean(-1, keepdims=True) + 1e-6)
