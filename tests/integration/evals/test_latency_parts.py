"""What the latency suite measures beside single turns, on real stores."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from evals.latency.crowd import CHATS, measure_crowd
from evals.latency.players import Product
from evals.latency.retrievals import measure_retrievals
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.recalls import Embedded

pytestmark = pytest.mark.anyio


async def test_a_crowd_is_answered_in_its_own_chats(stores: Stores) -> None:
    crowd = await measure_crowd(Product(agent_on(stores)), 2, random.Random(1), None)
    assert crowd.answers_per_s > 0
    assert (crowd.processor["cpu_ms"] or 0) > 0
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(
            "select s.chat_id, count(*) filter (where m.author = 'agent') as answers"
            " from messages m join sessions s using (session_id)"
            " where m.tenant = %s group by 1 order by 1",
            [stores.settings.tenant],
        )
        rows = await cursor.fetchall()
    assert [(row["chat_id"], row["answers"]) for row in rows] == [(chat, 4) for chat in CHATS]


async def test_every_retrieval_embeds_its_query(stores: Stores) -> None:
    texts: list[str] = []
    embedder = stores.memory.embedder

    class Noting:
        fingerprint = embedder.fingerprint
        dimension = embedder.dimension
        token_space = embedder.token_space

        async def embed(self, given: Sequence[str]) -> list[tuple[float, ...]]:
            return [each.vector for each in await self.read(given)]

        async def read(self, given: Sequence[str]) -> list[Embedded]:
            texts.extend(given)
            return await embedder.read(given)

    noting = replace(stores, memory=replace(stores.memory, embedder=Noting()))
    taken = await measure_retrievals(agent_on(noting), random.Random(1), 2)
    assert (len(taken.product), len(taken.floor)) == (2, 2)
    assert len(texts) == len({*texts}) == 2 * 12
