"""A prompt says what its chat was about before the window, and what is open in it (T1, L1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.projection.importing import import_batches
from nodes.prompts import read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

NOW = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0)
PROMISE = "I'll send you the signed lease tomorrow"
FLAT = ("We looked at the flat in Graz.", "The rent of the flat is 900.", "It has a balcony.")


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


def say(agent: Agent, text: str, minutes: float) -> Message:
    """Make a message of one chat, so many minutes after nine today."""
    made = message(text, tenant=agent.stores.settings.tenant)
    return replace(made, sent_at=NOW + timedelta(minutes=minutes))


async def prompted(agent: Agent, model: ScriptedChatModel, said: Message) -> str:
    """Answer a message; return the first message of its prompt."""
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return str(model.prompts[-1][0].content)


async def test_what_the_window_no_longer_shows_is_told_in_few_words(
    agent: Agent, model: ScriptedChatModel
) -> None:
    days = -2 * 24 * 60
    lease = [say(agent, text, days + n) for n, text in enumerate(FLAT)]
    promise = say(agent, PROMISE, -61)
    match = [say(agent, f"The match number {n} was a draw again.", -60 + n) for n in range(21)]
    memory, projector = agent.stores.memory, agent.stores.projector
    await import_batches(memory, projector, [lease, [promise, *match]])
    await projector.caught_up()
    block = read_memory(await prompted(agent, model, say(agent, "And now?", 0)))
    assert "Graz" in block.so_far[0]
    assert [each for each in block.open if "signed lease" in each]
    gone = Change(
        promise.chat, promise.message_id, "revoke", "a1", "", (promise.sender_id,), False, NOW
    )
    assert await memory.revisions.change(gone, NOW) == "applied"
    prompt = await prompted(agent, model, say(agent, "What else?", 1))
    assert "signed lease" not in prompt


async def test_what_is_too_old_leaves_the_window_and_is_told_in_few_words(
    stores: Stores, model: ScriptedChatModel
) -> None:
    settings = stores.settings.model_copy(update={"window_h": 24})
    agent = agent_on(replace(stores, settings=settings))
    memory, projector = stores.memory, stores.projector
    lease = [say(agent, text, -25 * 60 + n) for n, text in enumerate(FLAT)]
    await import_batches(memory, projector, [[*lease, say(agent, "It rains.", -23 * 60)]])
    await projector.caught_up()
    block = read_memory(await prompted(agent, model, say(agent, "And now?", 0)))
    assert [line.text for line in model.prompts[-1][1:]] == ["It rains.", "And now?"]
    assert "Graz" in block.so_far[0]
    await prompted(agent, model, say(agent, "What else?", 2 * 60))
    shown = [line.text for line in model.prompts[-1][1:]]
    assert "It rains." not in shown
    assert (shown[0], shown[-1]) == ("And now?", "What else?")


async def test_what_is_promised_is_told_while_the_window_shows_it(
    agent: Agent, model: ScriptedChatModel
) -> None:
    memory, projector = agent.stores.memory, agent.stores.projector
    question = say(agent, "Can you send me the address of the landlord?", -4)
    await import_batches(memory, projector, [[say(agent, PROMISE, -5), question]])
    await projector.caught_up()
    block = read_memory(await prompted(agent, model, say(agent, "And now?", 0)))
    [promised] = block.open
    assert PROMISE in promised
    assert f"due {NOW + timedelta(days=1):%Y-%m-%d}" in promised
