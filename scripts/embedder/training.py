"""Learn the embedder's weights: evidence above the other lines of its page, twice.

Once by the dense vectors and once by the token vectors, each line is compared with a question, and
so is `nothing`, whose similarity is learnt. The loss is the mean over a question's evidence of how
unlikely each line of it is beside all that is none; where nothing on the page answers, `nothing`
has to win.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from scripts.embedder.batches import (
    LETTERS,
    LINES,
    QUESTION_PIECES,
    SHORT_PIECES,
    Batch,
    Batches,
    Floats,
    Ints,
    is_word,
    padded,
    shape_of,
)
from scripts.embedder.judging import Embed
from scripts.embedder.network import Embedded, embed, lower
from scripts.embedder.pages import Tokenized
from scripts.reader.packing import Weights
from scripts.reader.training import Say, optimizer_of

EPOCHS = 4
RATE = 1e-4
HEADS_RATE = 10.0
"""Times `RATE`, for what stands upon the layers."""
WARM_UP = 0.08
NEVER_WEIGHT = 0.5
"""Of a question that nothing answers: it says less of where evidence lies."""
ROUND_PIECES = 1536
"""How many pieces go through the lower layers at once."""


class LowerStates:
    """What the layers that stay make of each text, computed once; half a gigabyte for ours."""

    def __init__(self, fixed: Weights, pages: Sequence[Tokenized]) -> None:
        """Read every line and every question of the pages; it takes about a minute."""
        run, stays = jax.jit(lower), _arrays(fixed)
        self._states: dict[bytes, np.ndarray] = {}
        for length, texts in _by_length(pages).items():
            height = ROUND_PIECES // length
            for start in range(0, len(texts), height):
                ids = np.zeros((height, length), np.int32)
                some = np.array(texts[start : start + height], np.int32)
                ids[: len(some)] = some
                found = np.asarray(run(stays, ids)).astype(np.float16)
                for row, states in zip(some, found, strict=False):
                    self._states[row.tobytes()] = states.copy()

    def of(self, ids: np.ndarray) -> np.ndarray:
        """Return the states of rows that the pages have, (rows, pieces, 384)."""
        return np.stack([self._states[row.tobytes()] for row in ids])


def learn(
    fixed: Weights,
    learnt: Weights,
    batches: Batches,
    below: LowerStates,
    *,
    seed: int,
    epochs: float = EPOCHS,
    say: Say = print,
    keep: Callable[[int, Weights], None] = lambda *_: None,
) -> Weights:
    """Return weights fitted to the batches; the same for the same seed, within rounding.

    `keep` gets the number of each epoch that has ended, from 1, and its weights.
    """
    steps = int(len(batches) * epochs)
    optimizer = optimizer_of(learnt, steps, RATE, WARM_UP, HEADS_RATE)
    weights = _arrays(learnt)
    state, key = optimizer.init(weights), jax.random.key(seed)

    def one_step(weights: Weights, state: Any, key: jax.Array, *arrays: Any) -> Any:
        (lost, hits), slope = jax.value_and_grad(_loss, has_aux=True)(weights, key, *arrays)
        change, state = optimizer.update(slope, state, weights)
        return optax.apply_updates(weights, change), state, lost, hits

    step = jax.jit(one_step)
    started, done, seen = time.monotonic(), 0, []
    for epoch in range(1, math.ceil(epochs) + 1):
        for batch in batches.epoch():
            if done >= steps:
                break
            drawn = jax.random.fold_in(key, done)
            weights, state, lost, hits = step(weights, state, drawn, *_of(batch, below))
            done += 1
            seen.append([float(lost), float(hits[0]), float(hits[1])])
            if done % 100 == 0:
                loss, dense, late = np.mean(seen[-100:], 0)
                minutes = (time.monotonic() - started) / 60
                found = f"evidence first {dense:.3f} dense, {late:.3f} late"
                say(f"step {done} of {steps}: loss {loss:.3f}, {found}, {minutes:.0f} min")
        keep(epoch, {name: np.asarray(value) for name, value in weights.items()})
    return {name: np.asarray(value) for name, value in weights.items()}


def embedding(fixed: Weights) -> Callable[[Weights], Embed]:
    """Return what makes of weights the function that embeds with them."""
    stays = _arrays(fixed)

    def one_batch(stays: Weights, weights: Weights, ids: jax.Array) -> Embedded:
        return embed(weights, ids, lower(stays, ids), is_word(ids))

    run = jax.jit(one_batch)

    def of(weights: Weights) -> Embed:
        learnt = _arrays(weights)

        def embedded(ids: Ints) -> tuple[Floats, Floats, Floats]:
            dense, tokens, salience = map(np.asarray, run(stays, learnt, ids))
            return dense, tokens, salience

        return embedded

    return of


def _loss(
    weights: Weights,
    key: jax.Array,
    words: jax.Array,
    is_evidence: jax.Array,
    has_answer: jax.Array,
    questions: Any,
    short: Any,
    long: Any,
) -> tuple[jax.Array, jax.Array]:
    """Return the loss, and of how many questions evidence comes first, dense and late.

    `questions`, `short` and `long` are pieces, their `lower` states, and which are words; `words`
    is how rare each piece of a question is.
    """
    keys = jax.random.split(key, 3)
    asked, *lines = (
        embed(weights, ids, states.astype(jnp.float32), own, one)
        for (ids, states, own), one in zip((questions, short, long), keys, strict=True)
    )
    salience = words * asked.salience
    salience = salience / jnp.maximum(salience.sum(1, keepdims=True), 1e-6)
    dense = asked.dense @ jnp.concatenate([each.dense for each in lines]).T
    late = jnp.concatenate(
        [
            _late(asked.tokens, salience, each.tokens, own)
            for each, (_, _, own) in zip(lines, (short, long), strict=True)
        ],
        1,
    )
    is_line = jnp.concatenate([short[0][:, 0], long[0][:, 0]]) != 0
    total, hits = jnp.zeros(()), []
    for which, similar in enumerate((dense, late)):
        scale = jnp.exp(weights["scale"][which])
        scores = jnp.where(is_line[None], similar * scale, -1e9)
        nothing = scale * weights["null"][which]
        total = total + _listwise(scores, nothing, is_evidence, has_answer)
        first = jnp.argmax(scores, 1)[:, None] == jnp.arange(scores.shape[1])[None]
        hits.append((first & is_evidence).any(1).mean())
    return total, jnp.stack(hits)


def _late(asked: jax.Array, salience: jax.Array, tokens: jax.Array, own: jax.Array) -> jax.Array:
    """Return how well a line has each of a question's pieces, weighed, (questions, lines)."""
    alike = jnp.einsum("qid,ljd->qlij", asked, tokens)
    best = jnp.where(own[None, :, None, :], alike, -1.0).max(-1)
    return jnp.einsum("qli,qi->ql", best, salience)


