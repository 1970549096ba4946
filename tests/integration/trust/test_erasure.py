"""A person is erased: no store holds anything of them, and what is others' is as before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final
from uuid import uuid4

import pytest

from graph.agent import Agent
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Actor, Pair, Quote
from memory.domain.erasures import Erasure, Looked, Needles, probe_line
from memory.domain.recalls import VectorItem
from memory.domain.work import AuditLine
from memory.errors import ImportErased
from memory.ports.recall import VectorKind
from memory.postgres import identities
from memory.postgres.identities import PostgresIdentities
from memory.recall.recall import Scope, recall
from memory.trust.erasure import ErasureBusy, Pace, erase
from memory.trust.exporting import UnknownContact
from memory.trust.traces import VectorTraces
from memory.trust.verify import verify
from tests.fakes.chat_model import ScriptedChatModel
from tests.integration.conftest import on_neo4j
from tests.integration.trust.life import (
    BARE,
    GROUP,
    HER,
    HIM,
    IN_GROUP,
    LID,
    OTHER,
    SECRET,
    answered,
    erased,
    hers,
    his,
    live,
    plan,
    transcript,
)
from tests.messages import START

pytestmark = pytest.mark.anyio

UID: Final = "4c8f7a52-3f5b-5d0e-9d58-0c5a3f6d7e21"
SCOPES: Final = (f"waha/phone/{BARE}", "waha")


@pytest.fixture(params=["postgres", "neo4j"])
async def agent(
    request: pytest.FixtureRequest, settings: Settings, model: ScriptedChatModel
) -> AsyncIterator[Agent]:
    """An agent on either store of facts, after her life and his."""
    chosen = on_neo4j(settings) if request.param == "neo4j" else settings
    async with open_stores(chosen, Overrides(model=model)) as stores:
        agent = agent_on(stores)
        await live(agent)
        yield agent


async def _his(agent: Agent) -> object:
    """Return what he is reminded of, of his own, what is known of him, and his chat."""
    stores = agent.stores
    tenant, memory = stores.settings.tenant, stores.memory
    scope = Scope(tenant, HIM, f"contact:{HIM}", is_group=False)
    found = await recall(memory, scope, "where do I live, and my dog", START, 10)
    uids = [each.item_id for each in found.entries if each.kind == "message"]
    hers_among = {
        each.uid
        for each in await memory.ledger.messages(tenant, uids)
        if each.message.contact_id == HER
    }
    recalled = [each.item_id for each in found.entries if each.item_id not in hers_among]
    facts = await memory.all_facts.history(tenant, HIM)
    entities = await memory.entities.of(tenant, HIM)
    return recalled, facts, entities, await transcript(stores, OTHER)


async def test_every_store_is_asked_and_none_has_anything(
    agent: Agent, model: ScriptedChatModel
) -> None:
    stores = agent.stores
    tenant, memory = stores.settings.tenant, stores.memory
    before = await _his(agent)
    assert IN_GROUP in await transcript(stores)
    receipt = await erased(stores)
    assert receipt.is_done, receipt
    assert receipt.left == {}
    assert receipt.places > 200
    counted = {"messages": 16, "chats": 3, "quotes by others": 1, "ids": 1, "imports": 1}
    assert counted.items() <= receipt.counts.items()
    assert receipt.counts["chroma message"] == 8
    assert await _his(agent) == before
    assert await transcript(stores) == [
        "Where is that?",
        "ok 7",
        "I saw a whale from the pier.",
        "ok 8",
    ]
    rows = await memory.ledger.since(hers(stores, "", chat=GROUP).chat, 0, 10)
    assert not any(each.message.quote and each.message.quote.text for each in rows)
    assert await memory.all_facts.rows(tenant, HER) == []
    assert HER not in await memory.contact_states.contacts(tenant)
    (line,) = [each for each in await memory.audit.listing(tenant, 50) if each.outcome == "erased"]
    assert line.detail == receipt.erasure_id
    assert [len(await memory.policies.history(tenant, scope)) for scope in SCOPES] == [0, 1]
    (kept,) = await memory.policies.history(tenant, "waha")
    assert kept.layer.blocked == frozenset({"4900"})
    assert len(await memory.events.kept([tenant], 10)) == 1
    reports = [each async for each in verify(memory, stores.projector.projections, [tenant], 3)]
    assert all(each.is_clean and not each.waiting for each in reports), reports
    with pytest.raises(UnknownContact, match=f"nothing is kept of {HER}"):
        await erased(stores)
    group = {"chat": GROUP, "is_group": True, "mentions_agent": True}
    await answered(agent, his(stores, "And what did I see?", minutes=20, **group))
    told = str(model.prompts[-1])
    assert "I saw a whale from the pier." in told
    assert "Matilda" not in told
    assert "Whitby" not in told


@pytest.mark.parametrize("agent", ["postgres"], indirect=True)
async def test_nothing_comes_back_and_she_may_begin_anew(agent: Agent) -> None:
    stores = agent.stores
    tenant, memory, now = stores.settings.tenant, stores.memory, stores.clock()
    said = hers(stores, "I keep bees.", message_id="B1", minutes=30)
    await answered(agent, said)
    await erased(stores)
    again = [said, hers(stores, IN_GROUP, minutes=10, message_id="G1", chat=GROUP, is_group=True)]
    for each in again:
        assert (await agent.take_in(each)).outcome == "known"
    (recorded,) = await memory.ledger.record([said], history=True)
    assert not recorded.is_new
    edit = Change(said.chat, "B1", "edit", "B2", "I keep wasps.", (BARE,), False, now)
    assert await memory.revisions.change(edit, now) == "known"
    typed = replace(said, actor=Actor.OWNER, from_me=True, sender_id="1@c.us")
    assert (await agent.take_in(typed)).outcome == "known"
    reaction = replace(said, message_id="reaction-1", actor=Actor.SYSTEM, text="[reaction]")
    assert (await agent.take_in(reaction, about=said.uid)).outcome == "known"
    pair = Pair(tenant, "waha", "phone", LID, BARE)
    assert await memory.identities.learn([pair], "test", said.uid) == []
    assert (await memory.erasures.extent(tenant, HER)).is_empty
    with pytest.raises(ImportErased):
        await memory.imports.begin(plan(stores, HER, "hers"))
    assert (await memory.erasures.extent(tenant, HER)).is_empty
    quote = Quote("G1", IN_GROUP, BARE)
    told = replace(his(stores, "As she said.", chat=GROUP, is_group=True, minutes=40), quote=quote)
    await memory.ledger.record([told], history=True)
    (kept,) = await memory.ledger.messages(tenant, [told.uid])
    assert kept.message.quote is None
    for projection in stores.projector.projections:
        async for items in projection.everything(tenant):
            await memory.backlog.owe(tenant, [projection.name], items)
    await stores.projector.caught_up()
    needles = Needles(HER, frozenset({HER, BARE}), texts=(SECRET,))
    for store in memory.traces:
        assert (await store.look(tenant, needles)).left == {}, store.store
    await answered(agent, hers(stores, "Hello, I am new here.", minutes=50))
    assert (await transcript(stores, BARE))[0] == "Hello, I am new here."


async def test_what_is_left_anywhere_is_found(stores: Stores) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    needles = Needles(HER, frozenset({HER, BARE}), frozenset({UID}), (SECRET,))
    (vector,) = await memory.embedder.embed(["whatever"])
    item = VectorItem(f"{UID}#0", "contact:waha:somebody", vector, {"actor": BARE})
    await memory.vectors.upsert(tenant, "message", [item])
    await memory.audit.write(
        [AuditLine(tenant, "", "", "memory", "odd", f"of {HER}", stores.clock())]
    )
    said = replace(hers(stores, f"She said: {SECRET}"), contact_id="waha:x", sender_id="x")
    await memory.ledger.record([said], history=True)
    await memory.events.keep(tenant, "waha", "phone", "odd", f'"{UID}"'.encode())
    left = {each.store: (await each.look(tenant, needles)).left for each in memory.traces}
    found = {"messages.content", "audit.detail", "events.body", "sessions.chat_id"}
    assert found <= left["postgres"].keys(), left
    assert left["chroma"] == {"message": 1}


class Late(VectorTraces):
    """A look before which the write of somebody slow arrives, once."""

    async def look(self, tenant: str, needles: Needles) -> Looked:
        if needles.texts and (uid := next(iter(late), "")):
            late.clear()
            kinds: list[VectorKind] = ["message", "knowledge"]
            for kind, anchor in zip(kinds, (f"contact:{HER}", "group:waha:g"), strict=True):
                item = VectorItem(f"{uid}#0", anchor, (1.0,) + (0.0,) * 383, {"contact": HER})
                await self.vectors.upsert(tenant, kind, [item])
        return await VectorTraces.look(self, tenant, needles)


late: list[str] = []


@pytest.mark.parametrize("looks", [1, 3])
async def test_what_somebody_wrote_meanwhile_is_told_and_then_gone(
    stores: Stores, looks: int
) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    said = hers(stores, SECRET)
    await memory.ledger.record([said], history=True)
    late.append(said.uid)
    traces = (memory.traces[0], Late(memory.vectors, memory.backlog))
    slow = replace(memory, traces=traces)
    receipt = await erase(slow, stores.projector, tenant, HER, "api", Pace(looks=looks))
    if looks == 1:
        assert receipt.left == {"chroma message": 1, "chroma knowledge": 1}
        assert probe_line(receipt).endswith("found 1 in chroma knowledge, 1 in chroma message")
    assert receipt.is_done == (looks > 1), receipt


async def test_of_two_at_once_the_second_finds_nobody(stores: Stores) -> None:
    tenant, erasures = stores.settings.tenant, stores.memory.erasures
    await stores.memory.ledger.record([hers(stores, SECRET)], history=True)
    outcomes = await asyncio.gather(erased(stores), erased(stores), return_exceptions=True)
    done, refused = sorted(outcomes, key=lambda each: isinstance(each, Exception))
    assert isinstance(done, Erasure)
    assert done.is_done
    assert isinstance(refused, UnknownContact)
    # It had looked while there was something, and waited for the first one.
    assert await erasures.erase(tenant, HER, "cli", held=()) is None
    assert len(await erasures.receipts(tenant, 9)) == 1


async def test_a_turn_is_waited_for_and_goes_too(stores: Stores, model: ScriptedChatModel) -> None:
    agent, tenant = agent_on(stores), stores.settings.tenant
    said = hers(stores, SECRET)
    async with stores.memory.locks.hold(said.chat.thread_id):
        await stores.memory.ledger.record([said])
        with pytest.raises(ErasureBusy):
            await erase(stores.memory, stores.projector, tenant, HER, "cli", Pace(rest_s=0.3))
        waiting = asyncio.create_task(erased(stores))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        async for _ in agent.send_held(said):
            pass
    receipt = await waiting
    assert receipt.is_done
    assert receipt.counts["messages"] == 2
    assert await transcript(stores, BARE) == []


async def test_a_reply_being_sent_is_waited_for_and_its_echo_is_one(stores: Stores) -> None:
    agent, memory, tenant = agent_on(stores), stores.memory, stores.settings.tenant
    await answered(agent, hers(stores, SECRET))
    async with memory.locks.hold("a sender"):
        (taken,) = await memory.outbox.take([tenant], ["waha"], "a sender")
        with pytest.raises(ErasureBusy):
            await erase(memory, stores.projector, tenant, HER, "cli", Pace(rest_s=0.5))
    receipt = await erased(stores)
    assert receipt.counts["deliveries"] == 1
    await memory.outbox.settle(taken, "sent", "SENT-1")
    echo = replace(
        hers(stores, taken.text, message_id="ECHO-1"), actor=Actor.AUTOMATION, from_me=True
    )
    assert (await agent.take_in(echo)).outcome == "echo"
    assert (await memory.erasures.extent(tenant, HER)).is_empty
    other = replace(echo, message_id="ECHO-2", text="typed by hand")
    assert (await agent.take_in(other)).outcome == "new"


async def test_what_others_wait_for_in_a_group_is_answered_anew(stores: Stores) -> None:
    agent, memory, tenant = agent_on(stores), stores.memory, stores.settings.tenant
    group: dict[str, object] = {"chat": GROUP, "is_group": True, "mentions_agent": True}
    await answered(agent, hers(stores, IN_GROUP, **group))
    asked = his(stores, "What did I miss?", minutes=1, **group)
    await memory.ledger.record([asked])
    await memory.ledger.claim(str(uuid4()), asked)
    await erased(stores)
    assert [each.uid for each in await memory.ledger.pending(asked.chat)] == [asked.uid]
    assert await memory.turns.in_state(tenant, "running") == []


async def test_a_store_that_is_down_is_owed_the_rest(
    settings: Settings, model: ScriptedChatModel
) -> None:
    async with open_stores(settings, Overrides(model=model)) as stores:
        await stores.memory.ledger.record([hers(stores, SECRET)], history=True)
        await stores.projector.caught_up()
    gone = settings.model_copy(update={"chroma_url": "http://127.0.0.1:9"})
    async with open_stores(gone, Overrides(model=model)) as stores:
        receipt = await erased(stores)
        assert not receipt.is_done
        assert receipt.owed
        assert probe_line(receipt).startswith("on its way: ")
    async with open_stores(settings, Overrides(model=model)) as stores:
        await stores.projector.caught_up()
        (now,) = await stores.memory.erasures.receipts(settings.tenant, 5)
        assert (now.owed, now.probed_at) == (0, None)
        assert "nobody has looked" in probe_line(now)
        anchored = await stores.memory.vectors.items(settings.tenant, "message", f"contact:{HER}")
        assert anchored == {}


async def test_who_types_at_this_machine_can_be_erased_too(stores: Stores) -> None:
    agent = agent_on(stores)
    await answered(agent, agent.local_message("I keep bees in Whitby.", "me"))
    receipt = await erased(stores, "web:me")
    assert receipt.is_done
    assert receipt.counts["messages"] == 2


async def test_ids_that_were_erased_elsewhere_are_learned_anew(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identities, "KNOWN_S", 0.2, raising=False)
    tenant, elsewhere = stores.settings.tenant, PostgresIdentities(stores.pool)
    pair = Pair(tenant, "waha", "phone", LID, BARE)
    assert await elsewhere.learn([pair], "test") == [pair]
    assert await elsewhere.learn([pair], "test") == []
    await erased(stores)
    await asyncio.sleep(0.3)
    assert await elsewhere.resolve(tenant, "waha", [LID]) == {}
    assert await elsewhere.learn([pair], "test") == [pair]
    assert await stores.memory.identities.resolve(tenant, "waha", [LID]) == {LID: BARE}


async def test_what_waited_for_the_erasure_leaves_no_chat_behind(stores: Stores) -> None:
    ledger, tenant = stores.memory.ledger, stores.settings.tenant
    said = hers(stores, SECRET)
    await ledger.record([said], history=True)
    async with stores.pool.connection() as connection:
        async with connection.transaction():
            await connection.execute("select from sessions where tenant = %s for update", [tenant])
            again = asyncio.create_task(ledger.record([said], history=True))
            await asyncio.sleep(0.3)
            assert not again.done()
            await connection.execute("delete from sessions where tenant = %s", [tenant])
            await connection.execute(
                "insert into tombstones (tenant, digest) values (%s, salted(%s))",
                [tenant, said.uid],
            )
        assert not (await again)[0].is_new
        cursor = await connection.execute(
            "select count(*) as n from sessions where tenant = %s", [tenant]
        )
        row = await cursor.fetchone()
    assert row == {"n": 0}


async def test_unread_webhooks_of_short_ids_are_erased_and_those_of_others_stay(
    stores: Stores,
) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    theirs = (
        b'{"update_id":7,"message":{"from":{"id":1234},"chat":{"id": 1234}}}',
        b'{"callback":{"sender_id":1234}}',
        b'{"from":"1234","text":"x',
        b'{"chat":"1234@c.us"}',
        b'{"from":"1234',
    )
    others = (
        b'{"update_id":1234,"message":{"message_id":1234,"from":{"id":12345}}}',
        b'{"from":"91234","text":"I was born in 1234.","date":1234}',
        b'{"lat":{"id":1234.5}}',
    )
    for body in (*theirs, *others):
        await memory.events.keep(tenant, "telegram", "bot", "odd", body)
    said = replace(hers(stores, SECRET), contact_id="telegram:1234", sender_id="1234")
    said = replace(said, chat=replace(said.chat, channel="telegram", chat_id="1234"))
    await memory.ledger.record([said], history=True)
    receipt = await erased(stores, "telegram:1234")
    assert (receipt.counts["unread webhooks"], receipt.is_done) == (len(theirs), True)
    kept = await memory.events.kept([tenant], 20)
    bodies = {await memory.events.body([tenant], each.event_id) for each in kept}
    assert bodies == set(others)
