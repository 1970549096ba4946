"""“Forget that I have a dog”, said to the agent by whoever it is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Actor, Message
from memory.policy.forgetting import Forgetting
from nodes.commands.forgetting import forget_as_asked
from nodes.context import GivenOptions
from nodes.prompts import NOT_KEPT
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

WISH = "forget that I have a brother"
UNSAID = "What told it stays in the transcript; I no longer look at it."
NOTHING = (
    "I know no fact of the kind about you, so there is none to forget."
    " Messages that tell of it can still be found."
)


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


async def _say(agent: Agent, text: str, **rest: object) -> Finished:
    said = message(text, tenant=agent.stores.settings.tenant, **rest)  # type: ignore[arg-type]
    return await _send(agent, said)


async def _send(agent: Agent, said: Message) -> Finished:
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return last


async def _known(agent: Agent, contact: str = "waha:ana") -> list[str]:
    facts = await agent.stores.memory.facts.active(agent.stores.settings.tenant, contact)
    return sorted(fact.value for fact in facts)


async def test_whoever_asks_has_it_forgotten_and_is_told_so(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _say(agent, "My dog is called Rex.")
    await _say(agent, "I live in Leeds and I'm vegan.", minutes=1)
    asked = len(model.prompts)
    done = await _say(agent, "Please forget that I have a dog.", minutes=2)
    assert done.decision == "command"
    assert done.reply == f"Forgotten: pet. {UNSAID}"
    done = await _say(agent, "forget where I live", minutes=3)
    assert done.reply == f"Forgotten: home. {UNSAID}"
    assert len(model.prompts) == asked
    assert await _known(agent) == ["vegan"]
    await _say(agent, "So what do you know?", minutes=4)
    shown = "\n".join(line.text for line in model.prompts[-1])
    assert "Rex" not in shown
    assert "forget" not in shown
    tenant = agent.stores.settings.tenant
    found = await agent.stores.memory.lexical.search(tenant, ["contact:waha:ana"], "Rex", 5)
    assert found.hits == ()


async def test_what_is_not_known_is_said_in_the_language_of_the_wish(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _say(agent, "My dog is called Rex.")
    assert (await _say(agent, "forget that I have a cat", minutes=1)).reply == NOTHING
    done = await _say(agent, "Vergiss bitte, wo ich wohne.", minutes=2)
    assert done.reply.startswith("Davon kenne ich keine Tatsache über dich")
    assert await _known(agent) == ["Rex"]


async def test_what_only_looks_like_a_wish_is_answered_by_the_model(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _say(agent, "My dog is called Rex.")
    told = message("Forget that I have a dog", tenant=agent.stores.settings.tenant, minutes=1)
    assert (await _send(agent, replace(told, forwarded=True))).decision == "respond"
    for n, text in enumerate(["Don't forget that I have a dog", "“forget my dog”", "forget it"]):
        assert (await _say(agent, text, minutes=2 + n)).decision == "respond"
    phone = replace(told, actor=Actor.OWNER, from_me=True, message_id="p", sender_id="us")
    assert (await _send(agent, phone)).decision == "record"
    assert await _known(agent) == ["Rex"]


async def test_in_a_group_everybody_has_only_their_own_forgotten_and_what_was_said_there(
    agent: Agent, model: ScriptedChatModel
) -> None:
    group = {"chat": "club", "is_group": True}
    await _say(agent, "I'm allergic to nuts.")
    await _say(agent, "I'm vegan.", **group, minutes=1)
    await _say(agent, "I'm vegan.", sender="bo", **group, minutes=2)
    wish = "forget that I'm vegan"
    assert (await _say(agent, wish, **group, minutes=3)).decision == "observe"
    done = await _say(agent, wish, **group, minutes=4, mentions_agent=True)
    assert done.reply.startswith("Forgotten: diet. ")
    nuts = "forget that I'm allergic to nuts"
    assert (await _say(agent, nuts, **group, minutes=5, mentions_agent=True)).reply == NOTHING
    everything = "forget everything you know about me"
    assert (await _say(agent, everything, **group, minutes=6, mentions_agent=True)).reply == NOTHING
    assert (await _known(agent), await _known(agent, "waha:bo")) == (["nuts"], ["vegan"])


async def test_while_the_agent_keeps_out_it_is_done_without_a_word(agent: Agent) -> None:
    await _say(agent, "I'm allergic to nuts.")
    tenant = agent.stores.settings.tenant
    order = message("/pause", tenant=tenant, sender="us", actor=Actor.OWNER, minutes=1)
    await _send(agent, replace(order, is_owner=True))
    done = await _say(agent, "forget my allergies", minutes=2)
    assert (done.decision, done.reply) == ("command", "")
    assert await _known(agent) == []


async def test_what_was_said_in_the_same_burst_is_forgotten_too(
    agent: Agent, model: ScriptedChatModel
) -> None:
    tenant = agent.stores.settings.tenant
    texts = ("I'm allergic to nuts.", "forget that I'm allergic to nuts", "What is the weather?")
    burst = [message(text, tenant=tenant, minutes=n) for n, text in enumerate(texts)]
    for each in burst:
        await agent.take_in(each)
    assert (await _send(agent, burst[0])).decision == "respond"
    queued = await agent.stores.memory.outbox.listing(tenant, "queued")
    assert queued[0].text.startswith("Forgotten: allergy. ")
    assert "nuts" not in "\n".join(line.text for line in model.prompts[-1])
    await agent.stores.projector.caught_up("facts")
    assert await _known(agent) == []


@pytest.mark.parametrize("texts", [("I moved to Rome.", WISH), (WISH, "I moved to Rome.")])
async def test_what_is_said_beside_a_wish_is_kept_and_answered_so(
    agent: Agent, model: ScriptedChatModel, texts: tuple[str, ...]
) -> None:
    tenant = agent.stores.settings.tenant
    burst = [message(text, tenant=tenant, minutes=n) for n, text in enumerate(texts)]
    for each in burst:
        await agent.take_in(each)
    assert (await _send(agent, burst[-1])).decision == "respond"
    assert NOT_KEPT not in model.prompts[-1][0].text
    assert await _known(agent) == ["Rome"]
    receipts = await agent.stores.memory.turns.receipts(burst[0].chat, 9)
    assert [each.query for each in receipts] == ["I moved to Rome."]


async def test_a_gate_that_runs_twice_says_the_same(agent: Agent) -> None:
    await _say(agent, "I'm allergic to nuts.")
    wish = message("forget my allergies", tenant=agent.stores.settings.tenant, minutes=2)
    await agent.take_in(wish)
    context = await agent.stores.wire(GivenOptions())
    first = await forget_as_asked(Forgetting("en", ("allergies",)), wish, context)
    assert first == f"Forgotten: allergy. {UNSAID}"
    await agent.stores.projector.caught_up("facts")
    assert await forget_as_asked(Forgetting("en", ("allergies",)), wish, context) == first


async def test_the_wish_is_a_command_once_and_for_all_and_kept_with_the_ledger(
    agent: Agent,
) -> None:
    memory, tenant = agent.stores.memory, agent.stores.settings.tenant
    await _say(agent, "I'm allergic to nuts. I'm vegan.")
    wish = message("forget my allergies", tenant=tenant, minutes=2)
    await _send(agent, wish)
    (stored,) = await memory.ledger.messages(tenant, [wish.uid])
    assert stored.message.is_command
    assert stored.withheld
    (kept,) = await memory.corrections.of(tenant, "waha:ana")
    assert (kept.key, kept.value, kept.retracts) == ("allergy", "nuts", True)
    lines = await memory.audit.listing(tenant, 9)
    assert [(line.outcome, line.detail) for line in lines if line.kind == "command"] == [
        ("done", "forget")
    ]
