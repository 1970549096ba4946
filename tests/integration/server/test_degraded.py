"""A store goes, hangs, fails or is empty: messages are answered, and receipts say without what."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chromadb
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from graph.bootstrap import Overrides
from memory.embedded import lease
from memory.errors import EmbedderMismatch
from memory.ports import outages
from memory.projection.importing import import_batches
from memory.recall.recall import Scope, recall
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.serving import ServerThread
from tests.fakes.vectors import LetterEmbedder
from tests.fakes.wire import Target, Wire
from tests.integration.embedded.clients import processes_of
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running, eventually
from tests.messages import START, message
from tests.stores import reachable

pytestmark = pytest.mark.anyio
CHAT = "4911@c.us"
ASKED = "Where is the red bicycle?"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a store no longer than by default, and ask a missing one again soon."""
    monkeypatch.delenv("RECOLLECT_STORE_PATIENCE_S")
    monkeypatch.setattr(outages, "RETRY_S", 1.5)


@pytest.fixture
def neo4j() -> str:
    """The address of a Neo4j without a password."""
    uri = os.environ.get("RECOLLECT_TEST_NEO4J_URI", "")
    if not uri:
        stop = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        stop("RECOLLECT_TEST_NEO4J_URI is not set")
    return uri


def to_host(url: str) -> Target:
    parts = urlsplit(url)
    return lambda: asyncio.open_connection(parts.hostname, parts.port)


@asynccontextmanager
async def behind_a_wire(
    start: Start, servers: dict[str, str], wire: Wire | None = None, **variables: str
) -> AsyncIterator[tuple[Running, Wire]]:
    """Start the app with a wire to Chroma, for a tenant who has a fact and an old message."""
    async with (
        wire or Wire(to_host(servers["RECOLLECT_CHROMA_URL"])) as held,
        start(
            RECOLLECT_CHROMA_URL=f"http://127.0.0.1:{held.port}",
            RECOLLECT_TENANT=uuid.uuid4().hex,
            **variables,
        ) as app,
    ):
        yield app, held


async def know(app: Running) -> str:
    """Give the contact a past: a fact, and a message elsewhere; return its uid."""
    stores = app.service.agent.stores
    told = [
        message(text, tenant=stores.settings.tenant, chat="elsewhere", sender=CHAT)
        for text in ("I live in Leeds.", "The red bicycle is in the cellar.")
    ]
    await import_batches(stores.memory, stores.projector, [told])
    return told[1].uid


async def answered(app: Running, text: str = ASKED) -> dict[str, Any]:
    """Say something, wait for the reply, return its receipt as the API tells it."""
    before = len(app.answers(CHAT))
    assert (await app.say(text, CHAT)).status_code == 200
    assert await eventually(lambda: len(app.answers(CHAT)) == before + 1)
    (newest, *_) = (await app.http.get("/receipts")).json()["receipts"]
    receipt: dict[str, Any] = newest
    assert receipt["query"] == text
    return receipt


def kinds(receipt: dict[str, Any]) -> set[str]:
    """Return the kinds of what was recalled; an answer may use lines of its chat, too."""
    return {entry["kind"] for entry in receipt["memories"]} - {"window"}


async def is_well(app: Running) -> bool:
    health = await app.http.get("/health")
    return health.status_code == 200 and health.json()["status"] == "ok"


