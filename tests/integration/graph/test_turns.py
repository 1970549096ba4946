"""Turns on real stores: once each, resumed, never mixed up, never from our own account."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from graph.agent import Agent, Failed, Finished, NodeDone, Stored
from graph.bootstrap import agent_on
from graph.personas import PersonaFile
from graph.stores import Stores
from memory.domain.chats import Actor, Message, Quote
from memory.errors import ModelUnavailable
from memory.projection.importing import import_batches
from nodes.prompts import read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


def _said(agent: Agent, text: str, **rest: object) -> Message:
    return message(text, tenant=agent.stores.settings.tenant, **rest)  # type: ignore[arg-type]


async def _run(agent: Agent, said: Message) -> list[object]:
    return [event async for event in agent.send(said)]


async def _finished(agent: Agent, said: Message) -> Finished:
    last = (await _run(agent, said))[-1]
    assert isinstance(last, Finished), last
    return last


async def _count(stores: Stores, query: str) -> int:
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(query.encode(), [stores.settings.tenant])
        row = await cursor.fetchone()
    return int(row["n"]) if row else 0


async def test_a_message_is_answered_stored_and_filed(agent: Agent) -> None:
    said = _said(agent, "My name is Alex.")
    events = await _run(agent, said)
    nodes = [event.node for event in events if isinstance(event, NodeDone)]
    assert nodes == ["normalize", "policy_gate", "retrieve", "generate", "store", "extract"]
    rows = await agent.stores.memory.ledger.since(said.chat, 0, 10)
    assert [(r.message.actor, r.message.text) for r in rows] == [
        (Actor.CONTACT, "My name is Alex."),
        (Actor.AGENT, "ok 1"),
    ]
    (receipt,) = await agent.receipts(said.chat)
    assert receipt.reply_uid == rows[1].uid
    (delivery,) = await agent.stores.memory.outbox.listing(said.chat.tenant, "queued")
    assert delivery.text == "ok 1"


async def test_the_reply_may_leave_before_anything_is_learned(agent: Agent) -> None:
    said = _said(agent, "My name is Alex.")
    tenant = said.chat.tenant
    seen = []
    async for event in agent.send(said):
        if isinstance(event, Stored):
            queued = await agent.stores.memory.outbox.listing(tenant, "queued")
            learned = await agent.stores.memory.facts.history(tenant, said.contact_id)
            seen.append(([delivery.text for delivery in queued], learned))
    assert seen == [(["ok 1"], [])]
    (fact,) = await agent.stores.memory.facts.active(tenant, said.contact_id)
    assert (fact.key, fact.value) == ("name", "Alex")


async def test_the_same_message_again_changes_nothing(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = _said(agent, "hello")
    await _finished(agent, said)
    again = await _finished(agent, said)
    assert again.decision == "record"
    assert len(model.prompts) == 1
    assert await _count(agent.stores, "select count(*) n from messages where tenant = %s") == 2
    assert await _count(agent.stores, "select count(*) n from outbox where tenant = %s") == 1


async def test_one_message_sent_by_two_runs_at_once_is_answered_once(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = _said(agent, "hello")
    other = agent_on(agent.stores)
    ends = await asyncio.gather(_finished(agent, said), _finished(other, said))
    assert sorted(end.decision for end in ends) == ["record", "respond"]
    assert len(model.prompts) == 1


@pytest.mark.parametrize("actor", [Actor.OWNER, Actor.AUTOMATION, Actor.SYSTEM, Actor.AGENT])
async def test_our_own_account_is_recorded_and_never_answered(
    agent: Agent, model: ScriptedChatModel, actor: Actor
) -> None:
    said = _said(agent, "I am allergic to nuts", actor=actor)
    assert (await _finished(agent, said)).decision == "record"
    assert model.prompts == []
    assert await agent.stores.memory.vectors.count(said.chat.tenant, "message") == 0
    assert await agent.stores.memory.facts.history(said.chat.tenant, said.contact_id) == []
    assert len(await agent.stores.memory.ledger.since(said.chat, 0, 10)) == 1


async def test_an_echo_confirms_its_delivery_and_adds_no_row(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = _said(agent, "hello")
    await _finished(agent, said)
    (delivery,) = await agent.stores.memory.outbox.take([said.chat.tenant], ["waha"], "test")
    echo = _said(agent, delivery.text, actor=Actor.AUTOMATION)
    for _ in range(2):
        await _finished(agent, echo)
    assert len(model.prompts) == 1
    assert len(await agent.stores.memory.ledger.since(said.chat, 0, 10)) == 2
    (sent,) = await agent.stores.memory.outbox.listing(said.chat.tenant, "sent")
    assert sent.sent_message_id == echo.message_id


async def test_a_message_from_the_far_future_is_of_when_it_came(agent: Agent) -> None:
    now, tenant = agent.stores.clock(), agent.stores.settings.tenant

    async def kept(sent_at: datetime) -> datetime:
        said = replace(message("hello", tenant=tenant), sent_at=sent_at)
        await agent.take_in(said)
        (stored,) = await agent.stores.memory.ledger.messages(tenant, [said.uid])
        return stored.message.sent_at

    soon = now + timedelta(hours=12)
    assert await kept(soon) == soon
    assert await kept(now.replace(year=5138)) - now < timedelta(minutes=1)


async def test_what_waits_from_one_sender_becomes_one_turn(
    agent: Agent, model: ScriptedChatModel
) -> None:
    first, second = _said(agent, "one"), _said(agent, "two")
    await agent.stores.memory.ledger.record([first, second])
    await _finished(agent, first)
    assert (await _finished(agent, second)).decision == "record"
    assert len(model.prompts) == 1
    assert [m.text for m in model.prompts[0]][-2:] == ["one", "two"]


async def test_a_failed_model_call_is_kept_and_can_be_retried(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script(RuntimeError("boom"))
    said = _said(agent, "hello")
    failed = (await _run(agent, said))[-1]
    assert isinstance(failed, Failed)
    (turn,) = await agent.stores.memory.turns.in_state(said.chat.tenant, "failed")
    assert (turn.turn_id, turn.reason) == (failed.turn_id, "RuntimeError")
    assert await agent.stores.memory.turns.failed([said.chat.tenant], turn.turn_id) == turn
    assert await agent.stores.memory.turns.failed(["another tenant"], turn.turn_id) is None
    events = [event async for event in agent.retry(failed.turn_id)]
    assert isinstance(events[-1], Finished)
    assert events[-1].reply == "ok 2"
    assert await agent.stores.memory.turns.in_state(said.chat.tenant, "failed") == []
    assert await _count(agent.stores, "select count(*) n from outbox where tenant = %s") == 1


async def test_a_bug_of_ours_is_no_outage_and_ends_its_turn(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script(ValueError("the secret words"), "second answer")
    first, second = _said(agent, "first"), _said(agent, "second")
    failed = (await _run(agent, first))[-1]
    assert isinstance(failed, Failed)
    assert (failed.reason, failed.is_outage) == ("ValueError", False)
    assert not await agent.stores.saver.is_unfinished(first.chat.thread_id)
    assert (await _finished(agent, second)).reply == "second answer"
    shown = [shown.text for shown in model.prompts[1][1:]]
    assert len(model.prompts) == 2
    assert [text for text in shown if "first" in text] != []


async def test_unfinished_work_comes_before_new_input(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script(
        *[ModelUnavailable()] * agent.stores.settings.model_attempts,
        "first answer",
        "second answer",
    )
    first, second = _said(agent, "first"), _said(agent, "second")
    await _run(agent, first)
    ends = [e for e in await _run(agent, second) if isinstance(e, Finished)]
    assert [(end.reply, end.resumed) for end in ends] == [
        ("first answer", True),
        ("second answer", False),
    ]
    rows = await agent.stores.memory.ledger.since(first.chat, 0, 10)
    assert sum(row.message.actor is Actor.AGENT for row in rows) == 2


async def test_recalled_text_is_in_the_prompt_and_not_in_the_checkpoint(
    agent: Agent, model: ScriptedChatModel
) -> None:
    secret = "The zebra password is heliotrope"
    await _finished(agent, _said(agent, secret, chat="old", channel="waha"))
    asked = _said(agent, "what was the zebra password?", chat="new")
    await _finished(agent, asked)
    assert "heliotrope" in model.prompts[1][0].text
    query = (
        "select string_agg(checkpoint::text, '') || coalesce((select string_agg(encode(blob,"
        " 'escape'), '') from checkpoint_writes w where w.thread_id = c.thread_id), '')"
        " || coalesce((select string_agg(encode(blob, 'escape'), '') from checkpoint_blobs b"
        " where b.thread_id = c.thread_id), '') as text"
        " from checkpoints c where thread_id = %s group by thread_id"
    )
    async with agent.stores.pool.connection() as connection:
        cursor = await connection.execute(query.encode(), [asked.chat.thread_id])
        row = await cursor.fetchone()
    assert row is not None
    assert "zebra" in row["text"]
    assert "heliotrope" not in row["text"]


async def test_a_group_never_hears_what_was_said_in_private(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _finished(agent, _said(agent, "I live in Lisbon and my pin is 7391", sender="ana"))
    asked = _said(agent, "where do I live? my pin?", chat="g", is_group=True, mentions_agent=True)
    await _finished(agent, asked)
    assert "Lisbon" not in model.prompts[1][0].text
    assert "7391" not in model.prompts[1][0].text


async def test_people_and_tenants_are_kept_apart(agent: Agent, model: ScriptedChatModel) -> None:
    await _finished(agent, _said(agent, "My cat is called Tofu", chat="ana", sender="ana"))
    await _finished(agent, _said(agent, "what is my cat called?", chat="bo", sender="bo"))
    other = replace(_said(agent, "what is my cat called?").chat, tenant="someone-else")
    await _finished(agent, replace(_said(agent, "what is my cat called?"), chat=other))
    _, of_another, of_another_tenant = model.prompts
    assert "Tofu" not in of_another[0].text
    assert "Tofu" not in of_another_tenant[0].text


@pytest.mark.parametrize("addressing", [0, 1, 2])
async def test_in_a_group_the_message_that_addresses_the_agent_is_quoted(
    agent: Agent, addressing: int
) -> None:
    burst = [
        _said(agent, text, chat="g", is_group=True, mentions_agent=n == addressing, minutes=n)
        for n, text in enumerate(("so tired today", "what time is it?", "and I forgot my keys"))
    ]
    await agent.stores.memory.ledger.record(burst)
    done = await _finished(agent, burst[0])
    reply = (await agent.stores.memory.ledger.since(burst[0].chat, 0, 10))[-1].message
    assert (reply.actor, reply.text) == (Actor.AGENT, done.reply)
    assert reply.quote == Quote(burst[addressing].message_id)


async def test_a_quoted_message_is_shown_with_the_lines_before_it(
    agent: Agent, model: ScriptedChatModel
) -> None:
    lines = [
        _said(agent, f"line {n}", chat="g", is_group=True, message_id=f"m{n}") for n in range(30)
    ]
    await agent.stores.memory.ledger.record(lines, history=True)
    asked = _said(
        agent, "and this?", chat="g", is_group=True, mentions_agent=True, quote=Quote("m4")
    )
    await _finished(agent, asked)
    quoted = read_memory(model.prompts[0][0].text).quoted
    assert [line.text for line in quoted] == ["line 1", "line 2", "line 3", "line 4"]


async def test_a_long_neighbour_does_not_fill_the_prompt(
    agent: Agent, model: ScriptedChatModel
) -> None:
    essay = _said(agent, "word " * 5000, actor=Actor.AGENT)
    lines = [_said(agent, "my heron is called Otto"), essay]
    await import_batches(agent.stores.memory, agent.stores.projector, [lines])
    asked = _said(agent, "what is my heron called?", chat="elsewhere")
    await _finished(agent, asked)
    system = model.prompts[0][0].text
    assert "Otto" in system
    assert len(system) < 4000


async def test_the_window_stays_bounded(agent: Agent, model: ScriptedChatModel) -> None:
    for number in range(15):
        await _finished(agent, _said(agent, f"message {number}", channel="web"))
    assert len(model.prompts[-1]) <= 1 + agent.stores.settings.window
    state = await agent.graph.aget_state(
        {"configurable": {"thread_id": _said(agent, "x", channel="web").chat.thread_id}}
    )
    assert len(state.values["messages"]) <= agent.stores.settings.window + 1


@pytest.mark.parametrize("text", ["👍🎉", "مرحبا كيف حالك", "a\x00b", "\ud800", "x" * 300_000])
async def test_odd_texts_are_stored_and_answered(agent: Agent, text: str) -> None:
    assert (await _finished(agent, _said(agent, text))).decision == "respond"


async def test_a_turn_is_wired_once(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    async def persona(_: PersonaFile) -> str:
        read.append("persona")
        return "A warm assistant."

    monkeypatch.setattr(PersonaFile, "text", persona)
    assert (await _finished(agent, _said(agent, "hello"))).reply == "ok 1"
    assert read == ["persona"]
