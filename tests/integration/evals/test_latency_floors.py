"""What stands beside the product in the latency suite, on real stores and processes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.latency import stock
from evals.latency.floor import NODES, SixNodes
from evals.latency.peer import open_peer
from evals.latency.players import TurnFailedError
from evals.latency.store_floor import StoreFloor
from evals.systems.registry import PEERS, Peer
from graph.build import build_graph
from graph.settings import Settings
from graph.stores import Stores
from tests.fakes.chat_model import ScriptedChatModel

pytestmark = pytest.mark.anyio

CANOE = "grandpa borrowed a canoe at the lake"
PIANO = "my sister painted the old piano in Porto"


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


async def test_the_floor_has_the_products_nodes(stores: Stores) -> None:
    assert (*build_graph(stores.wire).nodes,) == NODES


async def test_the_store_floor_shows_what_fits_and_stores_message_and_reply(
    stores: Stores, model: ScriptedChatModel
) -> None:
    model.script("It was red.")
    async with stock.open_stock(stores) as opened:
        assert opened.store is not None
        floor = StoreFloor(opened.saver, opened.store, model)
        await floor.remember([CANOE, PIANO], "ana")
        await floor.remember(["a secret of somebody else's canoe"], "ben")
        played = await floor.turn("who had a canoe?", "ana")
        assert played.reply_ms is not None
        assert 0 < played.reply_ms < played.ms
        shown = model.prompts[-1][0].text
        assert CANOE in shown
        assert "secret" not in shown
        found = await opened.store.asearch(("memories", "ana"), query="red", limit=10)
        assert {item.value["text"] for item in found} == {
            CANOE, PIANO, "who had a canoe?", "It was red."
        }  # fmt: skip


async def test_the_floors_leave_nothing_in_the_database(stores: Stores) -> None:
    async def tables() -> set[str]:
        async with stores.pool.connection() as connection:
            cursor = await connection.execute(
                "select table_schema || '.' || table_name as name from information_schema.tables"
                " union select 'extension ' || extname from pg_extension"
            )
            return {row["name"] for row in await cursor.fetchall()}

    before = await tables()
    async with stock.open_stock(stores) as opened:
        await SixNodes(opened.saver).turn(CANOE)
        assert len(await tables()) > len(before)
    assert await tables() == before


async def test_without_pgvector_only_the_six_nodes_play(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stock, "EXTENSION", "no_such_extension")
    async with stock.open_stock(stores) as opened:
        assert opened.store is None
        assert "pgvector" in opened.lacks
        assert (await SixNodes(opened.saver).turn(CANOE)).ms > 0


async def test_a_peer_is_searched_and_told_in_a_process_of_its_own(folder: Path) -> None:
    async with open_peer("langgraph-store", Settings(), folder) as peer:
        await peer.remember([CANOE, PIANO])
        assert (await peer.turn("who had a canoe?")).ms > 0


async def test_a_peer_that_ends_is_told_with_its_last_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = Peer("tests.integration.evals.broken:Gone", (), ())
    monkeypatch.setitem(PEERS, "gone", gone)
    async with open_peer("gone", Settings(), folder) as peer:
        with pytest.raises(TurnFailedError, match=r"broken has no class Gone$"):
            await peer.turn(CANOE)
