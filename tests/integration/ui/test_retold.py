"""What is told again of a reply is what there was: its prompt, and the lines that it was given."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.policy.file import edited
from memory.recall.block import read_block
from nodes.prompts import NOTHING_CERTAIN, read_memory
from tests.fakes.chat_model import ScriptedChatModel
from ui.playground.conversation import Conversation
from ui.playground.retold import asked, prompt_again, searched_again
from ui.playground.room import Room

pytestmark = pytest.mark.anyio


async def test_a_prompt_built_again_holds_what_the_model_was_given(
    stores: Stores, model: ScriptedChatModel
) -> None:
    agent = agent_on(stores)
    for text in ("My name is Alex, I live in Lisbon.", "I play the cello.", "Where do I live?"):
        _ = [event async for event in agent.send(agent.local_message(text))]
        await stores.projector.caught_up()
    conversation = Conversation(agent, "web:me", Room(agent, agent.local_chat()))
    await conversation.read()
    (receipt, *_) = (each.receipt for each in conversation.kept.receipts.values())
    history = conversation.kept.history
    question = asked(receipt, history)
    assert question is not None
    assert question.message.text == "Where do I live?"
    parts = {p.name: p for p in await prompt_again(agent, receipt, question, history)}
    given = model.prompts[-1]
    assert str(given[0].content).startswith(parts["Rules"].text)
    facts = read_block(parts["Memory: facts"].text).facts
    assert facts == read_memory(str(given[0].content)).facts
    assert parts["The chat's last lines"].text.splitlines() == [
        "me: My name is Alex, I live in Lisbon.",
        "agent: ok 1",
        "me: I play the cello.",
        "agent: ok 2",
    ]
    assert [shown.content for shown in given[1:]][-1] == parts["The message"].text
    assert all(part.tokens > 0 for part in parts.values())
    searched = await searched_again(agent, receipt, question)
    assert searched.looked_at is not None
    assert "My name is Alex, I live in Lisbon." in [each.text for each in searched.found]
    html = await conversation.dug("prompt", receipt.reply_uid)
    assert "Lisbon" in html


async def test_it_has_the_persona_of_then_and_says_that_nothing_certain_was_found(
    settings: Settings, model: ScriptedChatModel, tmp_path: Path
) -> None:
    (tmp_path / "nell.md").write_text("You are Nell.", encoding="utf-8")
    chosen = settings.model_copy(update={"persona_dir": tmp_path, "window": 2})
    async with open_stores(chosen, Overrides(model=model)) as stores:
        agent, change = agent_on(stores), stores.memory.policies.change
        tenant, now = stores.settings.tenant, stores.clock()
        nell, none = ({"persona_file": name} for name in ("nell.md", None))
        await change(tenant, {"web": partial(edited, changes=nell)}, "test", now)
        told_before = [f"The {thing} is in the shed." for thing in ("boat", "saw", "bike", "tent")]
        for text in (*told_before, "Who won the regatta in Porto?"):
            _ = [event async for event in agent.send(agent.local_message(text))]
            await stores.projector.caught_up()
        await change(tenant, {"web": partial(edited, changes=none)}, "test", now)
        conversation = Conversation(agent, "web:me", Room(agent, agent.local_chat()))
        await conversation.read()
        (receipt, *_) = (each.receipt for each in conversation.kept.receipts.values())
        question = asked(receipt, conversation.kept.history)
        assert question is not None
        told = await prompt_again(agent, receipt, question, conversation.kept.history)
        (orders,) = (part.text for part in told if part.name.startswith("Persona"))
        assert orders == f"Persona:\nYou are Nell.\n\n{NOTHING_CERTAIN}"
        assert all(each in str(model.prompts[-1][0].content) for each in orders.split("\n\n"))
