"""The embedder's network in JAX: all-MiniLM-L6-v2 with token vectors and salience. Pure.

The embeddings and the lower three layers stay as they are: what they make of a text never changes,
and the shipped graph can go on taking them from the model wheel.

Source: https://arxiv.org/abs/2004.12832 (ColBERT), late interaction.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from scripts.reader.network import LAYERS, dense, dropping, embedded, layer, padding
from scripts.reader.packing import Weights

FIXED_LAYERS = 3
SCALE = 20.0
"""What similarities are multiplied with before they are compared, at first."""
NOTHING = (0.45, 0.55)
"""The similarity at first, dense and late, of `no line of the page`."""


class Embedded(NamedTuple):
    """Texts as vectors of unit length.

    dense: The mean of the states, (texts, 384).
    tokens: One for each piece, (texts, pieces, 64), zeros for what frames and fills.
    salience: How much a piece matters beside others as rare, 0 to 2, (texts, pieces).
    """

    dense: jax.Array
    tokens: jax.Array
    salience: jax.Array


def split(pretrained: Weights, axes: np.ndarray, mean: np.ndarray) -> tuple[Weights, Weights]:
    """Return what stays, and what is learnt: the upper layers and what is put upon them.

    `axes`, (384, 64), and `mean`, (384), are the directions that token vectors start with.
    """
    stays = ("embeddings.", *(f"encoder.layer.{index}." for index in range(FIXED_LAYERS)))
    fixed = {name: value for name, value in pretrained.items() if name.startswith(stays)}
    learnt = {
        name: value
        for name, value in pretrained.items()
        if name.startswith("encoder.") and name not in fixed
    }
    learnt["tokens.weight"] = axes.astype(np.float32).T.copy()
    learnt["tokens.bias"] = -(mean @ axes).astype(np.float32)
    learnt["salience.weight"] = np.zeros((1, len(axes)), np.float32)
    learnt["salience.bias"] = np.zeros(1, np.float32)
    learnt["scale"] = np.log(np.array([SCALE, SCALE], np.float32))
    learnt["null"] = np.array(NOTHING, np.float32)
    return fixed, learnt


def lower(fixed: Weights, ids: jax.Array) -> jax.Array:
    """Return the states that the layers that stay make of texts, (texts, pieces, 384)."""
    states, unseen = embedded(fixed, ids), padding(ids)
    for index in range(FIXED_LAYERS):
        states = layer(fixed, index, states, unseen, dropping(None, 0.0))
    return states


def embed(
    learnt: Weights,
    ids: jax.Array,
    states: jax.Array,
    is_word: jax.Array,
    key: jax.Array | None = None,
    dropout: float = 0.1,
) -> Embedded:
    """Return texts as vectors, given the `lower` states; with `key` values are dropped at random.

    Args:
        learnt: The weights.
        ids: Pieces, (texts, pieces); 0 is padding.
        states: Of `lower`, (texts, pieces, 384).
        is_word: Which pieces have a token vector.
        key: Of the draws.
        dropout: The share of values that is dropped.
    """
    dropped = dropping(key, dropout)
    states, unseen = dropped(states), padding(ids)
    for index in range(FIXED_LAYERS, LAYERS):
        states = layer(learnt, index, states, unseen, dropped)
    seen = (ids != 0)[..., None]
    mean = (states * seen).sum(1) / jnp.maximum(seen.sum(1), 1)
    tokens = _unit(dense(learnt, "tokens", states)) * is_word[..., None]
    salience = 2 * jax.nn.sigmoid(dense(learnt, "salience", states)[..., 0])
    return Embedded(_unit(mean), tokens, salience)


def _unit(vectors: jax.Array) -> jax.Array:
    return vectors / jnp.sqrt((vectors * vectors).sum(-1, keepdims=True) + 1e-9)
