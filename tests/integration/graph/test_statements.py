"""What a warm answered message costs in statements, and a recall in questions to Chroma, too."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from graph.settings import Settings
from graph.stores import Stores
from memory.domain.facts import Observation
from memory.domain.recalls import VectorItem
from memory.projection.importing import import_batches
from memory.recall.recall import Scope, recall
from tests.benchmarks.statements import counted, measure
from tests.messages import START, message

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("channel", "most"), [("web", 22), ("waha", 23)])
async def test_a_warm_turn_sends_no_more_statements(
    settings: Settings, channel: str, most: int
) -> None:
    cost = await measure(settings, channel)
    assert cost.ours <= most, "\n".join(each[:120] for each in cost.statements)
    assert cost.of_checkpoints <= 9
    assert cost.messages_read <= 6


@pytest.mark.parametrize(("importance", "queries"), [(0.85, 1), (0.4, 2)])
async def test_a_recall_asks_chroma_once_unless_a_fact_depends_on_it(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, importance: float, queries: int
) -> None:
    asked = _queries(monkeypatch)
    tenant = stores.settings.tenant
    said = [message(text, tenant=tenant) for text in ("The coat is red.", "A bicycle.", "Tea.")]
    await import_batches(stores.memory, stores.projector, [said])
    anchor, contact = said[0].anchor, said[0].contact_id
    told = Observation("identity", "home", "Leeds", 0.9, importance, said[0].uid, START, anchor)
    (fact,) = (await stores.memory.facts.apply(tenant, contact, [told], START)).activated
    (vector,) = await stores.memory.embedder.embed(["home: Leeds"])
    item = VectorItem(fact.fact_id, anchor, vector)
    await stores.memory.vectors.upsert(tenant, "knowledge", [item])
    scope = Scope(tenant, contact, anchor, is_group=False)
    await recall(stores.memory, scope, "red coat", START, 5)  # opens the collections
    asked.clear()
    sent: list[str] = []
    with counted(sent.append):
        await recall(stores.memory, scope, "the red coat", START, 5)
    assert len(asked) == queries
    # Facts with marks on them, audience, search by words, and the lines around what words found:
    # all that there are.
    ours = [each for each in sent if " facts" in each or " messages" in each]
    assert len(ours) == 4, "\n".join(each[:120] for each in ours)


def _queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every query that is sent to Chroma from now on."""
    asked: list[str] = []
    send = httpx.AsyncClient.send

    async def noted(self: Any, request: httpx.Request, **rest: Any) -> httpx.Response:
        if request.url.path.endswith("/query"):
            asked.append(request.url.path)
        return await send(self, request, **rest)

    monkeypatch.setattr(httpx.AsyncClient, "send", noted)
    return asked


async def test_messages_are_recalled_without_a_question_about_facts(stores: Stores) -> None:
    said = [message(text, tenant=stores.settings.tenant) for text in ("The coat is red.", "Tea.")]
    await import_batches(stores.memory, stores.projector, [said])
    sent: list[str] = []
    with counted(sent.append):
        found = await recall(
            stores.memory, Scope.of(said[0]), "the red coat", START, 5, with_facts=False
        )
    assert {entry.kind for entry in found.entries} == {"message"}
    assert not [each for each in sent if " from facts" in each]
