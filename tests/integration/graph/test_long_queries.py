"""A question of any length finds its message."""

from __future__ import annotations

import pytest

from graph.stores import Stores
from memory.projection.importing import import_batches
from memory.recall.recall import Scope, recall
from tests.messages import START, message

pytestmark = pytest.mark.anyio

TOPICS = ["ferry", "violin", "oven", "passport", "tent", "invoice", "parrot", "ladder", "museum"]
FILLER = (
    "It rained again and the meeting took longer than anybody had hoped, so we went home late. "
)


@pytest.mark.parametrize("where", [0.0, 0.5, 1.0])
async def test_a_question_of_20000_characters_finds_its_message(
    stores: Stores, where: float
) -> None:
    tenant = stores.settings.tenant
    told = message("Marta keeps the boathouse key under the blue anchor", tenant=tenant)
    others = [
        message(f"The {topic} came up at the meeting on day {day}, it rained", tenant=tenant)
        for day in range(8)
        for topic in TOPICS
    ]
    await import_batches(stores.memory, stores.projector, [[told, *others]])
    asked = "Where is the key of the boathouse?"
    before = int(20_000 * where) // len(FILLER)
    query = f"{FILLER * before}{asked} {FILLER * (20_000 // len(FILLER) - before)}"
    scope = Scope(tenant, told.contact_id, told.anchor, is_group=False)
    found = await recall(stores.memory, scope, query, START, 10)
    assert told.uid in [entry.item_id for entry in found.entries][:3]
