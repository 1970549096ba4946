"""The last answer given again: one answer, in the old one's place, whatever comes between."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from graph.agent import Agent, Event, Failed, Finished, NodeDone, NothingToAnswerAgain
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Actor, Message, StoredMessage
from memory.domain.work import Claim
from memory.errors import ModelUnavailable
from memory.ports.uses import UseCount
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent(stores: Stores, model: ScriptedChatModel) -> Agent:
    model.script("Old words.", "New words.")
    return agent_on(stores)


async def _say(agent: Agent, text: str) -> Message:
    said = agent.local_message(text)
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return said


async def _again(agent: Agent, turn_id: str = "") -> list[Event]:
    return [event async for event in agent.answer_again(agent.local_chat(), turn_id)]


async def _lines(agent: Agent) -> list[StoredMessage]:
    return await agent.stores.memory.ledger.since(agent.local_chat(), 0, 20)


async def _texts(agent: Agent) -> list[str]:
    return [line.message.text for line in await _lines(agent)]


async def _window(agent: Agent) -> list[str]:
    config = {"configurable": {"thread_id": agent.local_chat().thread_id}}
    state = await agent.graph.aget_state(config)  # type: ignore[arg-type]
    return [line.text for line in state.values["messages"]]


async def _edit(agent: Agent, said: Message, text: str) -> None:
    # Later than what the test's own clock has counted by now: of two edits the later one counts.
    at = said.sent_at + timedelta(minutes=1)
    change = Change(said.chat, said.message_id, "edit", text, text, (said.sender_id,), False, at)
    assert await agent.stores.memory.revisions.change(change, at) == "applied"


async def test_the_new_answer_stands_where_the_old_one_stood(
    agent: Agent, model: ScriptedChatModel
) -> None:
    memory, tenant = agent.stores.memory, agent.stores.settings.tenant
    said = await _say(agent, "My name is Alex.")
    question, old = await _lines(agent)
    (receipt,) = await agent.receipts(said.chat)
    history = await memory.facts.history(tenant, said.contact_id)
    events = await _again(agent)
    nodes = [event.node for event in events if isinstance(event, NodeDone)]
    assert nodes == ["normalize", "policy_gate", "retrieve", "generate", "store"]
    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.reply, end.before) == ("New words.", "Old words.")
    asked, new = await _lines(agent)
    assert (asked.uid, asked.seq, asked.changes) == (question.uid, question.seq, 0)
    assert (new.uid, new.seq, new.message.text) == (old.uid, old.seq, "New words.")
    (before,) = await memory.revisions.history(tenant, new.uid)
    assert before.text_before == "Old words."
    assert await memory.replies.before(tenant, [new.uid, asked.uid]) == {new.uid: ["Old words."]}
    # Receipt, question and answer are the new turn's, and nothing is left of the old one's.
    (filed,) = await agent.receipts(said.chat)
    assert filed.turn_id == end.turn_id == asked.turn_id == new.turn_id != receipt.turn_id
    assert (filed.reply_uid, filed.query) == (new.uid, "My name is Alex.")
    assert await memory.facts.history(tenant, said.contact_id) == history
    assert await _window(agent) == ["My name is Alex.", "New words."]
    assert "Old words." not in "\n".join(part.text for part in model.prompts[-1])
    await _say(agent, "And now?")
    assert [m.text for m in model.prompts[-1]][1:] == ["My name is Alex.", "New words.", "And now?"]


@pytest.mark.parametrize("node", ["policy_gate", "generate", "store"])
async def test_killed_half_way_there_is_one_answer_and_after_the_next_start_the_new_one(
    agent: Agent, model: ScriptedChatModel, node: str
) -> None:
    await _say(agent, "Hello?")
    events = agent.answer_again(agent.local_chat())
    async for event in events:
        if event == NodeDone(node, getattr(event, "ms", 0)):
            break
    await events.aclose()
    assert await _texts(agent) == ["Hello?", "New words." if node == "store" else "Old words."]
    model.script("New words.")
    restarted = agent_on(agent.stores)
    _ = [event async for event in restarted.resume(agent.local_chat())]
    assert await _texts(agent) == ["Hello?", "New words."]
    assert await _window(agent) == ["Hello?", "New words."]
    assert len(await agent.receipts(agent.local_chat(), 9)) == 1
    assert not await agent.stores.memory.turns.in_state(agent.local_chat().tenant, "running")


async def test_asked_for_twice_at_once_it_is_given_once(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = await _say(agent, "Hello?")
    (receipt,) = await agent.receipts(said.chat)
    other = agent_on(agent.stores)
    ends = await asyncio.gather(_again(agent, receipt.turn_id), _again(other, receipt.turn_id))
    assert sorted(map(len, ends)) == [0, len(max(ends, key=len))]
    assert len(model.prompts) == 2
    (_, new) = await _lines(agent)
    assert (new.message.text, new.changes) == ("New words.", 1)


async def test_begun_and_ended_twice_it_is_done_once(agent: Agent) -> None:
    said = await _say(agent, "Hello?")
    (receipt,) = await agent.receipts(said.chat)
    replies, tenant, turn = agent.stores.memory.replies, said.chat.tenant, agent.stores.ids()
    reply = replace((await _lines(agent))[1].message, text="New words.")
    given = replace(receipt, turn_id=turn)
    for _ in range(2):
        claim = await replies.claim(turn, said, receipt.turn_id, window=9)
        assert [each.uid for each in claim.said] == [said.uid]
        assert [each.message.text for each in claim.window] == ["Hello?", "Old words."]
    assert await replies.replace(tenant, turn, receipt.turn_id, reply, given)
    assert not await replies.replace(tenant, turn, receipt.turn_id, reply, given)
    assert (await _lines(agent))[1].changes == 1
    late = agent.stores.ids()
    assert await replies.claim(late, said, receipt.turn_id) == Claim()
    assert not await replies.replace(tenant, late, receipt.turn_id, reply, given)
    assert await agent.receipts(said.chat, 9) == [given]


@pytest.mark.parametrize("is_outage", [True, False])
async def test_what_fails_leaves_the_old_answer_and_nothing_to_retry(
    agent: Agent, model: ScriptedChatModel, *, is_outage: bool
) -> None:
    said = await _say(agent, "Hello?")
    error = ModelUnavailable() if is_outage else ValueError("broken")
    model.script(*[error] * 3, "Third words.")
    end = (await _again(agent))[-1]
    assert isinstance(end, Failed)
    assert (end.answer_stays, end.turn_id, end.is_outage) == (True, "", False)
    assert await _texts(agent) == ["Hello?", "Old words."]
    for state in ("failed", "running"):
        assert not await agent.stores.memory.turns.in_state(said.chat.tenant, state)
    model.script("Third words.")
    await _say(agent, "Next?")
    assert await _texts(agent) == ["Hello?", "Old words.", "Next?", "Third words."]


async def test_stopped_after_it_was_written_the_next_prompt_has_the_old_answer(
    agent: Agent, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_stored = asyncio.Event()

    async def held(*_: object) -> bool:
        is_stored.set()
        await asyncio.Event().wait()
        return False

    async def watch() -> None:
        async for _ in agent.answer_again(agent.local_chat()):
            pass

    await _say(agent, "Hello?")
    with monkeypatch.context() as patch:
        patch.setattr(type(agent.stores.memory.replies), "replace", held)
        watching = asyncio.create_task(watch())
        await is_stored.wait()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    assert await agent.stop(agent.local_chat(), "stopped")
    await _say(agent, "Next?")
    assert [m.text for m in model.prompts[-1]][1:] == ["Hello?", "Old words.", "Next?"]
    assert (await _window(agent))[:2] == ["Hello?", "Old words."]


async def test_what_was_edited_since_is_answered_as_it_reads_now(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = await _say(agent, "How far is Leeds?")
    await _edit(agent, said, "How far is Porto?")
    assert (await _lines(agent))[1].withheld
    await _again(agent)
    assert model.prompts[-1][-1].text == "How far is Porto?"
    new = (await _lines(agent))[1]
    assert (new.message.text, new.withheld) == ("New words.", False)


async def test_an_edit_while_it_is_written_keeps_the_new_answer_out_of_prompts(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = await _say(agent, "How far is Leeds?")
    async for event in agent.answer_again(agent.local_chat()):
        if isinstance(event, NodeDone) and event.node == "generate":
            await _edit(agent, said, "How far is Porto?")
    new = (await _lines(agent))[1]
    assert (new.message.text, new.withheld) == ("New words.", True)
    (receipt,) = await agent.receipts(said.chat)
    assert receipt.query == ""


async def test_only_the_last_answer_is_given_again_and_commands_are_not_carried_out_twice(
    agent: Agent, model: ScriptedChatModel
) -> None:
    with pytest.raises(NothingToAnswerAgain):
        await _again(agent)
    first = await _say(agent, "one")
    (receipt,) = await agent.receipts(first.chat)
    await _say(agent, "/facts")
    await _again(agent)
    assert (await _texts(agent))[:2] == ["one", "New words."]
    await _say(agent, "two")
    before = await _texts(agent)
    assert await _again(agent, receipt.turn_id) == []
    assert await _texts(agent) == before
    commands = [line for line in await _lines(agent) if line.message.message_id.startswith("comm")]
    assert len(commands) == 1
    model.script(ValueError("broken"))
    _ = [event async for event in agent.send(agent.local_message("three"))]
    with pytest.raises(NothingToAnswerAgain):
        await _again(agent)


async def test_the_same_words_again_are_no_revision_and_count_as_one_use(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script("Noted.", "Rex is your dog.", "Rex is your dog.")
    told = await _say(agent, "My dog is called Rex.")
    await _say(agent, "Who is Rex?")
    memory, tenant = agent.stores.memory, told.chat.tenant
    once = await memory.uses.counted(tenant, [told.uid])
    assert [count.times for count in once.values()] == [1]
    end = (await _again(agent))[-1]
    assert isinstance(end, Finished)
    assert end.reply == end.before
    twice = await memory.uses.counted(tenant, [told.uid])
    assert twice[told.uid] == UseCount(1, twice[told.uid].last_at)
    assert (await _lines(agent))[-1].changes == 0


async def test_what_was_sent_to_a_channel_is_not_given_again(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = message("hello", tenant=agent.stores.settings.tenant)
    _ = [event async for event in agent.send(said)]
    end = [event async for event in agent.answer_again(said.chat)][-1]
    assert isinstance(end, Failed)
    assert "sent to a channel" in end.reason
    lines = await agent.stores.memory.ledger.since(said.chat, 0, 9)
    assert [(line.message.actor, line.message.text) for line in lines] == [
        (Actor.CONTACT, "hello"),
        (Actor.AGENT, "Old words."),
    ]
