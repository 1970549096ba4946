"""Learn the reader's weights."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from tokenizers import Tokenizer

from memory.domain.readings import Span
from memory.facts.reading.decoding import spans_of
from memory.facts.reading.labels import OUTSIDE
from scripts.reader.corpus import Varied
from scripts.reader.examples import IGNORED, VAGUE, Batch, batches_of, example_of, hidden
from scripts.reader.network import forward
from scripts.reader.notation import Labelled
from scripts.reader.packing import Weights

EPOCHS = 6
RATE = 3e-4
HEADS_RATE = 5.0
"""Times `RATE`, for what starts from nothing."""
WARM_UP = 0.06
DECAY = 0.01
MASKED = 0.05
"""Share of a message's pieces that are hidden while it learns."""
STATUS_WEIGHT = 0.5
NOBODYS_WEIGHT = 0.5
"""Of the tag of a value that is nobody's: labels mark some of them and leave others bare."""

Say = Callable[[str], None]


def learn(
    fixed: Weights,
    learnt: Weights,
    tokenizer: Tokenizer,
    messages: Sequence[Labelled],
    *,
    seed: int,
    epochs: float = EPOCHS,
    rate: float = RATE,
    say: Say = print,
    keep: Callable[[Weights], None] = lambda _: None,
) -> Weights:
    """Return weights fitted to the messages; the same for the same seed, within rounding.

    `keep` gets those of each pass, so that a run that is cut off has not been for nothing.
    """
    varied, random = Varied(messages, seed), np.random.default_rng(seed)
    whole, mask = -(-epochs // 1), tokenizer.token_to_id("[MASK]") or 0
    a_batch = list(batches_of([example_of(tokenizer, m) for m in messages], random))
    steps = int(len(a_batch) * epochs * 1.08)
    optimizer = optimizer_of(learnt, steps, rate, WARM_UP, HEADS_RATE)
    weights = {name: jnp.asarray(value) for name, value in learnt.items()}
    fixed = {name: jnp.asarray(value) for name, value in fixed.items()}
    state, key = optimizer.init(weights), jax.random.key(seed)

    def one_step(weights: Weights, state: Any, key: jax.Array, arrays: Any) -> Any:
        lost, slope = jax.value_and_grad(_loss)(weights, fixed, key, *arrays)
        change, state = optimizer.update(slope, state, weights)
        return optax.apply_updates(weights, change), state, lost

    step = jax.jit(one_step)
    started, done, lost_sum = time.monotonic(), 0, 0.0
    for _ in range(int(whole)):
        examples = [example_of(tokenizer, message) for message in varied.epoch()]
        for batch in batches_of(examples, random):
            if done >= steps:
                break
            seen = hidden(batch, MASKED, mask, random)
            weights, state, lost = step(weights, state, jax.random.fold_in(key, done), _of(seen))
            done, lost_sum = done + 1, lost_sum + float(lost)
            if done % 100 == 0:
                minutes = (time.monotonic() - started) / 60
                say(f"step {done} of {steps}: loss {lost_sum / 100:.3f}, {minutes:.0f} min")
                lost_sum = 0.0
        keep({name: np.asarray(value) for name, value in weights.items()})
    return {name: np.asarray(value) for name, value in weights.items()}


def read(
    fixed: Weights, weights: Weights, tokenizer: Tokenizer, messages: Sequence[Labelled]
) -> list[list[Span]]:
    """Return the spans that the weights find in each message."""
    examples = [example_of(tokenizer, message) for message in messages]
    found: list[list[Span]] = [[] for _ in messages]
    run = jax.jit(forward)
    for batch in batches_of(examples, np.random.default_rng(0)):
        tags, statuses = run(fixed, weights, batch.ids, batch.kinds, batch.cases)
        tags, statuses = np.asarray(tags), np.asarray(statuses)
        for line, row in enumerate(batch.rows):
            pieces = examples[row].pieces
            firsts = pieces.firsts
            found[row] = spans_of(tags[line, firsts], statuses[line, firsts], pieces.words)
    return found


def optimizer_of(
    weights: Weights, steps: int, rate: float, warm_up: float, heads_rate: float
) -> Any:
    """Return Adam whose rate rises over a share of the steps, then falls to a fiftieth.

    What is no part of the encoder learns `heads_rate` times as fast.
    """
    at = optax.warmup_cosine_decay_schedule(0, rate, int(steps * warm_up), steps, rate * 0.02)
    decays = {name: name.endswith(".weight") and "LayerNorm" not in name for name in weights}
    faster = {n: heads_rate if not n.startswith("encoder.") else 1.0 for n in weights}

    def update(changes: Any, state: Any, params: Any = None) -> Any:
        del params
        return {name: change * faster[name] for name, change in changes.items()}, state

    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.add_decayed_weights(DECAY, decays),
        optax.scale_by_learning_rate(at),
        optax.GradientTransformation(lambda _: optax.EmptyState(), update),
    )


def _loss(
    weights: Weights,
    fixed: Weights,
    key: jax.Array,
    ids: jax.Array,
    kinds: jax.Array,
    cases: jax.Array,
    tags: jax.Array,
    statuses: jax.Array,
) -> jax.Array:
    tag_scores, status_scores = forward(fixed, weights, ids, kinds, cases, key)
    is_word, has_status = tags != IGNORED, statuses != IGNORED
    told = jax.nn.log_softmax(tag_scores)
    lost = -jnp.take_along_axis(told, jnp.maximum(tags, 0)[..., None], -1)[..., 0]
    nobodys = has_status & (statuses >= 2) & (tags != OUTSIDE)
    share = jnp.where(nobodys, NOBODYS_WEIGHT, 1.0) * is_word
    held = jax.nn.log_softmax(status_scores)
    # The last two statuses are nobody's and somebody else's: a vague label says one of them.
    vague = jax.nn.logsumexp(held[..., 2:], axis=-1, keepdims=True)
    both = jnp.concatenate([held, vague], -1)
    status = -jnp.take_along_axis(both, jnp.clip(statuses, 0, VAGUE)[..., None], -1)[..., 0]
    words, marked = jnp.maximum(is_word.sum(), 1), jnp.maximum(has_status.sum(), 1)
    return (lost * share).sum() / words * 4 + STATUS_WEIGHT * (status * has_status).sum() / marked


def _of(batch: Batch) -> tuple[Any, ...]:
    return batch.ids, batch.kinds, batch.cases, batch.tags, batch.statuses
