"""What is on its way to the agent: in order, stopped, or not sent, and then sent again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from html import unescape

import pytest

from graph.agent import Agent, Event
from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import ChatRef, Message
from memory.errors import StoreUnavailable
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message
from ui.answered_again import SAME_OFFLINE
from ui.playground.conversation import Conversation
from ui.playground.room import STOPPED, Room
from ui.playground.serving import import_gradio

import_gradio()

from ui.playground.views.chat import LATE, Chat  # noqa: E402  # gradio is imported first

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


async def settled(room: Room) -> None:
    """Wait until nothing is on its way."""
    async with asyncio.timeout(20):
        while room.is_busy or any(job.state == "waiting" for job in room.jobs):
            await room.news(room.version)


async def said(agent: Agent) -> list[str]:
    rows = await agent.stores.memory.ledger.since(agent.local_chat(), 0, 20)
    return [row.message.text for row in rows]


async def test_messages_are_answered_one_after_the_other(
    agent: Agent, model: ScriptedChatModel
) -> None:
    room = Room(agent, agent.local_chat())
    room.post(agent.local_message("one"))
    room.post(agent.local_message("two"))
    assert [job.state for job in room.jobs] == ["waiting", "waiting"]
    await settled(room)
    assert room.jobs == []
    assert await said(agent) == ["one", "ok 1", "two", "ok 2"]


async def test_what_an_outage_kept_back_is_shown_and_sent_again_in_order_and_once(
    agent: Agent, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(_: Message) -> AsyncIterator[Event]:
        raise StoreUnavailable("RECOLLECT_DATABASE_URL", "db:5432", "refused")
        yield

    room = Room(agent, agent.local_chat())
    shown = Conversation(agent, "web:me", room)
    with monkeypatch.context() as outage:
        outage.setattr(agent, "send", unreachable)
        room.post(agent.local_message("one"))
        room.post(agent.local_message("two"))
        await settled(room)
    assert [job.state for job in room.jobs] == ["unsent", "unsent"]
    assert "Not sent: The database does not answer now." in unescape(shown.lines())
    assert "RECOLLECT" not in unescape(shown.lines())
    room.send_again()
    await settled(room)
    assert await said(agent) == ["one", "ok 1", "two", "ok 2"]


async def test_a_stopped_turn_is_filed_and_tried_again_without_a_second_message(
    agent: Agent, model: ScriptedChatModel
) -> None:
    room = Room(agent, agent.local_chat())
    model.on_call = lambda _: room.stop()
    room.post(agent.local_message("one"))
    await settled(room)
    (turn,) = await agent.stores.memory.turns.in_state(agent.stores.settings.tenant, "failed")
    assert turn.reason == STOPPED
    model.on_call = None
    room.retry(turn.turn_id)
    room.retry(turn.turn_id)
    await settled(room)
    assert (await said(agent))[0] == "one"
    assert len(await said(agent)) == 2


async def test_a_waiting_message_can_be_discarded(agent: Agent, model: ScriptedChatModel) -> None:
    room = Room(agent, agent.local_chat())
    second = agent.local_message("two")
    room.post(agent.local_message("one"))
    room.post(second)
    room.drop(second.uid)
    await settled(room)
    assert await said(agent) == ["one", "ok 1"]


async def test_an_outage_leaves_what_was_read_and_is_over_when_the_ledger_answers(
    agent: Agent, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(*_: object) -> None:
        raise StoreUnavailable("RECOLLECT_DATABASE_URL", "db:5432", "refused")

    room = Room(agent, agent.local_chat())
    room.post(agent.local_message("one"))
    await settled(room)
    shown = Conversation(agent, "web:me", room)
    await shown.read()
    stamp = await shown.stamp()
    assert f"data-stamp='{stamp}'" in shown.lines()
    with monkeypatch.context() as outage:
        outage.setattr(agent.stores.memory.ledger, "since", unreachable)
        await shown.read()
        assert "ok&#32;1" in shown.lines() or "ok 1" in shown.lines()
        assert 'role="alert"' in shown.lines()
    assert f"data-stamp='{await shown.stamp()}'" not in shown.lines()
    await shown.read()
    assert "alert" not in shown.lines()


async def test_the_last_answer_is_given_again_in_its_place_once_and_behind_what_waits(
    agent: Agent, model: ScriptedChatModel
) -> None:
    room = Room(agent, agent.local_chat())
    shown = Conversation(agent, "web:me", room)
    room.post(agent.local_message("one"))
    await settled(room)
    await shown.read()
    assert "Answer again" in shown.lines()
    last = shown.answered_last()
    assert last is not None
    turn, uid = str(last.reply.turn_id), last.reply.uid
    model.on_call = lambda _: seen.append(shown.lines())
    seen: list[str] = []
    room.answer_again(turn, uid)
    room.answer_again(turn, uid)
    await settled(room)
    # While it was written it stood in the old one's place, and nothing else could be asked for.
    assert ["ok&#32;1" in html or "ok 1" in html for html in seen] == [False]
    assert ["Stop" in html and "Answer again" not in html for html in seen] == [True]
    assert await said(agent) == ["one", "ok 2"]
    await shown.read()
    again = shown.answered_last()
    assert again is not None
    # A page that did not know of the message before it: it is no longer the last answer.
    room.post(agent.local_message("two"))
    room.answer_again(str(again.reply.turn_id), again.reply.uid)
    await settled(room)
    assert await said(agent) == ["one", "ok 2", "two", "ok 3"]


async def test_why_an_answer_stays_or_is_the_same_is_said_at_its_line(
    agent: Agent, model: ScriptedChatModel
) -> None:
    room = Room(agent, agent.local_chat())
    shown = Conversation(agent, "web:me", room)
    model.script("Hi.", "Hi.", ValueError("x"), "Hi.")
    room.post(agent.local_message("one"))
    await settled(room)
    told: list[str] = []
    for _ in range(3):
        await shown.read()
        last = shown.answered_last()
        assert last is not None
        room.answer_again(str(last.reply.turn_id), last.reply.uid)
        if len(told) == 2:
            model.on_call = lambda _: room.stop()
        await settled(room)
        assert room.told[0] in ("", last.reply.uid)
        told.append(room.told[1])
    assert told[0] == SAME_OFFLINE
    assert told[1].startswith("The answer stays as it was: ")
    assert told[2] == ""
    assert await said(agent) == ["one", "Hi."]


async def test_what_a_page_still_has_is_kept_back_until_it_is_sent_or_discarded(
    agent: Agent, model: ScriptedChatModel
) -> None:
    chat = Chat(agent)
    mine, lost, gone = (f"{number:032x}" for number in range(3))
    assert await chat.say("web:me", mine, "one", is_late=False)
    room = chat.room("web:me")
    await settled(room)
    asked = [mine, lost, gone]
    told = await chat.newest("web:me", asked)
    assert (told["settled"], told["missing"]) == ([mine], [lost, gone])
    for each in (lost, gone):
        assert await chat.say("web:me", each, f"again {each[-1]}", is_late=True)
        assert await chat.say("web:me", each, f"again {each[-1]}", is_late=True)
    assert [(job.state, job.reason) for job in room.jobs] == [("unsent", LATE)] * 2
    room.drop(room.jobs[1].uid)
    room.send_again()
    await settled(room)
    told = await chat.newest("web:me", asked)
    assert (told["settled"], told["missing"]) == (asked, [])
    assert await said(agent) == ["one", "ok 1", "again 1", "ok 2"]
    # Sent a second time, from another tab say, it is still one message.
    await chat.say("web:me", lost, "again 1", is_late=False)
    await settled(room)
    assert await said(agent) == ["one", "ok 1", "again 1", "ok 2"]


@pytest.mark.parametrize(
    ("contact_id", "sent_as", "text"),
    [("telegram:5", "0" * 32, "hi"), ("web:me", "<b>", "hi"), ("web:me", "0" * 32, " \n")],
)
async def test_a_page_sends_nothing_to_a_channel_under_no_id_or_without_words(
    agent: Agent, contact_id: str, sent_as: str, text: str
) -> None:
    chat = Chat(agent)
    assert not await chat.say(contact_id, sent_as, text, is_late=False)
    assert chat.room(contact_id).jobs == []


async def test_a_turn_that_was_cut_off_goes_on_when_its_chat_is_opened(
    agent: Agent, model: ScriptedChatModel
) -> None:
    async def cut_off() -> None:
        async for _ in agent.send(agent.local_message("I play the accordion.")):
            pass

    def crash(_: object) -> None:
        running.cancel()

    running = asyncio.create_task(cut_off())
    model.on_call = crash
    await asyncio.wait([running])
    model.on_call = None
    assert await said(agent) == ["I play the accordion."]
    chat = Chat(agent)
    await chat.show("web:me")
    await settled(chat.room("web:me"))
    assert [text[:2] for text in await said(agent)] == ["I ", "ok"]
    await chat.show("web:me")
    assert chat.room("web:me").jobs == []


async def test_a_pause_is_shown_beside_its_own_chat_alone(agent: Agent) -> None:
    pauses, now = agent.stores.memory.pauses, agent.stores.clock()
    tenant = agent.stores.settings.tenant
    await pauses.begin(tenant, "web/local/me", "m1", "command", now, None)
    await pauses.begin(tenant, "waha/shop/4915@c.us", "m2", "command", now, None)
    theirs = replace(
        message("Hello", tenant=tenant),
        contact_id="waha:4915@c.us",
        chat=ChatRef(tenant, "waha", "shop", "4915@c.us"),
    )
    await agent.stores.memory.ledger.record([theirs], history=True)
    shown = {}
    for contact in ("web:me", "web:new", "waha:4915@c.us", "waha:4999@c.us"):
        conversation = Conversation(agent, contact, Room(agent, agent.local_chat()))
        await conversation.read()
        assert not conversation.kept.error
        shown[contact] = list(conversation.kept.paused)
    assert shown == {
        "web:me": ["web/local/me"],
        "web:new": [],
        "waha:4915@c.us": ["waha/shop/4915@c.us"],
        "waha:4999@c.us": [],
    }
