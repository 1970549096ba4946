"""Projections made anew on stores of their own: online, resumable, under another embedder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.chroma.client import connect, disconnect
from memory.domain.chats import Actor, Message
from memory.domain.drift import DriftKind
from memory.domain.facts import Fact
from memory.domain.projections import Wanted
from memory.domain.recalls import Embedded, Recalled, TokenMatrix, VectorItem
from memory.embedded import EmbeddedStores, lease
from memory.errors import EmbedderMismatch, RebuildReplaced
from memory.recall.recall import Scope, recall
from memory.trust.rebuild import Pace
from memory.trust.verify import verify
from tests.answering import answered
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.vectors import LetterEmbedder
from tests.integration.server.running import eventually
from tests.messages import message
from tests.stores import copy_stores, reachable
from ui.cli.main import app
from ui.cli.rebuild import run_rebuild
from ui.cli.verify import run_verify

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

QUICK = Pace(look_s=0.02, grace_s=1.5)
NOW = datetime(2026, 6, 1, tzinfo=UTC)
TENANT, OTHER = "ours", "theirs"


class PieceEmbedder(LetterEmbedder):
    """Gives the vectors of pieces, too: a number a word."""

    @property
    def token_space(self) -> str:
        return f"{self.fingerprint}/words"

    async def read(self, texts: Sequence[str]) -> list[Embedded]:
        vectors = await self.embed(texts)
        return [
            Embedded(vector, TokenMatrix(bytes(map(len, words)), 1, (1.0,) * len(words)))
            for vector, words in zip(vectors, map(str.split, texts), strict=True)
        ]


class OtherEmbedder(PieceEmbedder):
    """Makes other vectors than the one before."""

    fingerprint = "other/26/l2"


@dataclass
class SlowEmbedder(PieceEmbedder):
    """Waits before it embeds until it may."""

    may: threading.Event = field(default_factory=threading.Event)

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        await asyncio.to_thread(self.may.wait)
        return await super().embed(texts)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = reachable(tmp_path) / "data"
    copy_stores(folder)
    return folder


@pytest.fixture
async def servers(data_dir: Path) -> AsyncIterator[EmbeddedStores]:
    """Keep servers of the test's own running: a rebuild is one for all who share them."""
    held = await asyncio.to_thread(lease, data_dir)
    yield held.stores
    await asyncio.to_thread(held.close)


@pytest.fixture
def settings(data_dir: Path, servers: EmbeddedStores) -> Settings:
    return Settings(data_dir=data_dir, tenant=TENANT)


def _with(embedder: PieceEmbedder) -> Overrides:
    return Overrides(model=ScriptedChatModel(), embedder=embedder)


LETTERS = _with(PieceEmbedder())


async def _rebuilt(settings: Settings, wanted: Wanted, overrides: Overrides = LETTERS) -> int:
    """Run the command beside the test as another process would: on an event loop of its own."""
    running = asyncio.to_thread(
        lambda: asyncio.run(run_rebuild(settings, wanted, overrides, QUICK))
    )
    return await running


async def _begun(stores: Stores) -> None:
    """Wait until a generation is built."""

    async def is_begun() -> bool:
        return any(not each.is_serving for each in await stores.memory.backlog.generations())

    assert await eventually(is_begun)


@pytest.fixture
async def stores(settings: Settings) -> AsyncIterator[Stores]:
    async with open_stores(settings, LETTERS) as opened:
        yield opened


def _say(text: str, minutes: float = 0, *, sender: str = "ana", tenant: str = TENANT) -> Message:
    return message(text, tenant=tenant, minutes=minutes, chat=sender, sender=sender)


async def _fill(stores: Stores) -> list[Message]:
    said = [
        _say("I live in Leeds. I'm allergic to nuts."),
        _say("I live in York.", 1),
        _say("The picnic is at the lighthouse.", 2),
        _say("My name is Bo.", 3, sender="bo"),
    ]
    await stores.memory.ledger.record(said, history=True)
    await stores.projector.caught_up()
    return said


async def _drift(stores: Stores) -> dict[str, dict[DriftKind, int]]:
    checked = verify(stores.memory, stores.projector.projections, [TENANT], 10)
    return {report.projection: {**report.counts} async for report in checked if not report.is_clean}


async def _recalled(stores: Stores, query: str = "where is the picnic") -> list[Recalled]:
    scope = Scope(TENANT, "waha:ana", "contact:waha:ana", is_group=False)
    return list((await recall(stores.memory, scope, query, NOW, 10)).entries)


