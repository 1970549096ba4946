"""Nothing is searched where the prompt shows everything anyway; everything is where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from graph.stores import Stores
from memory.recall.recall import Scope, recall
from tests.messages import START, message
from tests.projecting import known

pytestmark = pytest.mark.anyio


class _Watched:
    """A vector index that counts how often it is searched."""

    def __init__(self, stores: Stores) -> None:
        self._index = stores.memory.vectors
        self.searches = 0

    async def search(self, *given: Any) -> Any:
        self.searches += 1
        return await self._index.search(*given)


async def test_a_young_chat_is_not_searched_until_something_leaves_the_window(
    stores: Stores,
) -> None:
    tenant = stores.settings.tenant
    said = [message(text, tenant=tenant) for text in ("There stood a bicycle.", "It was red.")]
    await known(stores, *said)
    watched = _Watched(stores)
    # Any: only what recall calls is watched.
    index: Any = watched
    reading = replace(stores.memory, vectors=index)
    scope = Scope(tenant, said[0].contact_id, said[0].anchor, is_group=False)

    async def found(shown: Sequence[str]) -> list[str]:
        found = await recall(reading, scope, "the red bicycle", START, 5, shown)
        return [entry.item_id for entry in found.entries]

    assert await found([each.uid for each in said]) == []
    assert watched.searches == 0
    assert set(await found([said[1].uid])) == {each.uid for each in said}
    assert watched.searches == 1


async def test_that_a_recap_is_asked_for_is_told_where_nothing_is_searched(stores: Stores) -> None:
    tenant = stores.settings.tenant
    said = [message(text, tenant=tenant) for text in ("There stood a bicycle.", "It was red.")]
    await known(stores, *said)
    scope = Scope(tenant, said[0].contact_id, said[0].anchor, is_group=False)
    shown = [each.uid for each in said]

    async def asks_for(query: str) -> set[str]:
        return set((await recall(stores.memory, scope, query, START, 5, shown)).asks_for or ())

    assert await asks_for("Remind me what we have been chatting about") == {"recap"}
    assert await asks_for("Remind me to oil the bicycle") == set()
