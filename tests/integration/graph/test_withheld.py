"""What is withheld enters no prompt, no search and no lesson, whatever happens to it later."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Actor, Message, Quote
from memory.policy.file import edited
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import START, message

pytestmark = pytest.mark.anyio

GROUP = {"is_group": True, "chat": "g"}


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


def _said(agent: Agent, text: str, **rest: object) -> Message:
    return message(text, tenant=agent.stores.settings.tenant, **rest)  # type: ignore[arg-type]


async def _send(agent: Agent, said: Message) -> Finished:
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return last


async def _block(agent: Agent, sender: str) -> None:
    tenant = agent.stores.settings.tenant
    rules = {"waha": lambda layer: edited(layer, {"blocked": [sender], "reply_group": "all"})}
    await agent.stores.memory.policies.change(tenant, rules, "me", START)


async def _edit(agent: Agent, said: Message, text: str) -> None:
    changed_at = said.sent_at + timedelta(minutes=1)
    change = Change(
        said.chat, said.message_id, "edit", "a1", text, (said.sender_id,), False, changed_at
    )
    assert await agent.stores.memory.revisions.change(change, changed_at) == "applied"
    await _follow(agent)


async def _follow(agent: Agent) -> None:
    await agent.stores.projector.caught_up()


async def _found(agent: Agent, said: Message, word: str) -> list[str]:
    memory, tenant = agent.stores.memory, agent.stores.settings.tenant
    lexical = await memory.lexical.search(tenant, [said.anchor], word, 10)
    (vector,) = await memory.embedder.embed([word])
    dense = await memory.vectors.search(tenant, "message", [said.anchor], vector, 10)
    return [hit.item_id for hit in (*lexical.hits, *dense)]


def _prompt(model: ScriptedChatModel) -> str:
    return "\n".join(str(line.content) for line in model.prompts[-1])


async def test_an_edit_does_not_bring_a_blocked_senders_message_back(agent: Agent) -> None:
    await _block(agent, "spam")
    said = _said(agent, "buy pills", chat="spam", sender="spam")
    await _send(agent, said)
    await _edit(agent, said, "My name is Max and I live in Leeds")
    assert await _found(agent, said, "Leeds") == []
    assert await agent.stores.memory.facts.active(said.chat.tenant, said.contact_id) == []


async def test_an_edited_command_is_never_indexed_nor_learned(agent: Agent) -> None:
    said = replace(_said(agent, "/facts"), is_owner=True)
    await _send(agent, said)
    await _edit(agent, said, "I am allergic to peanuts")
    assert await _found(agent, said, "peanuts") == []
    assert await agent.stores.memory.facts.active(said.chat.tenant, said.contact_id) == []


async def test_a_blocked_sender_is_in_no_prompt_as_neighbour_nor_as_quote(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _block(agent, "spam")
    await _send(agent, _said(agent, "the picnic is on Sunday", **GROUP))
    spam = _said(agent, "buy zebra pills", sender="spam", **GROUP)
    await _send(agent, spam)
    for number in range(25):
        await agent.take_in(_said(agent, f"chatter {number}", sender=f"s{number}", **GROUP))
    asked = _said(agent, "when is the picnic?", mentions_agent=True, **GROUP)
    await _send(agent, replace(asked, quote=Quote(spam.message_id)))
    assert "picnic is on Sunday" in _prompt(model)
    assert "zebra" not in _prompt(model)


async def test_the_reply_to_a_command_is_in_no_prompt(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _send(agent, replace(_said(agent, "/policy"), is_owner=True))
    await _send(agent, _said(agent, "the boat is called Wanda"))
    for number in range(22):
        await _send(agent, _said(agent, f"chatter {number}"))
    await _send(agent, _said(agent, "what is the boat called?"))
    assert "Wanda" in _prompt(model)
    assert "takeover" not in _prompt(model)


async def test_reactions_push_no_line_out_of_the_window(
    agent: Agent, model: ScriptedChatModel
) -> None:
    typed = _said(agent, "the code word is heron", actor=Actor.AUTOMATION)
    await agent.take_in(typed)
    for number in range(25):
        reaction = _said(agent, f"[Reaction {number}]", actor=Actor.SYSTEM)
        await agent.take_in(reaction)
    await _send(agent, _said(agent, "and?"))
    lines = [line.text for line in model.prompts[-1][1:]]
    assert lines == ["the code word is heron", "and?"]


async def test_what_an_edited_message_had_said_is_gone_from_replies_and_receipts(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = _said(agent, "my pin is 4711")
    model.script("I will remember that your pin is 4711.")
    await _send(agent, said)
    await _edit(agent, said, "nothing")
    (receipt,) = await agent.receipts(said.chat)
    assert receipt.query == ""
    await _send(agent, _said(agent, "what did I say?"))
    assert "4711" not in _prompt(model)


async def test_a_turn_that_goes_on_after_an_edit_teaches_what_the_message_says_now(
    agent: Agent,
) -> None:
    said = _said(agent, "I live in Leeds.")
    events = agent.send(said)
    async for event in events:
        if getattr(event, "node", "") == "store":
            break  # killed before extract
    await events.aclose()
    await _edit(agent, said, "I live in Bristol.")
    resumed = [event async for event in agent.resume(said.chat)]
    assert isinstance(resumed[-1], Finished)
    await _follow(agent)
    facts = await agent.stores.memory.facts.active(said.chat.tenant, said.contact_id)
    assert [fact.value for fact in facts] == ["Bristol"]


async def test_a_change_that_its_message_missed_is_found_by_the_follow_up(agent: Agent) -> None:
    said = _said(agent, "the old words")
    async with agent.stores.pool.connection() as connection:
        # As if both had come at the same instant, each before it could see the other.
        await agent.stores.memory.ledger.record([said], history=True)
        await connection.execute(
            "insert into waiting_changes (uid, tenant, channel, account, chat_id, kind, action_id,"
            " target_id, content, author_ids, from_me, changed_at)"
            " values (%s, %s, 'waha', 'phone', 'ana', 'edit', 'a', %s, 'the new words',"
            " array['ana'], false, %s)",
            [said.uid, said.chat.tenant, said.message_id, said.sent_at],
        )
    assert await agent.stores.memory.revisions.catch_up(said.chat.tenant, 10) == 1
    (stored,) = await agent.stores.memory.ledger.messages(said.chat.tenant, [said.uid])
    assert stored.message.text == "the new words"
    assert await agent.stores.memory.revisions.catch_up(said.chat.tenant, 10) == 0


async def test_a_reply_to_what_was_edited_while_it_was_written_is_withheld(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = _said(agent, "my pin is 4711")
    async for event in agent.send(said):
        if getattr(event, "node", "") == "generate":
            await _edit(agent, said, "nothing")
    (reply,) = [
        stored
        for stored in await agent.stores.memory.ledger.since(said.chat, 0, 9)
        if stored.message.actor is Actor.AGENT
    ]
    assert reply.withheld