async def _pieces(stores: Stores, said: Message) -> bytes:
    """Return the token vectors of a message that a question can be compared with."""
    memory = stores.memory
    space = memory.embedder.token_space
    (line,) = await memory.lexical.lines(TENANT, [said.anchor], [said.uid], [], space=space)
    return line.tokens


async def _said(stores: Stores) -> list[Fact]:
    return [_unrecorded(row) for row in await stores.memory.facts.rows(TENANT, "waha:ana")]


def _unrecorded(row: Fact) -> Fact:
    """Return a row without when it was learned: anew, that is when its message came."""
    return replace(row, recorded_from=NOW, recorded_to=None)


async def _collections(servers: EmbeddedStores) -> list[str]:
    client = await connect(servers.chroma_url)
    try:
        return sorted(each.name for each in await client.list_collections())
    finally:
        await disconnect()


async def _tokens(servers: EmbeddedStores) -> dict[str, tuple[str, int, bytes]]:
    """Return the token vectors that are kept, by uid, each with its space and `changes`."""
    async with await psycopg.AsyncConnection.connect(servers.database_url) as connection:
        query = "select uid, space, changes, vectors from recollect.token_vectors"
        rows = await (await connection.execute(query)).fetchall()
        return {str(uid): (space, changes, bytes(held)) for uid, space, changes, held in rows}


def _makings(names: Collection[str], kind: str) -> set[str]:
    of_kind = [name.removeprefix(f"recollect-{kind}") for name in names if f"-{kind}-" in name]
    return {rest.rpartition("-")[0] for rest in of_kind}


async def test_whatever_was_broken_by_hand_is_made_anew(
    stores: Stores, settings: Settings, servers: EmbeddedStores
) -> None:
    said = await _fill(stores)
    memory = stores.memory
    for minutes in (4, 5):
        await answered(stores, _say("And the picnic?", minutes, sender="cy"), [said[1].uid])
    await stores.projector.caught_up()
    used = await memory.uses.kept(TENANT, [said[1].uid])
    assert used[said[1].uid].times == 2
    before, rows = await _recalled(stores), await memory.facts.rows(TENANT, "waha:ana")
    (vector,) = await memory.embedder.embed(["whatever"])
    await memory.vectors.delete_items(TENANT, "message", said[0].anchor, [said[0].uid])
    for kind in ("message", "knowledge"):
        ghost = VectorItem("ghost", "contact:waha:ana", vector, {"contact": "waha:ana"})
        await memory.vectors.upsert(TENANT, kind, [ghost])
    some = TokenMatrix(b"\x01", 1)
    made, told = await _tokens(servers), await memory.claims.kinds_of(TENANT, "waha:ana")
    await memory.claims.keep(TENANT, {}, {said[0].uid: {}, said[2].uid: {"pet": 0.5}})
    await memory.tokens.delete(TENANT, [said[0].uid])
    await memory.tokens.put(TENANT, "another space", [(said[1].uid, 0, some)])
    ghost_row = replace(rows[0], fact_id="00000000-0000-0000-0000-000000000001", value="Bath")
    broken = [ghost_row, replace(rows[2], value="Paris")]
    assert await memory.facts.replace(TENANT, "waha:ana", rows, broken)
    await memory.facts.forget(TENANT, "waha:bo")
    async with stores.pool.connection() as connection:
        await connection.execute("update uses set uid = %s, times = 7", [said[2].uid])
    drift = await _drift(stores)
    made_of_facts = {"fact_vectors", "entities", "contact_states"}
    assert drift.keys() == {"vectors", "tokens", "facts", "uses", *made_of_facts}
    assert drift["uses"] == {"missing": 1, "extra": 1}
    assert drift["tokens"] == {"missing": 1, "stale": 1}
    assert await _rebuilt(settings, "all") == 0
    await stores.projector.caught_up()
    assert await _drift(stores) == {}
    assert await _said(stores) == [_unrecorded(row) for row in rows]
    assert await _recalled(stores) == before
    assert await _tokens(servers) == made
    assert await memory.uses.kept(TENANT, [each.uid for each in said]) == used
    assert await memory.claims.kinds_of(TENANT, "waha:ana") == told
    assert told[said[0].uid].keys() == {"home", "allergy"}
    names = await _collections(servers)
    assert (_makings(names, "message"), _makings(names, "knowledge")) == ({"-g2"}, {"-g2"})


