"""Lines of one text are equally close, whichever of their vectors an index finds."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.domain.recalls import VectorItem
from memory.recall.recall import Scope, recall
from tests.fakes.world import World
from tests.messages import START, message

pytestmark = pytest.mark.anyio


async def test_lines_of_one_text_are_equally_close() -> None:
    world = World()
    said = [message("the red coat hangs here", minutes=n) for n in range(2)]
    other = message("a coat of paint", minutes=2)
    await world.ledger.record([*said, other], history=True)
    (query,) = await world.memory.embedder.embed(["red coat"])
    await world.vectors.upsert("t", "message", [VectorItem(said[0].uid, said[0].anchor, query)])
    scope = Scope("t", "waha:ana", said[0].anchor, is_group=False)
    found = await recall(world.memory, scope, "red coat", START + timedelta(days=1), 5)
    close = {each.item_id: each.parts["cosine"] for each in found.entries}
    assert close[said[0].uid] == close[said[1].uid] > close[other.uid]
