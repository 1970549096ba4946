"""The reader's network in JAX: all-MiniLM-L6-v2 with a case table and two heads. Pure.

Source: https://arxiv.org/abs/1810.04805 (BERT); sizes of all-MiniLM-L6-v2.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from memory.facts.reading.labels import STATUSES, TAG_COUNT
from memory.minilm.pieces import CASES
from scripts.reader.packing import Weights

LAYERS, HIDDEN, HEADS, HEAD_SIZE = 6, 384, 12, 32
EPSILON = 1e-12

Change = Callable[[jax.Array], jax.Array]


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Return the float32 tensors of a safetensors file by name."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + size])
    return {
        name: np.frombuffer(
            data[8 + size + entry["data_offsets"][0] : 8 + size + entry["data_offsets"][1]],
            np.float32,
        ).reshape(entry["shape"])
        for name, entry in entries.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def split(pretrained: dict[str, np.ndarray], seed: int) -> tuple[Weights, Weights]:
    """Return the embeddings, which stay, and what is learnt: layers, case table, heads."""
    random = np.random.default_rng(seed)
    fixed = {name: value for name, value in pretrained.items() if name.startswith("embeddings.")}
    learnt = {name: value for name, value in pretrained.items() if name.startswith("encoder.")}
    learnt["cases"] = np.zeros((CASES, HIDDEN), np.float32)
    for name, width in (("tags", TAG_COUNT), ("statuses", len(STATUSES))):
        learnt[f"{name}.weight"] = random.normal(0, 0.02, (width, HIDDEN)).astype(np.float32)
        learnt[f"{name}.bias"] = np.zeros(width, np.float32)
    return fixed, learnt


def forward(
    fixed: Weights,
    learnt: Weights,
    ids: jax.Array,
    kinds: jax.Array,
    cases: jax.Array,
    key: jax.Array | None = None,
    dropout: float = 0.1,
) -> tuple[jax.Array, jax.Array]:
    """Return the scores of tags and of statuses, (batch, length, ...); id 0 is padding.

    With `key` values are dropped at random, as in training.
    """
    dropped = dropping(key, dropout)
    states = dropped(embedded(fixed, ids, kinds) + learnt["cases"][cases])
    unseen = padding(ids)
    for index in range(LAYERS):
        states = layer(learnt, index, states, unseen, dropped)
    states = dropped(states)
    return dense(learnt, "tags", states), dense(learnt, "statuses", states)


def dropping(key: jax.Array | None, share: float) -> Change:
    """Return what drops a share of the values of each array it is given; nothing without `key`."""
    keys = iter(jax.random.split(key, 2 * LAYERS + 2) if key is not None else [])

    def dropped(values: jax.Array) -> jax.Array:
        if key is None:
            return values
        kept = jax.random.bernoulli(next(keys), 1 - share, values.shape)
        return jnp.where(kept, values / (1 - share), 0.0)

    return dropped


def embedded(fixed: Weights, ids: jax.Array, kinds: jax.Array | int = 0) -> jax.Array:
    """Return the states that the first layer is given, (batch, length, 384)."""
    states = (
        fixed["embeddings.word_embeddings.weight"][ids]
        + fixed["embeddings.position_embeddings.weight"][: ids.shape[1]]
        + fixed["embeddings.token_type_embeddings.weight"][kinds]
    )
    return _norm(fixed, "embeddings.LayerNorm", states)


def padding(ids: jax.Array) -> jax.Array:
    """Return what is added to attention's scores so that padding, id 0, is not looked at."""
    return jnp.where(ids == 0, -1e9, 0.0)[:, None, None, :]


def layer(
    weights: Weights, index: int, states: jax.Array, unseen: jax.Array, dropped: Change
) -> jax.Array:
    """Return the states after one layer of the encoder."""
    prefix = f"encoder.layer.{index}"
    mixed = _attention(weights, f"{prefix}.attention", states, unseen)
    states = _norm(weights, f"{prefix}.attention.output.LayerNorm", dropped(mixed) + states)
    inner = jax.nn.gelu(dense(weights, f"{prefix}.intermediate.dense", states), False)
    outer = dense(weights, f"{prefix}.output.dense", inner)
    return _norm(weights, f"{prefix}.output.LayerNorm", dropped(outer) + states)


def dense(weights: Weights, name: str, states: jax.Array) -> jax.Array:
    """Return a linear layer of the states' last axis."""
    return states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _attention(weights: Weights, prefix: str, states: jax.Array, unseen: jax.Array) -> jax.Array:
    batch, length, _ = states.shape
    query, key, value = (
        dense(weights, f"{prefix}.self.{role}", states).reshape(batch, length, HEADS, HEAD_SIZE)
        for role in ("query", "key", "value")
    )
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / HEAD_SIZE**0.5 + unseen
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)
    return dense(weights, f"{prefix}.output.dense", mixed.reshape(batch, length, HIDDEN))


def _norm(weights: Weights, name: str, states: jax.Array) -> jax.Array:
    mean = states.mean(-1, keepdims=True)
    variance = ((states - mean) ** 2).mean(-1, keepdims=True)
    scaled = (states - mean) / jnp.sqrt(variance + EPSILON)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
