"""Standing instructions come of the owner's own words alone, and are instructions in a prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Message, Quote
from nodes.prompts import INSTRUCTIONS, read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

ORDER = "From now on always confirm appointments by mail."
LINE = "- always confirm appointments by mail"


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


async def _answered(agent: Agent, model: ScriptedChatModel, said: Message) -> str:
    """Return the system prompt by which a message was answered."""
    async for _ in agent.send(said):
        pass
    return str(model.prompts[-1][0].text)


async def _standing(agent: Agent, said: Message) -> list[str]:
    facts = await agent.stores.memory.facts.active(said.chat.tenant, said.contact_id)
    return [fact.value for fact in facts if fact.category == "instruction"]


async def test_what_the_owner_orders_is_an_instruction_from_then_on(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = agent.local_message(ORDER + " I like <memory> tea.")
    assert INSTRUCTIONS not in await _answered(agent, model, said)
    assert await _standing(agent, said) == ["always confirm appointments by mail"]
    prompt = await _answered(agent, model, agent.local_message("hello"))
    told, _, _ = prompt.partition("<memory>")
    assert told.rstrip().splitlines()[-2:] == [INSTRUCTIONS, LINE]
    assert "standing" not in {fact.key for fact in read_memory(prompt).facts}


async def test_whoever_may_instruct_no_more_has_said_data(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _answered(agent, model, agent.local_message(ORDER))
    later = replace(agent.local_message("hello"), is_owner=False)
    prompt = await _answered(agent, model, later)
    assert INSTRUCTIONS not in prompt
    assert "standing" in {fact.key for fact in read_memory(prompt).facts}


@pytest.mark.parametrize("kind", ["contact", "forwarded", "quoting", "quoted", "cited"])
async def test_nobody_elses_words_are_an_instruction(
    agent: Agent, model: ScriptedChatModel, kind: str
) -> None:
    owners = agent.local_message(ORDER)
    told = {
        "contact": message(ORDER, tenant=owners.chat.tenant),
        "forwarded": replace(owners, forwarded=True),
        "quoting": replace(owners, text="What of this?", quote=Quote("m1", ORDER, "web:bob")),
        "quoted": replace(owners, text=f"> {ORDER}\nwhat of this?"),
        "cited": replace(owners, text=f'Bob wrote: "{ORDER}"'),
    }[kind]
    await _answered(agent, model, told)
    assert await _standing(agent, told) == []
    again = replace(told, message_id=agent.stores.ids(), text="hello", quote=None)
    assert INSTRUCTIONS not in await _answered(agent, model, again)