async def test_token_vectors_that_nothing_accounts_for_go_with_a_rebuild(
    stores: Stores, settings: Settings, servers: EmbeddedStores
) -> None:
    await _fill(stores)
    made = await _tokens(servers)
    hidden = replace(_say("psst", 9), withheld=True)
    agents = replace(_say("I am here.", 10), actor=Actor.AGENT)
    await stores.memory.ledger.record([hidden, agents], history=True)
    await stores.projector.caught_up()
    some, space = TokenMatrix(b"\x01", 1), stores.memory.embedder.token_space
    await stores.memory.tokens.put(TENANT, space, [(hidden.uid, 0, some), (agents.uid, 0, some)])
    assert await _drift(stores) == {"tokens": {"extra": 2}}
    assert await _rebuilt(settings, "vectors") == 0
    await stores.projector.caught_up()
    assert (await _drift(stores), await _tokens(servers)) == ({}, made)


async def test_a_collection_that_was_dropped_is_made_anew(
    stores: Stores, settings: Settings, servers: EmbeddedStores
) -> None:
    await _fill(stores)
    before = await _recalled(stores)
    client = await connect(servers.chroma_url)
    for name in await _collections(servers):
        if name.startswith("recollect-message"):
            await client.delete_collection(name)
    await disconnect()
    assert await _drift(stores) == {"vectors": {"missing": 4}}
    assert await _rebuilt(settings, "vectors") == 0
    await stores.projector.caught_up()
    assert (await _drift(stores), await _recalled(stores)) == ({}, before)
    # As a rebuild leaves it that is killed after the new one serves.
    (vector,) = await stores.memory.embedder.embed(["whatever"])
    await stores.memory.vectors.of(1).upsert(TENANT, "message", [VectorItem("m", "a", vector)])
    assert "" in _makings(await _collections(servers), "message")
    assert await _rebuilt(settings, "vectors") == 0
    await stores.projector.caught_up()
    assert (await _drift(stores), await _recalled(stores)) == ({}, before)
    assert _makings(await _collections(servers), "message") == {"-g3"}


async def test_facts_alone_leave_the_messages_vectors(
    stores: Stores, settings: Settings, servers: EmbeddedStores
) -> None:
    await _fill(stores)
    rows = await _said(stores)
    await stores.memory.facts.forget(TENANT, "waha:ana")
    assert await _rebuilt(settings, "facts") == 0
    assert await _said(stores) == rows
    await stores.projector.caught_up()
    assert await _drift(stores) == {}
    names = await _collections(servers)
    assert (_makings(names, "message"), _makings(names, "knowledge")) == ({""}, {"-g2"})


