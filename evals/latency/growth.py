"""What a retrieval costs as the store grows: by what others say, or by what one says oneself."""

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
from memory.recall.gathering import CANDIDATES
from memory.recall.recall import Scope, recall

EACH = 1_000
"""Messages of every person, of the one who is asked for as well; where only one's own grow, so many
have vectors of their texts."""
SIZES = (1_000, 10_000, 100_000)
FOUND = 10
_BATCH = 256
_WARM_UP = 10
_PIECE = bytes([127] + 63 * [0])


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """How many messages the store held, and what a retrieval took then, and BM25 alone."""

    messages: int
    retrieve_ms_p50: float | None
    lexical_ms_p50: float | None


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


async def measure_growth(
    request: Request, sizes: Sequence[int], count: int, each: int = EACH
) -> list[GrowthPoint]:
    """Time `count` retrievals of one person's memory at each size of the store, in messages.

    `each`: so many are of one person.

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
            await _fill(request, agent, draw, range(held, size), each)
            embedder.is_bulk = False
            held = size
            points.append(GrowthPoint(size, *await _retrieve(request, agent, draw, count)))
    return points


async def _fill(
    request: Request, agent: Agent, draw: random.Random, added: range, each: int
) -> None:
    def batches() -> Iterator[list[Message]]:
        for start in range(0, len(added), _BATCH):
            numbers = added[start : start + _BATCH]
            yield [_said(agent, draw, number, each) for number in numbers]
            request.progress.step("latency: growing the store", len(numbers))

    await import_batches(agent.stores.memory, agent.stores.projector, batches())


def _said(agent: Agent, draw: random.Random, number: int, each: int) -> Message:
    person = number // each
    message = agent.local_message(sentence(draw), f"person-{person}")
    sent_at = agent.stores.clock() - timedelta(minutes=each - number % each)
    return replace(message, sent_at=sent_at)


async def _retrieve(
    request: Request, agent: Agent, draw: random.Random, count: int
) -> tuple[float | None, float | None]:
    """Return what a retrieval takes, and its search by words alone."""
    stores = agent.stores
    asking = agent.local_message("", "person-0")
    scope = Scope(stores.settings.tenant, asking.contact_id, asking.anchor, is_group=False)
    taken, lexical = [], []
    for number in range(count + _WARM_UP):
        query = sentence(draw)
        started = time.perf_counter()
        await recall(stores.memory, scope, query, stores.clock(), FOUND)
        middle = time.perf_counter()
        await stores.memory.lexical.search(scope.tenant, [scope.anchor], query, CANDIDATES)
        if number >= _WARM_UP:
            taken.append((middle - started) * 1000)
            lexical.append((time.perf_counter() - middle) * 1000)
            request.progress.step("latency: retrieve at size")
    return percentile(taken, 0.5), percentile(lexical, 0.5)
