"""A search finds what is nearest: of a thousand, at most one or two are missed."""

from __future__ import annotations

from uuid import uuid4

import numpy as np
import pytest

from memory.chroma.index import open_chroma
from memory.chroma.shards import scope_of, shard_of
from memory.domain.recalls import VectorItem
from memory.embedded import EmbeddedStores
from memory.minilm.embedder import DIMENSION
from memory.minilm.recall import fingerprint

pytestmark = pytest.mark.anyio

VECTORS = 6_000
ASKED = 150
MOST_MISSED = 0.002
"""The graph is made by several threads, never twice alike."""
EQUAL = 0.001
"""Vectors are moved so that equal ones differ: what is as near as this may stand either way."""


async def test_what_is_nearest_is_found(embedded: EmbeddedStores) -> None:
    draw = np.random.default_rng(0)
    topics = draw.standard_normal((40, DIMENSION))
    drawn = topics[draw.integers(0, 40, VECTORS)] + 0.9 * draw.standard_normal((VECTORS, DIMENSION))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    tenant = uuid4().hex
    names = (f"contact:{number}" for number in range(1_000))
    anchors = [name for name in names if shard_of(scope_of(tenant, name)) == 0][:8]
    items = [
        VectorItem(f"m{number}", anchors[number % 8], tuple(vector), {})
        for number, vector in enumerate(drawn.tolist())
    ]
    index = await open_chroma(embedded.chroma_url, fingerprint(), DIMENSION)
    try:
        await index.upsert(tenant, "message", items)
        theirs = np.arange(3, VECTORS, 8)
        missed = 0
        for query in drawn[:20]:
            found = await index.search(tenant, "message", [anchors[3]], tuple(query), ASKED)
            assert len(found) == ASKED
            theirs_found = {int(hit.item_id[1:]) for hit in found}
            likeness = dict(zip(theirs.tolist(), drawn[theirs] @ query, strict=True))
            least = min(likeness[number] for number in theirs_found) + EQUAL
            missed += sum(
                number not in theirs_found and like > least for number, like in likeness.items()
            )
        assert missed <= MOST_MISSED * 20 * ASKED
    finally:
        await index.close()