async def test_the_old_answers_until_the_new_is_complete_and_nothing_is_missed(
    stores: Stores,
    settings: Settings,
    servers: EmbeddedStores,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await _fill(stores)
    slow = SlowEmbedder()
    rebuilding = asyncio.create_task(_rebuilt(settings, "vectors", _with(slow)))
    await _begun(stores)
    news = _say("The regatta is on Sunday.", 9)
    await stores.memory.ledger.record([news], history=True)
    await stores.projector.caught_up()
    found = [each.item_id for each in await _recalled(stores, "when is the regatta")]
    assert news.uid in found
    checking = run_verify(settings, 1, as_json=False, overrides=LETTERS)
    assert await asyncio.to_thread(asyncio.run, checking) == 0
    assert "fact_vectors are being made anew:" in capsys.readouterr().out
    assert not rebuilding.done()
    slow.may.set()
    assert await rebuilding == 0
    assert _makings(await _collections(servers), "message") == {"-g2"}
    later = _say("The ferry leaves at noon.", 10)
    await stores.memory.ledger.record([later], history=True)
    await stores.projector.caught_up()
    assert await _drift(stores) == {}
    assert later.uid in [each.item_id for each in await _recalled(stores, "when is the ferry")]


async def test_another_embedder_is_a_rebuild(settings: Settings, servers: EmbeddedStores) -> None:
    async with open_stores(settings, LETTERS) as stores:
        await _fill(stores)
        before = [each.item_id for each in await _recalled(stores)]
    other = _with(OtherEmbedder())
    every: tuple[Wanted, ...] = ("vectors", "all")
    for wanted in every:
        with pytest.raises(EmbedderMismatch, match="recollect rebuild vectors"):
            async with open_stores(settings, other):
                pass
        with pytest.raises(EmbedderMismatch, match="recollect rebuild vectors"):
            await _rebuilt(settings, "facts", other)
        assert await _rebuilt(settings, wanted, other) == 0
        async with open_stores(settings, other) as stores:
            assert await _drift(stores) == {}
            spaces = {space for space, _, _ in (await _tokens(servers)).values()}
            assert spaces == {stores.memory.embedder.token_space}
            assert [each.item_id for each in await _recalled(stores)] == before
        other, _ = LETTERS, other


async def test_the_old_embedder_is_refused_once_the_new_serves(
    settings: Settings, servers: EmbeddedStores
) -> None:
    async with open_stores(settings, LETTERS) as stores:
        _, _, picnic, _ = await _fill(stores)
        slow = SlowEmbedder()
        slow.fingerprint = OtherEmbedder.fingerprint
        rebuilding = asyncio.create_task(_rebuilt(settings, "vectors", _with(slow)))
        await _begun(stores)
        async with open_stores(settings, LETTERS) as others:
            before, theirs = await _recalled(stores), await _recalled(others)
        pieces = await _pieces(stores, picnic)
        slow.may.set()
        assert await rebuilding == 0
        assert (theirs, pieces) == (before, bytes([3, 6, 2, 2, 3, 11]))
        assert any("dense" in each.parts for each in before if each.kind == "message")
        # Whoever goes on with it finds by words what vectors no longer tell.
        found = [each for each in await _recalled(stores) if each.kind == "message"]
        assert found[0].item_id == picnic.uid
        assert found[0].parts["lexical"] > 0
        assert not [each for each in found if "dense" in each.parts]
        assert await _pieces(stores, picnic) == b""
    with pytest.raises(EmbedderMismatch, match="other/26/l2"):
        async with open_stores(settings, LETTERS):
            pass


async def test_two_at_once_share_the_work(stores: Stores, settings: Settings) -> None:
    await _fill(stores)
    both = (_rebuilt(settings, "all") for _ in range(2))
    assert await asyncio.gather(*both) == [0, 0]
    await stores.projector.caught_up()
    assert await _drift(stores) == {}
    generations = await stores.memory.backlog.generations()
    assert [each.is_serving for each in generations] == [True] * 10


async def test_what_was_begun_for_another_embedder_is_given_up(
    stores: Stores, settings: Settings, servers: EmbeddedStores
) -> None:
    await _fill(stores)
    slow = SlowEmbedder()
    slow.fingerprint = OtherEmbedder.fingerprint
    rebuilding = asyncio.create_task(_rebuilt(settings, "vectors", _with(slow)))
    await _begun(stores)
    assert await _rebuilt(settings, "vectors") == 0
    slow.may.set()
    with pytest.raises(RebuildReplaced):
        await rebuilding
    async with open_stores(settings, LETTERS) as others:
        assert await _drift(others) == {}
    await stores.projector.caught_up()
    assert await _drift(stores) == {}
    assert _makings(await _collections(servers), "message") == {"-g3"}


async def test_what_was_set_aside_is_tried_again(stores: Stores, settings: Settings) -> None:
    (first, *_) = await _fill(stores)
    backlog = stores.memory.backlog
    await stores.memory.vectors.delete_items(TENANT, "message", first.anchor, [first.uid])
    await backlog.owe(TENANT, ["vectors"], [first.uid])
    (owed,) = await backlog.take_these("vectors", 1, TENANT, "me", [first.uid])
    await backlog.set_aside("vectors", 1, owed, "it cannot be embedded")
    assert await _rebuilt(settings, "vectors") == 0
    assert await backlog.aside([TENANT], 10) == []
    await stores.projector.caught_up()
    assert await _drift(stores) == {}


async def test_other_tenants_vectors_are_made_anew_with_ours(
    stores: Stores, settings: Settings
) -> None:
    await _fill(stores)
    theirs = settings.model_copy(update={"tenant": OTHER})
    said = _say("The mill is closed.", sender="ana", tenant=OTHER)
    async with open_stores(theirs, LETTERS) as others:
        await others.memory.ledger.record([said], history=True)
        await others.projector.caught_up()
        assert await _rebuilt(settings, "vectors") == 0
        await others.projector.caught_up()
        assert await others.memory.vectors.count(OTHER, "message") == 1


def test_bad_input_is_refused() -> None:
    from typer.testing import CliRunner

    assert CliRunner().invoke(app, ["rebuild", "everything"]).exit_code == 2
