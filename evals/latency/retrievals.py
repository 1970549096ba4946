"""One person's retrieval over its floor: embedding a query, and one bare vector query."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

from evals.latency.growth import FOUND
from evals.latency.players import CHAT
from evals.latency.sentences import sentence
from evals.latency.turns import WARM_UP
from graph.agent import Agent
from memory.recall.recall import Scope, recall


@dataclass(frozen=True, slots=True)
class Retrievals:
    """Milliseconds of each retrieval, and of each of its floor."""

    product: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)


async def measure_retrievals(agent: Agent, draw: random.Random, count: int) -> Retrievals:
    """Time `count` retrievals and as many of the floor, one after the other, warmed up.

    No two look for the same text, since the embedder remembers the latest ones.
    """
    memory, clock = agent.stores.memory, agent.stores.clock
    scope = Scope.of(agent.local_message("", CHAT))
    taken = Retrievals()
    for number in range(count + WARM_UP):
        bare, query = sentence(draw), sentence(draw)
        started = time.perf_counter()
        (vector,) = await memory.embedder.embed([bare])
        await memory.vectors.search(scope.tenant, "message", [scope.anchor], vector, FOUND)
        middle = time.perf_counter()
        await recall(memory, scope, query, clock(), FOUND)
        ended = time.perf_counter()
        if number >= WARM_UP:
            taken.floor.append((middle - started) * 1000)
            taken.product.append((ended - middle) * 1000)
    return taken
