"""Projections follow the ledger, whatever breaks on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.domain.drift import Compared
from memory.domain.projections import ProjectionName
from memory.errors import StoreUnavailable
from memory.ports.projections import Projection
from memory.projection.fact_vectors import FactVectors
from memory.projection.facts import ContactFacts
from memory.projection.projector import Pace, Projector
from memory.projection.vectors import MessageVectors
from nodes import extract
from tests.fakes.chat_model import ScriptedChatModel
from tests.integration.server.running import eventually
from tests.messages import START, message

pytestmark = pytest.mark.anyio
PACE = Pace(batch=8, poll_s=0.1, gather_s=0.02, retry_s=0.05, retry_cap_s=0.1)


@pytest.fixture
async def stores(settings: Settings, model: ScriptedChatModel) -> AsyncIterator[Stores]:
    async with open_stores(settings, Overrides(model=model), projects=False) as opened:
        yield opened


@dataclass
class Faulty(Projection):
    """A projection that does as another one does, unless it is told to fail."""

    sound: Projection
    fails_with: Exception | None = None
    fails_for: set[str] = field(default_factory=set)
    waits_s: float = 0.0
    reads_as: str = ""
    calls: list[list[str]] = field(default_factory=list)

    @property
    def name(self) -> ProjectionName:
        return self.sound.name

    @property
    def fingerprint(self) -> str:
        return self.reads_as or self.sound.fingerprint

    async def project_said(self, tenant: str, messages: Sequence[Message], generation: int) -> int:
        await self._do([message.uid for message in messages])
        return await self.sound.project_said(tenant, messages, generation)

    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        await self._do(items)
        return await self.sound.project(tenant, items, generation)

    async def _do(self, items: Sequence[str]) -> None:
        self.calls.append(list(items))
        await asyncio.sleep(self.waits_s)
        if self.fails_with is not None:
            raise self.fails_with
        if self.fails_for & set(items):
            raise ValueError("one of these is poison")

    def serve(self, generation: int) -> None:
        self.sound.serve(generation)

    async def drop(self, kept: Collection[int]) -> None:
        await self.sound.drop(kept)

    def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        return self.sound.everything(tenant)

    async def parts(self, tenant: str) -> Sequence[str]:
        return await self.sound.parts(tenant)

    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        return await self.sound.compare(tenant, generation, part)


def _parts(stores: Stores) -> tuple[Faulty, Faulty, Faulty]:
    memory = stores.memory
    sound = (MessageVectors(memory), ContactFacts(memory, stores.clock), FactVectors(memory))
    vectors, facts, fact_vectors = (Faulty(each) for each in sound)
    return vectors, facts, fact_vectors


@asynccontextmanager
async def _running(stores: Stores, parts: Sequence[Projection]) -> AsyncIterator[Projector]:
    projector = Projector(stores.memory, parts, [stores.settings.tenant], PACE)
    task = asyncio.create_task(projector.run())
    try:
        yield projector
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _record(stores: Stores, count: int) -> list[Message]:
    said = [
        message(f"I live in Town{n}.", tenant=stores.settings.tenant, sender=f"s{n}", chat=f"s{n}")
        for n in range(count)
    ]
    await stores.memory.ledger.record(said, history=True)
    return said


async def _waiting(stores: Stores, name: ProjectionName) -> int:
    return (await stores.memory.backlog.arrears([stores.settings.tenant]))[name].waiting


async def test_an_outage_of_one_store_holds_up_no_other_projection(stores: Stores) -> None:
    vectors, facts, fact_vectors = _parts(stores)
    vectors.fails_with = StoreUnavailable("RECOLLECT_CHROMA_URL", "there", "gone")
    tenant = stores.settings.tenant
    said = await _record(stores, 3)
    async with _running(stores, [vectors, facts, fact_vectors]) as projector:
        await projector.caught_up("facts", "fact_vectors")
        assert await _waiting(stores, "vectors") == 3
        (fact,) = await stores.memory.facts.active(tenant, said[0].contact_id)
        assert fact.value == "Town0"
        assert await stores.memory.vectors.count(tenant, "knowledge") == 3
        with pytest.raises(StoreUnavailable):
            await projector.caught_up()
        vectors.fails_with = None

        async def is_done() -> bool:
            return await _waiting(stores, "vectors") == 0

        assert await eventually(is_done)
    assert await stores.memory.vectors.count(tenant, "message") == 3


async def test_what_another_embedder_serves_is_not_waited_for_in_vain(
    stores: Stores, caplog: pytest.LogCaptureFixture
) -> None:
    vectors, facts, _ = _parts(stores)
    vectors.reads_as = "another embedder"
    tenant, pace = stores.settings.tenant, replace(PACE, others_s=0.2)
    (said,) = await _record(stores, 1)
    projector = Projector(stores.memory, [vectors, facts], [tenant], pace)
    async with asyncio.timeout(20):
        assert not await projector.caught_up()
        assert await projector.caught_up("facts")
    assert await _waiting(stores, "vectors") == 1
    assert await stores.memory.facts.active(tenant, said.contact_id)
    assert caplog.messages == ["vectors wait for a process with their embedder"]


async def test_what_another_embedder_is_busy_with_is_waited_for(stores: Stores) -> None:
    vectors, theirs = _parts(stores)[0], _parts(stores)[0]
    vectors.reads_as, theirs.waits_s = "another embedder", 0.4
    tenant, pace = stores.settings.tenant, replace(PACE, others_s=2.0)
    said = await _record(stores, 6 * PACE.batch)
    # Due at once, which the others would wait for otherwise.
    await stores.memory.backlog.owe(tenant, ["vectors"], [each.uid for each in said])
    projector = Projector(stores.memory, [vectors], [tenant], pace)
    async with _running(stores, [theirs]):
        assert await projector.caught_up()
    assert await _waiting(stores, "vectors") == 0
    assert len(theirs.calls) * theirs.waits_s > pace.others_s


async def test_what_fails_for_good_is_set_aside_alone(stores: Stores) -> None:
    vectors, facts, fact_vectors = _parts(stores)
    said = await _record(stores, 20)
    vectors.fails_for = {said[7].uid}
    tenant = stores.settings.tenant
    async with _running(stores, [vectors, facts, fact_vectors]) as projector:
        await projector.caught_up()
        assert await stores.memory.vectors.count(tenant, "message") == 19
        (aside,) = await stores.memory.backlog.aside([tenant], 9)
        assert (aside.projection, aside.item, aside.reason) == (
            "vectors",
            said[7].uid,
            "ValueError",
        )
        vectors.fails_for = set()
        await stores.memory.backlog.owe(tenant, ["vectors"], [said[7].uid])
        await projector.caught_up()
    assert await stores.memory.vectors.count(tenant, "message") == 20


async def test_turns_ask_no_fact_store_that_is_known_to_be_gone(
    stores: Stores, model: ScriptedChatModel
) -> None:
    _, facts, _ = _parts(stores)
    facts.fails_with = StoreUnavailable("RECOLLECT_NEO4J_URI", "there", "gone")
    tenant = stores.settings.tenant
    model.script("Noted.")
    async with _running(stores, [facts]) as projector:
        await _record(stores, 1)
        await stores.memory.backlog.owe(tenant, ["facts"], ["contact:nobody"])
        assert await eventually(lambda: projector.falls_behind("facts"))
        agent = agent_on(replace(stores, projector=projector))
        said = agent.local_message("I live in Leeds.")
        kinds = [type(event).__name__ async for event in agent.send(said)]
        assert kinds[-1] == "Finished"
        assert not [call for call in facts.calls if said.uid in call]
        facts.fails_with = None
        assert await eventually(lambda: not projector.falls_behind("facts"))
        await projector.caught_up()
    (fact,) = await stores.memory.facts.active(tenant, said.contact_id)
    assert fact.value == "Leeds"


async def test_what_others_caught_up_with_is_no_failure_any_more(stores: Stores) -> None:
    _, facts, _ = _parts(stores)
    facts.fails_with = StoreUnavailable("RECOLLECT_NEO4J_URI", "there", "gone")
    async with _running(stores, [facts]) as projector:
        await _record(stores, 1)
        await stores.memory.backlog.owe(stores.settings.tenant, ["facts"], ["contact:nobody"])
        assert await eventually(lambda: projector.falls_behind("facts"))
        await stores.projector.caught_up()
        assert await eventually(lambda: not projector.falls_behind("facts"))


async def test_new_rules_of_reading_go_on_with_the_facts_that_older_ones_read(
    stores: Stores,
) -> None:
    _, facts, _ = _parts(stores)
    facts.reads_as = "rules/0"
    (said,) = await _record(stores, 1)
    await Projector(stores.memory, [facts], [said.chat.tenant], PACE).caught_up("facts")
    assert len(await stores.memory.facts.active(said.chat.tenant, said.contact_id)) == 1


async def test_several_projectors_share_the_work(stores: Stores) -> None:
    said = await _record(stores, 60)
    both = [_parts(stores)[0], _parts(stores)[0]]
    async with _running(stores, [both[0]]) as one, _running(stores, [both[1]]) as two:
        await asyncio.gather(one.caught_up("vectors"), two.caught_up("vectors"))
    taken = {item for each in both for call in each.calls for item in call}
    assert taken == {each.uid for each in said}
    assert all(each.calls for each in both)
    assert await stores.memory.vectors.count(stores.settings.tenant, "message") == 60


async def test_the_text_of_an_edit_in_the_middle_of_a_batch_is_what_is_found(
    stores: Stores,
) -> None:
    vectors = _parts(stores)[0]
    (said,) = await _record(stores, 1)
    vectors.waits_s = 0.2
    async with _running(stores, [vectors]) as projector:
        working = asyncio.create_task(projector.caught_up("vectors"))
        await asyncio.sleep(0.1)
        at = START + timedelta(minutes=1)
        author = (said.sender_id,)
        text = "My cat is called Ophelia."
        change = Change(said.chat, said.message_id, "edit", "a", text, author, False, at)
        assert await stores.memory.revisions.change(change, at) == "applied"
        await working
        await projector.caught_up("vectors")  # on a busy machine the edit came behind the batch
    (vector,) = await stores.memory.embedder.embed([text])
    (hit,) = await stores.memory.vectors.search(
        said.chat.tenant, "message", [said.anchor], vector, 5
    )
    assert hit.score == pytest.approx(1.0, abs=1e-3)


async def test_a_projector_that_is_stopped_gives_back_what_it_had(stores: Stores) -> None:
    vectors = _parts(stores)[0]
    await _record(stores, 3)
    vectors.waits_s = 30
    async with _running(stores, [vectors]):

        async def is_working() -> bool:
            return bool(vectors.calls)

        await stores.memory.backlog.owe(stores.settings.tenant, ["vectors"], ["anchor:none"])
        assert await eventually(is_working)
    taken = await stores.memory.backlog.take(
        "vectors", 1, [stores.settings.tenant], "another", 9, early=True
    )
    assert len(taken) == 4


async def test_a_turn_does_not_wait_for_facts_that_take_long(
    stores: Stores, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extract, "PATIENCE_S", 0.2)
    facts = _parts(stores)[1]
    facts.waits_s = 30
    slow = Projector(stores.memory, [facts], [stores.settings.tenant], PACE)
    agent = agent_on(replace(stores, projector=slow))
    model.script("Noted.")
    said = agent.local_message("I live in Leeds.")
    async with asyncio.timeout(10):
        kinds = [type(event).__name__ async for event in agent.send(said)]
    assert kinds[-1] == "Finished"
    await stores.projector.caught_up()
    (fact,) = await stores.memory.facts.active(said.chat.tenant, said.contact_id)
    assert fact.value == "Leeds"


async def test_a_tenant_that_a_caller_names_is_served_from_its_first_turn_on(
    stores: Stores,
) -> None:
    vectors, facts, _ = _parts(stores)
    (said,) = await _record(stores, 1)
    nobodys = Projector(stores.memory, [vectors, facts], [], PACE)
    await nobodys.caught_up()
    assert vectors.calls == []
    await nobodys.take_in_said("facts", said.chat.tenant, [said])
    await nobodys.caught_up()
    assert vectors.calls == [[said.uid]]


async def test_vectors_go_where_an_anchor_goes_and_extra_ones_are_deleted(stores: Stores) -> None:
    tenant = stores.settings.tenant
    said = message("I live in Leeds.", tenant=tenant, chat="hidden", sender="hidden")
    await stores.memory.ledger.record([said], history=True)
    await stores.projector.caught_up()
    await stores.memory.moves.rename_contact(tenant, "waha", "hidden", "ana")
    await stores.projector.caught_up()
    index = stores.memory.vectors
    assert await index.items(tenant, "message", "contact:waha:hidden") == {}
    assert set(await index.items(tenant, "message", "contact:waha:ana")) == {f"{said.uid}#0"}
