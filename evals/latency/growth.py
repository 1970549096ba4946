"""What a retrieval costs as the store grows: one person's memory among more and more others'."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from evals.latency.sentences import sentence
from evals.suite.metrics import percentile
from evals.suite.run import Request
from evals.suite.workspace import workspace
from graph.agent import Agent
from graph.bootstrap import Overrides, agent_on
from graph.models import choice as models
from memory.domain.chats import Message
from memory.domain.recalls import Embedded, TokenMatrix
from memory.ports.recall import Embedder
from memory.projection.importing import import_batches
from memory.recall.recall import Scope, recall

EACH = 1_000
"""Messages of every person, of the one who is asked for as well."""
SIZES = (1_000, 10_000, 100_000)
FOUND = 10
_BATCH = 256
_WARM_UP = 10
_PIECE = bytes([127] + 63 * [0])


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """How many messages the store held, and what a retrieval took then."""

    messages: int
    retrieve_ms_p50: float | None


class BulkEmbedder:
    """The product's embedder, but for bulk, whose vectors are drawn: unit length, any direction.

    What an exact search costs does not depend on where vectors point; embedding a hundred
    thousand texts would only make the run longer.
    """

    def __init__(self, embedder: Embedder, seed: int) -> None:
        self._embedder = embedder
        self._draw = np.random.default_rng(seed)
        self.is_bulk = False

    @property
    def fingerprint(self) -> str:
        """As the product's."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """As the product's."""
        return self._embedder.dimension

    @property
    def token_space(self) -> str:
        """As the product's."""
        return self._embedder.token_space

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Embed, or draw in bulk."""
        return [each.vector for each in await self.read(texts)]

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed, or draw in bulk; drawn pieces lie on one another, as many as there are words."""
        if not self.is_bulk:
            return await self._embedder.read(texts)
        drawn = self._draw.standard_normal((len(texts), self.dimension))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return [
            Embedded(tuple(row), TokenMatrix(_PIECE * len(text.split()), len(_PIECE)))
            for row, text in zip(drawn.tolist(), texts, strict=True)
        ]


async def measure_growth(request: Request, sizes: Sequence[int], count: int) -> list[GrowthPoint]:
    """Time `count` retrievals of one person's memory at each size of the store, in messages.

    Raises:
        RecollectError: the stores cannot be opened.
    """
    embedder = BulkEmbedder(await models.embedder(request.settings), request.seed)
    draw = random.Random(request.seed)  # noqa: S311  (texts to measure with, no secrets)
    points = []
    held = 0
    async with workspace(request.settings, Overrides(embedder=embedder)) as stores:
        agent = agent_on(stores)
        for size in sorted(sizes):
            embedder.is_bulk = held >= EACH
            await _fill(request, agent, draw, held, size)
            embedder.is_bulk = False
            held = size
            points.append(GrowthPoint(size, await _retrieve(request, agent, draw, count)))
    return points


async def _fill(request: Request, agent: Agent, draw: random.Random, first: int, end: int) -> None:
    def batches() -> Iterator[list[Message]]:
        for start in range(first, end, _BATCH):
            numbers = range(start, min(start + _BATCH, end))
            yield [_said(agent, draw, number) for number in numbers]
            request.progress.step("latency: growing the store", len(numbers))

    await import_batches(agent.stores.memory, agent.stores.projector, batches())


def _said(agent: Agent, draw: random.Random, number: int) -> Message:
    person = number // EACH
    message = agent.local_message(sentence(draw), f"person-{person}")
    sent_at = agent.stores.clock() - timedelta(minutes=EACH - number % EACH)
    return replace(message, sent_at=sent_at)


async def _retrieve(
    request: Request, agent: Agent, draw: random.Random, count: int
) -> float | None:
    stores = agent.stores
    asking = agent.local_message("", "person-0")
    scope = Scope(stores.settings.tenant, asking.contact_id, asking.anchor, is_group=False)
    taken = []
    for number in range(count + _WARM_UP):
        query = sentence(draw)
        started = time.perf_counter()
        await recall(stores.memory, scope, query, stores.clock(), FOUND)
        if number >= _WARM_UP:
            taken.append((time.perf_counter() - started) * 1000)
            request.progress.step("latency: retrieve at size")
    return percentile(taken, 0.5)
