"""Commands through the graph: who may give them, where, and that no model ever sees one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Actor, ChatRef, Message
from memory.policy.file import edited
from memory.policy.rules import scopes_of
from nodes.commands.run import HELP, REFUSAL
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import START, message

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


def _said(agent: Agent, text: str, **rest: object) -> Message:
    return message(text, tenant=agent.stores.settings.tenant, **rest)  # type: ignore[arg-type]


def _boss(agent: Agent, text: str, **rest: object) -> Message:
    """Return what a listed owner wrote, in a chat of their own unless `chat` says otherwise."""
    return replace(_said(agent, text, sender="boss", **({"chat": "boss"} | rest)), is_owner=True)


def _phone(agent: Agent, text: str, chat: str = "ana", **rest: object) -> Message:
    mine = _said(agent, text, sender="us", chat=chat, actor=Actor.OWNER, **rest)
    return replace(mine, is_owner=True)


async def _send(agent: Agent, said: Message) -> Finished:
    last = [event async for event in agent.send(said)][-1]
    assert isinstance(last, Finished), last
    return last


async def _order(agent: Agent, text: str) -> str:
    done = await _send(agent, _boss(agent, text))
    assert done.decision == "command"
    return done.reply


async def _outcomes(agent: Agent) -> list[tuple[str, str]]:
    lines = await agent.stores.memory.audit.listing(agent.stores.settings.tenant, 50)
    return [(line.outcome, line.detail) for line in reversed(lines) if line.kind == "command"]


async def _sent(agent: Agent) -> list[str]:
    queued = await agent.stores.memory.outbox.listing(agent.stores.settings.tenant, "queued")
    return [delivery.text for delivery in queued]


async def test_the_owner_is_answered_without_the_model_and_nothing_is_learned(
    agent: Agent, model: ScriptedChatModel
) -> None:
    order = _boss(agent, "/help")
    assert (await _send(agent, order)).reply == HELP
    assert await _sent(agent) == [HELP]
    assert (await _send(agent, order)).decision == "record"
    assert await _order(agent, "/policy set reply never") != ""
    forget = _boss(agent, "/forget My name is Alex")
    await _send(agent, forget)
    tenant = order.chat.tenant
    assert model.prompts == []
    assert await agent.stores.memory.facts.history(tenant, order.contact_id) == []
    assert await agent.stores.memory.vectors.count(tenant, "message") == 0
    found = await agent.stores.memory.lexical.search(tenant, [order.anchor], "Alex", 5)
    assert found.hits == ()
    assert await _order(agent, "/nonsense") == "There is no command /nonsense: /help lists them."


async def test_the_model_never_sees_a_command_nor_what_answered_it(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _send(agent, _boss(agent, "one"))
    await _order(agent, "/facts")
    await _order(agent, "/why")
    await _send(agent, _boss(agent, "two"))
    assert [line.text for line in model.prompts[1][1:]] == ["one", "ok 1", "two"]


async def test_a_command_among_texts_is_answered_beside_them(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = [_boss(agent, text) for text in ("hello", "/facts", "there")]
    for each in said:
        await agent.take_in(each)
    assert (await _send(agent, said[0])).decision == "respond"
    assert [line.text for line in model.prompts[0][1:]] == ["hello", "there"]
    assert await _sent(agent) == ["I know no facts about you yet.", "ok 1"]
    await _send(agent, _boss(agent, "more"))
    assert [line.text for line in model.prompts[1][1:]] == ["hello", "there", "ok 1", "more"]


async def test_policy_is_shown_and_changed_here_and_elsewhere(
    agent: Agent, model: ScriptedChatModel
) -> None:
    assert "- reply: direct all, groups mention_only" in await _order(agent, "/policy")
    done = await _order(agent, "/policy waha/phone/ana set reply off")
    assert done == "Done: waha/phone/ana is version 1 now.\n- reply: off"
    assert (await _send(agent, _said(agent, "hi"))).decision == "observe"
    assert await _order(agent, "/policy waha/phone/ana set reply off") == (
        "waha/phone/ana is so already."
    )
    assert "- nothing of its own" in await _order(agent, "/policy waha/phone/ana set reply default")
    assert (await _send(agent, _said(agent, "hi"))).decision == "respond"
    assert "- blocked: ana" in await _order(agent, "/policy block ana")
    assert (await _send(agent, _said(agent, "hi"))).decision == "record"
    assert "- nothing of its own" in await _order(agent, "/policy unblock ana")
    assert "is not blocked there" in await _order(agent, "/policy unblock ana")
    await _order(agent, "/policy allow bo")
    assert (await _send(agent, _said(agent, "hi"))).decision == "observe"
    assert (await _send(agent, _boss(agent, "hi"))).decision == "respond"
    await _order(agent, "/policy allow everyone")
    assert (await _send(agent, _said(agent, "hi"))).decision == "respond"
    assert "- tools: search, sum" in await _order(agent, "/policy tools search,sum")
    shown = await _order(agent, "/policy")
    assert "- tools: search, sum" in shown
    assert "- from: the settings, waha version 4, waha/phone/boss version 1" in shown


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ("/policy set reply never", "reply: must be 'all', 'mention_only' or 'off'"),
        ("/policy set takeover_s soon", "takeover_s: must be a whole number"),
        ("/policy set volume 11", "write set KEY VALUE"),
        ("/policy frobnicate", "frobnicate is no channel"),
        ("/policy waha/x set reply off", "write a chat as CHANNEL/ACCOUNT/CHAT_ID"),
        ("/policy block", "block needs exactly one word"),
        ("/policy persona ../secrets", "there is no persona folder: set RECOLLECT_PERSONA_DIR"),
        ("/pause waha", "a channel as a whole is switched off by"),
    ],
)
async def test_what_cannot_be_done_is_said_in_one_line(
    agent: Agent, order: str, problem: str
) -> None:
    reply = await _order(agent, order)
    assert reply.startswith(f"Not done: {problem}")
    assert "\n" not in reply
    assert await agent.stores.memory.policies.newest(agent.stores.settings.tenant) == []


async def test_pause_and_resume_from_the_owners_chat(agent: Agent) -> None:
    assert await _order(agent, "/pause") == "Paused: I keep out of this chat until /resume."
    assert (await _send(agent, _boss(agent, "hi"))).decision == "observe"
    assert "- paused: until /resume" in await _order(agent, "/policy")
    assert await _order(agent, "/resume") == "I answer again in this chat."
    assert await _order(agent, "/resume") == "I was not paused in this chat."
    assert "- paused: no" in await _order(agent, "/policy")
    assert (await _send(agent, _boss(agent, "hi"))).decision == "respond"
    await _order(agent, "/pause waha/phone/ana")
    assert (await _send(agent, _said(agent, "hi"))).decision == "observe"
    await _order(agent, "/resume waha/phone/ana")
    assert (await _send(agent, _said(agent, "hi"))).decision == "respond"


async def test_the_phone_pauses_and_resumes_a_contacts_chat_silently(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _send(agent, _said(agent, "hi"))
    sent = await _sent(agent)
    assert (await _send(agent, _phone(agent, "/pause"))).decision == "command"
    assert (await _send(agent, _said(agent, "anyone there?"))).decision == "observe"
    assert (await _send(agent, _phone(agent, "/resume"))).reply == ""
    await _send(agent, _phone(agent, "/why"))
    await _send(agent, _phone(agent, "/policy set reply off"))
    assert await _sent(agent) == sent
    assert (await _send(agent, _said(agent, "hello again"))).decision == "respond"
    assert len(model.prompts) == 2
    assert await _outcomes(agent) == [
        ("done", "pause"),
        ("done", "resume"),
        ("ignored", "why"),
        ("ignored", "policy"),
    ]
    assert await agent.stores.memory.policies.newest(agent.stores.settings.tenant) == []


async def test_a_resume_that_waited_for_its_turn_holds_from_when_it_was_given(
    agent: Agent,
) -> None:
    ledger, now = agent.stores.memory.ledger, agent.stores.clock()
    await _send(agent, _phone(agent, "/pause"))
    resume, hello = _phone(agent, "/resume"), _said(agent, "hello?")
    await ledger.record([replace(resume, is_command=True)], arrived_at=now + timedelta(seconds=1))
    await ledger.record([hello], arrived_at=now + timedelta(seconds=2))
    later = agent_on(replace(agent.stores, clock=lambda: now + timedelta(seconds=5)))
    assert (await _send(later, resume)).decision == "command"
    assert (await _send(later, hello)).decision == "respond"


async def test_a_pause_that_waited_for_its_turn_holds_from_when_it_was_given(
    agent: Agent,
) -> None:
    ledger, now = agent.stores.memory.ledger, agent.stores.clock()
    pause, hello = _phone(agent, "/pause"), _said(agent, "hello?")
    await ledger.record([replace(pause, is_command=True)], arrived_at=now)
    await ledger.record([hello], arrived_at=now + timedelta(seconds=1))
    later = agent_on(replace(agent.stores, clock=lambda: now + timedelta(seconds=5)))
    await _send(later, pause)
    (held,) = await agent.stores.memory.pauses.lasting(
        hello.chat.tenant, scopes_of(hello.chat)[-1], now
    )
    assert held.began_at == now


async def test_resume_ends_a_takeover(agent: Agent) -> None:
    typed = replace(_phone(agent, "I will call you"), sent_at=agent.stores.clock())
    await _send(agent, typed)
    assert (await _send(agent, _said(agent, "thanks"))).decision == "observe"
    await _send(agent, _phone(agent, "/resume"))
    assert (await _send(agent, _said(agent, "hello?"))).decision == "respond"


async def test_a_command_in_the_notes_to_self_has_a_reply(agent: Agent) -> None:
    done = await _send(agent, _phone(agent, "/policy", chat="us"))
    assert done.reply.startswith("waha/phone/us:")


async def test_in_a_group_the_owner_commands_silently(
    agent: Agent, model: ScriptedChatModel
) -> None:
    group = {"chat": "g", "is_group": True}
    for order in ("/pause", "/why"):
        done = await _send(agent, _boss(agent, order, **group))
        assert (done.decision, done.reply) == ("command", "")
    asked = _said(agent, "agent?", mentions_agent=True, **group)
    assert (await _send(agent, asked)).decision == "observe"
    await _send(agent, _boss(agent, "/resume", **group))
    asked = replace(asked, message_id="again")
    assert (await _send(agent, asked)).decision == "respond"
    assert await _outcomes(agent) == [("done", "pause"), ("ignored", "why"), ("done", "resume")]


@pytest.mark.parametrize("order", ["/pause", "/policy block everyone", "/reset"])
async def test_from_anyone_else_it_is_a_text(
    agent: Agent, model: ScriptedChatModel, order: str
) -> None:
    assert (await _send(agent, _said(agent, order))).decision == "respond"
    assert model.prompts[0][-1].text == order
    assert (await _send(agent, _said(agent, "so?"))).decision == "respond"
    assert await agent.stores.memory.policies.newest(agent.stores.settings.tenant) == []
    assert await _outcomes(agent) == []


async def test_or_it_is_refused_by_policy(agent: Agent, model: ScriptedChatModel) -> None:
    await agent.stores.memory.policies.change(
        agent.stores.settings.tenant,
        {"waha": lambda layer: edited(layer, {"from_others": "refused"})},
        "test",
        START,
    )
    done = await _send(agent, _said(agent, "/pause"))
    assert (done.decision, done.reply) == ("command", REFUSAL)
    group = _said(agent, "/pause", chat="g", is_group=True, mentions_agent=True)
    assert (await _send(agent, group)).reply == ""
    assert model.prompts == []
    await _send(agent, _said(agent, "hello"))
    assert [line.text for line in model.prompts[0][1:]] == ["hello"]
    assert await _outcomes(agent) == [("refused", "pause"), ("refused", "pause")]


async def test_reset_empties_the_window_and_keeps_receipts(
    agent: Agent, model: ScriptedChatModel
) -> None:
    said = _boss(agent, "The code word is heliotrope")
    await _send(agent, said)
    await _order(agent, "/reset")
    state = await agent.graph.aget_state({"configurable": {"thread_id": said.chat.thread_id}})
    assert all("heliotrope" not in line.text for line in state.values["messages"])
    await _send(agent, _boss(agent, "hello"))
    await _send(agent, _boss(agent, "again"))
    assert [line.text for line in model.prompts[1][1:]] == ["hello"]
    assert [line.text for line in model.prompts[2][1:]] == ["hello", "ok 2", "again"]
    assert len(await agent.receipts(said.chat, 9)) == 3


async def test_the_phone_resets_a_contacts_chat(agent: Agent, model: ScriptedChatModel) -> None:
    await _send(agent, _said(agent, "first"))
    await _send(agent, _phone(agent, "/reset"))
    await _send(agent, _said(agent, "second"))
    assert [line.text for line in model.prompts[1][1:]] == ["second"]


async def test_forget_closes_the_facts_that_hold_the_words(agent: Agent) -> None:
    told = ("My name is Alex.", "I am allergic to nuts.", "I live in Lisbon.")
    for text in (*told, "I have a horse called Thunder."):
        await _send(agent, _boss(agent, text))
    # What was said beside a value names it, too.
    assert (await _order(agent, "/forget horse")).startswith("Forgotten: pet.")
    assert "allergy: nuts" in await _order(agent, "/facts")
    gone = await _order(agent, "/forget NUTS")
    assert gone.startswith("Forgotten: allergy. What told it stays in the transcript;")
    assert "nuts" not in gone
    assert "nuts" not in await _order(agent, "/facts")
    assert await _order(agent, "/forget nuts") == (
        "I know no fact about you with “nuts”: /facts lists them."
    )
    assert await _order(agent, "/forget") == "Say what: /forget WORDS, or /forget everything."
    assert (await _order(agent, "/forget everything")).startswith(
        "Forgotten: name, home. What told it"
    )
    assert await _order(agent, "/facts") == "I know no facts about you yet."


async def test_whoever_sits_at_the_keyboard_is_the_owner(agent: Agent) -> None:
    done = await _send(agent, agent.local_message("/policy"))
    assert done.decision == "command"
    assert done.reply.startswith("web/local/me:")


async def test_the_owner_is_told_what_a_reply_in_another_chat_was_based_on(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script("Noted.", "Nuts.")
    group = {"chat": "club", "is_group": True, "mentions_agent": True}
    for text in ("I am allergic to nuts.", "What must I not eat?"):
        await _send(agent, _said(agent, text, **group))
    told = await _order(agent, "/why waha/phone/club")
    assert told.startswith("waha/phone/club, ")
    assert "about “What must I not eat?”:\nThe last reply used, as far as its words tell:" in told
    assert "nuts" in told
    assert (
        await _order(agent, "/why waha/phone/nobody")
        == "There is no reply yet in waha/phone/nobody that I could explain."
    )
    assert "Not done" in await _order(agent, "/why waha")
    assert "is no channel" in await _order(agent, "/why did you say so")


async def test_nobody_else_is_told_and_no_other_tenants_chat_is_shown(
    agent: Agent, model: ScriptedChatModel
) -> None:
    model.script("Hello.", "I cannot.")
    await _send(agent, _said(agent, "Hi, my name is Ana."))
    asked = await _send(agent, _said(agent, "/why waha/phone/ana", sender="eve", chat="eve"))
    assert (asked.decision, asked.reply) == ("respond", "I cannot.")
    club = _boss(agent, "/why waha/phone/ana", chat="club", is_group=True)
    assert (await _send(agent, club)).reply == ""
    own = ChatRef(f"{agent.stores.settings.tenant}-2", "waha", "phone", "boss")
    elsewhere = replace(_boss(agent, "/why waha/phone/ana"), chat=own)
    assert "no reply yet" in (await _send(agent, elsewhere)).reply
