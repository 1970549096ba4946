"""What was recalled without a store is not scored."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from evals.errors import MemoryIncomplete
from evals.recall.cases import CaseTurn
from evals.recall.product import Recollect
from graph.stores import Stores
from memory.errors import StoreUnavailable
from memory.ports.outages import Outages
from tests.fakes.vectors import Gone
from tests.fakes.world import World

pytestmark = pytest.mark.anyio


async def test_a_recall_without_its_vectors_is_no_figure() -> None:
    world = World(outages=Outages({"vectors": 1.0}))
    stores = SimpleNamespace(
        memory=world.memory, projector=world.projector, settings=SimpleNamespace(tenant="t")
    )
    system = Recollect(cast("Stores", stores), "case")
    said = ("I had a red coat.", "And a blue one.")
    turns = [
        CaseTurn(id=str(n), session_id="s", role="user", text=text) for n, text in enumerate(said)
    ]
    await system.ingest(turns)
    assert (await system.search("red coat", 5)).ids
    gone: Any = Gone(StoreUnavailable("RECOLLECT_CHROMA_URL", "http://there", "gone"))
    stores.memory.vectors = gone
    with pytest.raises(MemoryIncomplete, match="vectors"):
        await system.search("red coat", 5)