async def test_without_chroma_words_and_facts_answer_and_everything_says_so(
    start: Start, servers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async with behind_a_wire(start, servers) as (app, wire):
        await know(app)
        assert (await answered(app))["missing"] == []
        assert await is_well(app)
        await wire.cut()
        receipt = await answered(app, "And the bicycle?")
        assert receipt["missing"] == ["vectors"]
        assert kinds(receipt) == {"fact", "message"}
        health = await app.http.get("/health")
        assert (health.status_code, health.json()["status"]) == (200, "degraded")
        assert health.json()["stores"]["chroma"] == "unreachable"
        assert list(health.json()["missing"]) == ["vectors"]
        await wire.mend()
        assert await eventually(lambda: is_well(app))
        assert (await answered(app, "The red bicycle, again?"))["missing"] == []
    lines = [r.getMessage() for r in caplog.records if r.name == outages.__name__]
    assert len(lines) == 2
    assert lines[0].startswith("memory does without vectors until it is back: RECOLLECT_CHROMA_URL")
    assert lines[1] == "memory has vectors again"


async def test_a_chroma_that_hangs_costs_one_recall_two_seconds(
    start: Start, servers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "RETRY_S", 60.0)
    async with behind_a_wire(start, servers) as (app, wire):
        uid = await know(app)
        stores = app.service.agent.stores
        contact = f"waha:{CHAT}"
        scope = Scope(stores.settings.tenant, contact, f"contact:{contact}", is_group=False)
        wire.is_silent = True
        taken = []
        for _ in range(4):
            started = time.monotonic()
            found = await recall(stores.memory, scope, ASKED, START, 5)
            taken.append(time.monotonic() - started)
            assert found.missing == ("vectors",)
            assert uid in {entry.item_id for entry in found.entries}
        assert 2 <= taken[0] < 3
        assert max(taken[1:]) < 1
        receipt = await answered(app)
        assert (receipt["missing"], kinds(receipt)) == (["vectors"], {"fact", "message"})


async def refuse(_: Request) -> PlainTextResponse:
    """Answer HTTP 500, whatever is asked."""
    return PlainTextResponse("{}", 500)


async def test_a_chroma_that_fails_each_call_is_done_without(
    start: Start, servers: dict[str, str]
) -> None:
    broken = Starlette(routes=[Route("/{path:path}", refuse, methods=["GET", "POST"])])
    with ServerThread(broken) as failing:
        urls = [servers["RECOLLECT_CHROMA_URL"]]
        wire = Wire(lambda: to_host(urls[-1])())  # noqa: PLW0108 (the last one changes)
        async with behind_a_wire(start, servers, wire) as (app, _):
            await know(app)
            urls.append(failing.url)
            await wire.cut()
            await wire.mend()
            assert (await answered(app))["missing"] == ["vectors"]
            urls.pop()
            await wire.cut()
            await wire.mend()
            assert await eventually(lambda: is_well(app))
            assert (await answered(app, "The bicycle, again?"))["missing"] == []


async def test_an_emptied_chroma_fails_no_turn(start: Start, servers: dict[str, str]) -> None:
    async with behind_a_wire(start, servers) as (app, wire):
        await know(app)
        side_door = await chromadb.AsyncHttpClient(host="127.0.0.1", port=wire.port)
        for collection in await side_door.list_collections():
            if not collection.name.endswith("meta"):
                await side_door.delete_collection(collection.name)
        receipt = await answered(app)
        assert kinds(receipt) == {"fact", "message"}


async def test_a_server_that_starts_without_chroma_uses_it_when_it_is_there(
    start: Start, servers: dict[str, str]
) -> None:
    wire = Wire(to_host(servers["RECOLLECT_CHROMA_URL"]))
    async with wire:
        await wire.cut()
        async with start(
            RECOLLECT_CHROMA_URL=f"http://127.0.0.1:{wire.port}",
            RECOLLECT_TENANT=uuid.uuid4().hex,
        ) as app:
            assert not await is_well(app)
            assert (await answered(app, "I live in Leeds."))["missing"] == []
            await wire.mend()
            assert await eventually(lambda: is_well(app))
            await know(app)
            assert (await answered(app))["missing"] == []


async def test_a_server_that_starts_without_neo4j_answers_from_messages(start: Start) -> None:
    async with start(RECOLLECT_NEO4J_URI="bolt://127.0.0.1:9") as app:
        assert (await answered(app, "Hello there."))["missing"] == ["facts"]
        health = (await app.http.get("/health")).json()
        assert health["status"] == "degraded"
        assert (health["stores"]["facts"], list(health["missing"])) == ("unreachable", ["facts"])
        capture = health["capture"]
        assert (capture["mode"], capture["calls_a_day"]) == ("reader", 500)
        assert set(capture["calls_today"].values()) == {0}


async def test_another_embedder_is_refused_at_the_start(start: Start) -> None:
    async with start():
        pass
    with pytest.raises(EmbedderMismatch, match="letters/26"):
        async with start(Overrides(embedder=LetterEmbedder())):
            pass


async def test_without_the_embeddings_endpoint_words_and_facts_answer(
    start: Start, tmp_path: Path
) -> None:
    with lease(reachable(tmp_path)) as held, OpenAIServer() as endpoint:
        async with (
            Wire(to_host(endpoint.url)) as wire,
            start(
                RECOLLECT_CHROMA_URL=held.stores.chroma_url,
                RECOLLECT_EMBEDDINGS="fake-embeddings",
                OPENAI_API_KEY="none",
                OPENAI_BASE_URL=f"http://127.0.0.1:{wire.port}/v1",
            ) as app,
        ):
            await know(app)
            await wire.cut()
            receipt = await answered(app)
            assert receipt["missing"] == ["embedder"]
            assert kinds(receipt) == {"fact", "message"}
            await wire.mend()

            async def is_complete() -> bool:
                receipt = await answered(app, f"The bicycle, {uuid.uuid4()}?")
                return not receipt["missing"]

            assert await eventually(is_complete)


async def test_a_stream_goes_on_while_chroma_is_killed_and_comes_back(
    start: Start, tmp_path: Path
) -> None:
    folder = reachable(tmp_path)
    with lease(folder) as held:
        async with start(
            RECOLLECT_CHROMA_URL=held.stores.chroma_url, RECOLLECT_TENANT=uuid.uuid4().hex
        ) as app:
            await know(app)
            for number in range(12):
                if number in (3, 7):
                    os.kill(processes_of(folder)["chroma"], signal.SIGKILL)
                await answered(app, f"{ASKED} {number}")
            assert await eventually(lambda: is_well(app))
            assert (await answered(app, f"{ASKED} At last."))["missing"] == []


@pytest.mark.neo4j
async def test_without_neo4j_messages_answer_and_facts_come_back(start: Start, neo4j: str) -> None:
    async with (
        Wire(to_host(neo4j)) as wire,
        start(
            RECOLLECT_NEO4J_URI=f"bolt://127.0.0.1:{wire.port}",
            RECOLLECT_TENANT=uuid.uuid4().hex,
        ) as app,
    ):
        await know(app)
        receipt = await answered(app)
        assert (receipt["missing"], kinds(receipt)) == ([], {"fact", "message"})
        await wire.cut()
        for number in range(3):
            receipt = await answered(app, f"{ASKED} I have a dog, Bruno. {number}")
            assert (receipt["missing"], kinds(receipt)) == (["facts"], {"message"})
        assert list((await app.http.get("/health")).json()["missing"]) == ["facts"]
        await wire.mend()
        stores = app.service.agent.stores

        async def is_caught_up() -> bool:
            if not await is_well(app):
                return False
            facts = await stores.memory.facts.active(stores.settings.tenant, f"waha:{CHAT}")
            return any("Bruno" in fact.value for fact in facts)

        assert await eventually(is_caught_up, 60)
        receipt = await answered(app, "The red bicycle, again?")
        assert (receipt["missing"], kinds(receipt)) == ([], {"fact", "message"})
