"""The contract of `memory.ports.VectorIndex`, and what only Chroma's adapter promises."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import chromadb
import pytest
from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.api.types import Where
from chromadb.errors import InternalError

from memory.chroma.index import ChromaVectorIndex, open_chroma
from memory.chroma.nearest import Nearest
from memory.chroma.shards import scope_of, shard_of
from memory.chroma.spreading import LENGTH
from memory.domain.recalls import Hit, VectorItem
from memory.errors import EmbedderMismatch, StoreUnavailable
from memory.ports.recall import VectorIndex
from memory.text.chunks import chunk_id

pytestmark = pytest.mark.anyio

FINGERPRINT = "toy/4/l2"
X, Y, Z = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)


@pytest.fixture
async def index(chroma_url: str) -> AsyncIterator[ChromaVectorIndex]:
    opened = await open_chroma(chroma_url, FINGERPRINT, 4)
    yield opened
    await opened.close()


@pytest.fixture
def tenant() -> str:
    return f"tenant-{uuid4()}"


class VectorIndexContract:
    """What every backend must do; a subclass gives the `index` fixture."""

    async def test_search_ranks_by_cosine(self, index: VectorIndex, tenant: str) -> None:
        items = [VectorItem(name, "a", v) for name, v in (("x", X), ("y", Y), ("z", Z))]
        await index.upsert(tenant, "message", items)
        hits = await index.search(tenant, "message", ["a"], X, 2)
        assert [hit.item_id for hit in hits] == ["x", "z"]
        assert [hit.score for hit in hits] == pytest.approx([1.0, 0.6], abs=LENGTH)

    async def test_tenants_with_equal_ids_never_meet(self, index: VectorIndex, tenant: str) -> None:
        other = tenant + "-other"
        await index.upsert(tenant, "message", [VectorItem("m", "a", X)])
        await index.upsert(other, "message", [VectorItem("m", "a", Y)])
        (hit,) = await index.search(tenant, "message", ["a"], X, 5)
        assert hit.score == pytest.approx(1.0, abs=LENGTH)
        await index.delete(other, "message", "a")
        assert await index.count(tenant, "message") == 1
        assert await index.search(other, "message", ["a"], Y, 5) == []

    async def test_search_sees_only_the_named_anchors(
        self, index: VectorIndex, tenant: str
    ) -> None:
        for anchor in "abc":
            await index.upsert(tenant, "message", [VectorItem(f"m-{anchor}", anchor, X)])
        hits = await index.search(tenant, "message", ["a", "b", "a"], X, 5)
        assert {hit.item_id for hit in hits} == {"m-a", "m-b"}
        assert await index.search(tenant, "message", [], X, 5) == []

    async def test_search_sees_all_of_many_anchors(self, index: VectorIndex, tenant: str) -> None:
        anchors = [f"anchor-{number}" for number in range(50)]
        items = [VectorItem(f"m-{anchor}", anchor, X) for anchor in anchors]
        await index.upsert(tenant, "message", [*items, VectorItem("other", "another", X)])
        hits = await index.search(tenant, "message", anchors, X, 60)
        assert {hit.item_id for hit in hits} == {item.item_id for item in items}

    async def test_kinds_are_apart(self, index: VectorIndex, tenant: str) -> None:
        await index.upsert(tenant, "knowledge", [VectorItem("k", "a", X)])
        assert await index.search(tenant, "message", ["a"], X, 5) == []
        assert await index.count(tenant, "knowledge") == 1

    async def test_upsert_replaces(self, index: VectorIndex, tenant: str) -> None:
        await index.upsert(tenant, "message", [VectorItem("m", "a", X)])
        await index.upsert(tenant, "message", [VectorItem("m", "a", X), VectorItem("m", "a", Y)])
        (hit,) = await index.search(tenant, "message", ["a"], Y, 5)
        assert hit.score == pytest.approx(1.0, abs=LENGTH)
        assert await index.count(tenant, "message") == 1

    async def test_delete_removes_one_anchor(self, index: VectorIndex, tenant: str) -> None:
        await index.upsert(tenant, "message", [VectorItem("m", "a", X), VectorItem("n", "b", X)])
        await index.delete(tenant, "message", "a")
        await index.delete(tenant, "message", "never seen")
        assert await index.search(tenant, "message", ["a"], X, 5) == []
        assert await index.count(tenant, "message") == 1

    async def test_chunks_collapse_to_their_message(self, index: VectorIndex, tenant: str) -> None:
        items = [VectorItem(chunk_id("long", n), "a", X) for n in range(30)]
        items += [VectorItem(chunk_id("long", 30), "a", Y), VectorItem("short", "a", Z)]
        await index.upsert(tenant, "message", items)
        hits = await index.search(tenant, "message", ["a"], X, 2)
        assert [hit.item_id for hit in hits] == ["long", "short"]

    async def test_equal_vectors_hide_no_other(self, index: VectorIndex, tenant: str) -> None:
        found = 0
        for chat in map(str, range(30)):
            items = [VectorItem(f"ok {n} of {chat}", chat, X) for n in range(30)]
            await index.upsert(tenant, "message", [*items, VectorItem("said", chat, Z)])
            (hit,) = await index.search(tenant, "message", [chat], Z, 1)
            found += hit.item_id == "said"
        assert found >= 28  # of equal ones in a graph, some 20

    async def test_delete_items_takes_all_chunks(self, index: VectorIndex, tenant: str) -> None:
        items = [VectorItem(chunk_id("m", n), "a", X) for n in range(3)]
        await index.upsert(tenant, "message", [*items, VectorItem("n", "a", X)])
        await index.delete_items(tenant, "message", "a", [])
        await index.delete_items(tenant, "message", "a", ["m", "never seen"])
        assert [h.item_id for h in await index.search(tenant, "message", ["a"], X, 5)] == ["n"]

    async def test_what_is_known_of_one_contact_goes_from_every_anchor(
        self, index: VectorIndex, tenant: str
    ) -> None:
        known = [("f1", "contact:x", "x"), ("f2", "group:g", "x"), ("f3", "group:g", "y")]
        items = [VectorItem(fact, anchor, X, {"contact": who}) for fact, anchor, who in known]
        await index.upsert(tenant, "knowledge", items)
        await index.delete_known(tenant, "x")
        left = await index.present(
            tenant, "knowledge", [(anchor, fact) for fact, anchor, _ in known]
        )
        assert left == {("group:g", "f3")}

    async def test_an_anchor_lists_its_chunks_with_their_versions(
        self, index: VectorIndex, tenant: str
    ) -> None:
        long = [VectorItem(chunk_id("m", n), "a", X, {"version": 2}) for n in range(2)]
        await index.upsert(tenant, "message", [*long, VectorItem("n", "a", Y)])
        await index.upsert(tenant, "message", [VectorItem("o", "other", Y)])
        wanted = {chunk_id("m", 0): 2, chunk_id("m", 1): 2, "n": 0}
        assert await index.items(tenant, "message", "a") == wanted
        assert await index.items(tenant, "message", "never seen") == {}

    async def test_what_is_present_is_told_by_anchor_and_id(
        self, index: VectorIndex, tenant: str
    ) -> None:
        await index.upsert(tenant, "message", [VectorItem("m", "a", X), VectorItem("n", "b", Y)])
        asked = [("a", "m"), ("a", "n"), ("b", "n"), ("never seen", "m")]
        assert await index.present(tenant, "message", asked) == {("a", "m"), ("b", "n")}
        assert await index.present(tenant, "message", []) == set()

    async def test_a_listing_names_all_that_a_tenant_has(
        self, index: VectorIndex, tenant: str
    ) -> None:
        items = [VectorItem(f"m{n}#0", f"a{n}", X, {"version": n}) for n in range(40)]
        await index.upsert(tenant, "message", items)
        await index.upsert(tenant + "-other", "message", items)
        found = {}
        for shard in range(index.shards):
            async for page in index.listing(tenant, "message", shard):
                for each in page:
                    assert index.shard_of(tenant, each.anchor) == shard
                    found[each.anchor, each.item_id] = each.metadata["version"]
        assert found == {(f"a{n}", f"m{n}#0"): n for n in range(40)}

    async def test_a_making_is_apart_from_another(self, index: VectorIndex, tenant: str) -> None:
        await index.upsert(tenant, "message", [VectorItem("m", "a", X)])
        second = index.of(2)
        assert await second.search(tenant, "message", ["a"], X, 5) == []
        await second.upsert(tenant, "message", [VectorItem("n", "a", X)])
        for making, wanted in ((index.of(1), "m"), (second, "n")):
            (hit,) = await making.search(tenant, "message", ["a"], X, 5)
            assert hit.item_id == wanted

    async def test_empty_input_and_zero_limit(self, index: VectorIndex, tenant: str) -> None:
        await index.upsert(tenant, "message", [])
        assert await index.search(tenant, "message", ["a"], X, 0) == []
        assert await index.count(tenant, "message") == 0


class TestChromaVectorIndex(VectorIndexContract):
    """The contract on a real Chroma server."""

    async def test_batches_above_two_thousand(self, index: ChromaVectorIndex, tenant: str) -> None:
        items = [VectorItem(f"m{n}", "a", (1.0, n / 4100, 0.0, 0.0)) for n in range(4100)]
        await index.upsert(tenant, "message", items)
        assert await index.count(tenant, "message") == 4100
        await index.delete(tenant, "message", "a")
        assert await index.count(tenant, "message") == 0

    async def test_another_embedder_is_refused(
        self, index: ChromaVectorIndex, chroma_url: str
    ) -> None:
        with pytest.raises(EmbedderMismatch, match="made by toy/4/l2.*gives other/4/l2") as caught:
            await open_chroma(chroma_url, "other/4/l2", 4)
        assert "\n" not in str(caught.value)

    async def test_wrong_dimension_is_refused(self, index: ChromaVectorIndex, tenant: str) -> None:
        with pytest.raises(EmbedderMismatch):
            await index.upsert(tenant, "message", [VectorItem("m", "a", (1.0,))])
        with pytest.raises(EmbedderMismatch):
            await index.search(tenant, "message", ["a"], (1.0,), 5)

    async def test_absent_server_is_one_line(self, free_port: int) -> None:
        url = f"http://127.0.0.1:{free_port}"
        with pytest.raises(StoreUnavailable, match=f"RECOLLECT_CHROMA_URL: cannot reach {url}"):
            await open_chroma(url, FINGERPRINT, 4)

    @pytest.mark.parametrize("url", ["localhost:8000", "http://", "http://h:99999", ""])
    async def test_malformed_address_is_refused(self, url: str) -> None:
        with pytest.raises(StoreUnavailable, match="expected http://host:port"):
            await open_chroma(url, FINGERPRINT, 4)

    async def test_simultaneous_first_writes_agree(self, chroma_url: str, tenant: str) -> None:
        indexes = [await open_chroma(chroma_url, FINGERPRINT, 4) for _ in range(4)]
        writes = (
            one.upsert(tenant, "knowledge", [VectorItem(f"m{i}", "a", X)])
            for i, one in enumerate(indexes)
        )
        await asyncio.gather(*writes)
        assert await indexes[0].count(tenant, "knowledge") == 4
        for one in indexes:
            await one.close()

    async def test_dropped_shard_is_made_again(
        self, index: ChromaVectorIndex, chroma_url: str, tenant: str
    ) -> None:
        await index.upsert(tenant, "message", [VectorItem("m", "a", X)])
        side_door = await chromadb.AsyncHttpClient(
            host="127.0.0.1", port=int(chroma_url.rpartition(":")[2])
        )
        name = f"recollect-message-{shard_of(scope_of(tenant, 'a')):02d}"
        stored = await side_door.get_collection(name, embedding_function=None)
        rows = await stored.get(where={"tenant": tenant})
        assert len(rows["ids"]) == 1 and not any(rows["documents"] or [])
        await side_door.delete_collection(name)
        assert await index.search(tenant, "message", ["a"], X, 5) == []
        await index.upsert(tenant, "message", [VectorItem("m", "a", X)])
        assert len(await index.search(tenant, "message", ["a"], X, 5)) == 1

    async def test_what_is_just_being_written_first_is_not_there_yet(
        self, index: ChromaVectorIndex, tenant: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await index.upsert(tenant, "message", [VectorItem("m", "a", X)])
        told = ["Error creating hnsw segment reader: Nothing found on disk"]
        query, refused = AsyncCollection.query, [3]

        async def broken(self: AsyncCollection, **asked: Any) -> object:
            refused[0] -= 1
            if refused[0] < 0:
                return await query(self, **asked)
            raise InternalError(told[0])

        monkeypatch.setattr(AsyncCollection, "query", broken)
        assert len(await index.search(tenant, "message", ["a"], X, 5)) == 1
        refused[0] = 99
        assert await index.search(tenant, "message", ["a"], X, 5) == []
        told[0] = "disk I/O error"
        with pytest.raises(StoreUnavailable):
            await index.search(tenant, "message", ["a"], X, 5)

    async def test_a_shard_is_filtered_only_while_others_have_most_of_it(
        self, index: ChromaVectorIndex, tenant: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filters = []
        query = Nearest._query

        async def noted(self: Nearest, name: str, where: Where | None, *rest: Any) -> Any:
            filters.append(where is not None)
            return await query(self, name, where, *rest)

        monkeypatch.setattr(Nearest, "_query", noted)
        making, draw = index.of(60), random.Random(1)

        def items(anchor: str, many: int) -> list[VectorItem]:
            drawn = [[draw.gauss(0, 1) for _ in range(4)] for _ in range(many)]
            return [VectorItem(f"{anchor} {n}", anchor, tuple(v)) for n, v in enumerate(drawn)]

        async def found() -> list[Hit]:
            filters.clear()
            return await making.search(tenant, "message", ["a"], X, 10)

        await making.upsert(tenant, "message", items("a", 300))
        alone = await found()
        assert (len(alone), filters) == (10, [False])
        shard = making.shard_of(tenant, "a")
        beside = [f"b{n}" for n in range(200) if making.shard_of(tenant, f"b{n}") == shard]
        await making.upsert(tenant, "message", [i for b in beside[:4] for i in items(b, 900)])
        assert (await found(), filters) == (alone, [False, True])
        assert (await found(), filters) == (alone, [True])
