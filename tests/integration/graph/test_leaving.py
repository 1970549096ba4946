"""Who leaves a turn while it runs ends it there: nothing runs on, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from graph.agent import Agent, Event, Failed, Finished, NodeDone
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Message
from memory.errors import ModelUnavailable
from nodes import normalize
from tests.fakes.chat_model import ScriptedChatModel

pytestmark = pytest.mark.anyio

NODES = ["normalize", "policy_gate", "retrieve", "generate", "store", "extract"]
CLAIMED = NODES[1:4]
"""Behind these a turn has its messages, and its outcome is not stored yet."""
QUESTION = "How far is Leeds?"


@pytest.fixture
def agent(stores: Stores, model: ScriptedChatModel) -> Agent:
    model.script("First words.", "Second words.", "Third words.")
    return agent_on(stores)


async def _left_at(agent: Agent, node: str) -> Message:
    said = agent.local_message("My name is Alex.")
    events = agent.send(said)
    async for event in events:
        if isinstance(event, NodeDone) and event.node == node:
            break
    await events.aclose()
    return said


async def _lines(agent: Agent) -> list[str]:
    lines = await agent.stores.memory.ledger.since(agent.local_chat(), 0, 9)
    return [line.message.text for line in lines]


async def _ends(events: AsyncIterator[Event]) -> list[Failed | Finished]:
    return [event async for event in events if isinstance(event, Failed | Finished)]


async def _failed(agent: Agent) -> Failed:
    """Return how the turn of the question failed."""
    (end,) = await _ends(agent.send(agent.local_message(QUESTION)))
    assert isinstance(end, Failed)
    return end


def _away(_: object) -> Message:
    raise ModelUnavailable("gone")


def _tasks() -> set[str]:
    # LangGraph runs each node in a task of its own.
    return {task.get_name() for task in asyncio.all_tasks() if "langgraph" in repr(task)}


@pytest.mark.parametrize("node", NODES)
async def test_nothing_runs_on_and_the_next_run_finishes_it(agent: Agent, node: str) -> None:
    before = _tasks()
    said = await _left_at(agent, node)
    assert _tasks() == before
    _ = [event async for event in agent.resume(said.chat)]
    assert await _lines(agent) == [said.text, "First words."]
    assert not await agent.stores.memory.turns.in_state(said.chat.tenant, "running")


@pytest.mark.parametrize("node", NODES)
async def test_stopped_there_it_can_be_tried_again_or_sent_again_or_goes_on(
    agent: Agent, node: str
) -> None:
    said = await _left_at(agent, node)
    turns, tenant = agent.stores.memory.turns, said.chat.tenant
    assert await agent.stop(said.chat, "You stopped it") is (node in CLAIMED)
    failed = await turns.in_state(tenant, "failed")
    assert [turn.reason for turn in failed] == ["You stopped it"] * (node in CLAIMED)
    # Given up wholly: not even what was done and not yet taken in calls the node after it.
    is_left = await agent.stores.saver.is_unfinished(said.chat.thread_id)
    assert is_left is (node in ("store", "extract"))
    runs = agent.retry(failed[0].turn_id) if failed else agent.send(said)
    assert isinstance([event async for event in runs][-1], Finished)
    assert len(await _lines(agent)) == 2
    assert not [*await turns.in_state(tenant, "running"), *await turns.in_state(tenant, "failed")]


async def test_broken_before_it_has_its_message_it_is_not_told_as_kept(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = agent.local_message("My name is Alex.")
    with monkeypatch.context() as broken:
        broken.setattr(agent.stores.memory.ledger, "claim", None)
        (*_, failed) = [event async for event in agent.send(said)]
    assert isinstance(failed, Failed)
    assert (failed.turn_id, failed.is_outage) == ("", False)
    assert isinstance([event async for event in agent.send(said)][-1], Finished)
    assert await _lines(agent) == [said.text, "First words."]


@pytest.mark.parametrize("node", ["", *NODES])
async def test_a_failed_turn_tried_again_comes_after_the_one_that_was_cut_off(
    agent: Agent, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch, node: str
) -> None:
    model.script(ValueError("broken"), "First words.", "Second words.")
    failed, chat = await _failed(agent), agent.local_chat()
    if node:
        said = await _left_at(agent, node)
    else:
        said = agent.local_message("My name is Alex.")
        with monkeypatch.context() as broken:
            broken.setattr(normalize, "message_from_json", _away)
            assert await _ends(agent.send(said)) == [Failed("", "gone", is_outage=True)]
    ends = await _ends(agent.retry(failed.turn_id))
    assert [(end.reply, end.resumed) for end in ends if isinstance(end, Finished)] == [
        ("First words.", True),
        ("Second words.", False),
    ]
    assert sorted(await _lines(agent)) == sorted(
        [QUESTION, said.text, "First words.", "Second words."]
    )
    assert len(model.prompts) == 3
    turns = agent.stores.memory.turns
    assert not await turns.in_state(chat.tenant, "running")
    assert not await turns.in_state(chat.tenant, "failed")
    assert not await agent.stores.saver.is_unfinished(chat.thread_id)


async def test_a_failed_turn_is_not_tried_while_the_one_that_was_cut_off_cannot_go_on(
    agent: Agent, model: ScriptedChatModel
) -> None:
    outage = [ModelUnavailable()] * agent.stores.settings.model_attempts
    model.script(ValueError("broken"), *outage, "First words.", "Second words.")
    failed, tenant = await _failed(agent), agent.local_chat().tenant
    said = await _left_at(agent, "retrieve")
    (end,) = await _ends(agent.retry(failed.turn_id))
    assert isinstance(end, Failed)
    assert end.is_outage
    assert end.turn_id != failed.turn_id
    waiting = await agent.stores.memory.turns.in_state(tenant, "failed")
    assert {turn.turn_id for turn in waiting} == {failed.turn_id, end.turn_id}
    await _ends(agent.retry(failed.turn_id))
    assert sorted(await _lines(agent)) == sorted(
        [QUESTION, said.text, "First words.", "Second words."]
    )
    assert not await agent.stores.memory.turns.in_state(tenant, "failed")


async def test_a_turn_that_goes_on_and_breaks_is_not_tried_a_second_time_at_once(
    agent: Agent, model: ScriptedChatModel
) -> None:
    outage = [ModelUnavailable()] * agent.stores.settings.model_attempts
    model.script(*outage, ValueError("broken"), "First words.")
    failed = await _failed(agent)
    assert await _ends(agent.retry(failed.turn_id)) == [Failed(failed.turn_id, "ValueError")]
    assert await _lines(agent) == [QUESTION]
    await _ends(agent.retry(failed.turn_id))
    assert await _lines(agent) == [QUESTION, "First words."]
