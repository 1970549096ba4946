"""Who closes an index cuts nobody off: Chroma's clients of an event loop share connections."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from memory.chroma.index import open_chroma
from memory.domain.recalls import VectorItem
from memory.embedded import EmbeddedStores
from memory.minilm.embedder import DIMENSION
from memory.minilm.recall import fingerprint

pytestmark = pytest.mark.anyio


async def test_another_index_goes_on_while_one_is_closed(embedded: EmbeddedStores) -> None:
    tenant, vector = uuid4().hex, (1.0,) + (0.0,) * (DIMENSION - 1)
    leaving, staying = [
        await open_chroma(embedded.chroma_url, fingerprint(), DIMENSION) for _ in range(2)
    ]
    await staying.upsert(tenant, "message", [VectorItem("m", "contact:a", vector, {})])
    # The first vectors of a shard are being written for a while where a machine is busy.
    while not await staying.search(tenant, "message", ["contact:a"], vector, 1):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    asked = [
        asyncio.create_task(staying.search(tenant, "message", ["contact:a"], vector, 1))
        for _ in range(8)
    ]
    await asyncio.sleep(0)
    await leaving.close()
    await leaving.close()
    assert [[hit.item_id for hit in hits] for hits in await asyncio.gather(*asked)] == [["m"]] * 8
    await staying.close()
