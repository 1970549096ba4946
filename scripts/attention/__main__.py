"""Learn what reads a line beside a question: `python -m scripts.attention POOLS`.

`POOLS` comes from `scripts.attention.pools`. Listwise: added to what a line scores without, the
network lifts evidence above the other lines of its question. Needs jax and optax
(`requirements/train.txt`).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from memory.recall.ranking.attention import FILE
from scripts.attention.batches import Batch, Batches
from scripts.attention.network import begin, scores
from scripts.attention.packed import Pools
from scripts.reader.packing import Weights

EPOCHS = 2.0
RATE = 1e-3
DECAY = 0.05
DROPOUT = 0.15
"""The share of a line's pieces that is not seen."""
ABOUT = (
    "Weights of the network that reads a line beside a question, learnt by scripts/attention from"
    " datasets/recall/talks and more_talks (CC0)."
)


def main() -> None:
    """Learn, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pools", type=Path)
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--epochs", type=float, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    pools = Pools.read(given.pools)
    weights = learn(pools, seed=given.seed, epochs=given.epochs)
    about = {"about": ABOUT, "seed": given.seed, "epochs": given.epochs}
    about |= {"questions": pools.questions}
    kept = {name: value.astype(np.float16) for name, value in weights.items()}
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(given.out, **kept, space=pools.space, about=text)
    print(f"{given.out}: {given.out.stat().st_size / 1e3:.0f} kB")


def learn(pools: Pools, *, seed: int, epochs: float) -> Weights:
    """Return weights fitted to the pools; the same for the same seed, within rounding."""
    batches = Batches(pools, seed)
    steps = int(len(batches) * epochs)
    rate = optax.warmup_cosine_decay_schedule(0, RATE, steps // 20 + 1, steps, RATE / 50)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=DECAY))
    weights: Weights = {name: jnp.asarray(value) for name, value in begin(seed).items()}
    state, key = optimizer.init(weights), jax.random.key(seed)

    def one_step(weights: Weights, state: Any, batch: Batch, key: jax.Array) -> Any:
        lost, slope = jax.value_and_grad(_loss)(weights, batch, key)
        change, state = optimizer.update(slope, state, weights)
        return optax.apply_updates(weights, change), state, lost

    step = jax.jit(one_step)
    started, seen = time.monotonic(), []
    for done, batch in enumerate(batches.stream(steps), start=1):
        weights, state, lost = step(weights, state, batch, jax.random.fold_in(key, done))
        seen.append(float(lost))
        if done % 100 == 0:
            minutes = (time.monotonic() - started) / 60
            print(f"step {done} of {steps}: loss {np.mean(seen[-100:]):.3f}, {minutes:.0f} min")
    return {name: np.asarray(value) for name, value in weights.items()}


def _loss(weights: Weights, batch: Batch, key: jax.Array) -> jax.Array:
    """Return how unlikely each line of evidence is beside all that is none, the mean."""
    found = batch.scores + scores(weights, batch, key, DROPOUT)
    found = jnp.where(batch.is_line, found, -1e9)
    others = jax.nn.logsumexp(jnp.where(batch.is_evidence, -1e9, found), 1, keepdims=True)
    each = jnp.where(batch.is_evidence, jnp.logaddexp(found, others) - found, 0)
    return (each.sum(1) / jnp.maximum(batch.is_evidence.sum(1), 1)).mean()


if __name__ == "__main__":
    main()