def _listwise(
    scores: jax.Array, nothing: jax.Array, is_evidence: jax.Array, has_answer: jax.Array
) -> jax.Array:
    others = jax.nn.logsumexp(jnp.where(is_evidence, -1e9, scores), 1)
    rivals = jnp.logaddexp(others, nothing)
    each = jnp.logaddexp(scores, rivals[:, None]) - scores
    found = (each * is_evidence).sum(1) / jnp.maximum(is_evidence.sum(1), 1)
    silent = jnp.logaddexp(nothing, jax.nn.logsumexp(scores, 1)) - nothing
    return jnp.where(has_answer, found, NEVER_WEIGHT * silent).mean()


def _of(batch: Batch, below: LowerStates) -> tuple[Any, ...]:
    texts = [
        (ids, below.of(ids), is_word(ids)) for ids in (batch.questions, batch.short, batch.long)
    ]
    return batch.weights, batch.is_evidence, batch.has_answer, *texts


def _arrays(weights: Weights) -> Weights:
    return {name: jnp.asarray(value) for name, value in weights.items()}


def _by_length(pages: Sequence[Tokenized]) -> dict[int, list[tuple[int, ...]]]:
    """Return all texts of the pages as batches hold them, by the length they are filled up to."""
    found: dict[int, set[tuple[int, ...]]] = {
        length: {(0,) * length} for length in (SHORT_PIECES, LINES.pieces, LETTERS.pieces)
    }
    found[QUESTION_PIECES] = set()
    for page in pages:
        for pieces in page.questions:
            found[QUESTION_PIECES].add(tuple(padded(pieces, QUESTION_PIECES)))
        long = shape_of(page).pieces
        for pieces in page.lines:
            length = SHORT_PIECES if len(pieces) <= SHORT_PIECES else long
            found[length].add(tuple(padded(pieces, length)))
    return {length: sorted(texts) for length, texts in found.items()}
