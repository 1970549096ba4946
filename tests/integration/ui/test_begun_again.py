"""A reply that its model broke off and began again: what is shown in the end is what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence

import pytest

from graph.agent import Agent, BegunAgain, Event, Failed, Finished, Token
from graph.bootstrap import agent_on, open_stores
from graph.settings import Settings
from memory.domain.chats import Message
from tests.fakes.openai_server import Cut, OpenAIServer
from ui.cli.chat import Conversation
from ui.cli.chat_screen import BEGUN_AGAIN, TerminalScreen
from ui.cli.terminal import PipeScreen, Screen
from ui.playground.room import Room

pytestmark = pytest.mark.anyio

HALF = Cut("Half an answer.")
ANSWER = "The whole answer, at last."


@pytest.fixture
def endpoint() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
async def agent(settings: Settings, endpoint: OpenAIServer) -> AsyncIterator[Agent]:
    given = {
        **settings.model_dump(),
        "model": "fake",
        "openai_base_url": f"{endpoint.url}/v1",
        "openai_api_key": "k",
        "model_attempts": 2,
    }
    async with open_stores(Settings.model_validate(given)) as stores:
        yield agent_on(stores)


async def _stored(agent: Agent) -> str:
    rows = await agent.stores.memory.ledger.since(agent.local_chat(), 0, 20)
    return rows[-1].message.text


async def test_whoever_watches_is_told_that_the_reply_begins_again(
    agent: Agent, endpoint: OpenAIServer
) -> None:
    endpoint.script(HALF, ANSWER)
    events = [event async for event in agent.send(agent.local_message("well?"))]
    told = [event for event in events if isinstance(event, (Token, BegunAgain))]
    again = told.index(BegunAgain())
    assert told.count(BegunAgain()) == 1
    assert _text(told[:again]) == "Half"
    assert _text(told[again:]) == ANSWER == await _stored(agent)
    later = [event async for event in agent.send(agent.local_message("and now?"))]
    assert BegunAgain() not in later
    assert _text(later) == await _stored(agent)


async def test_a_page_shows_the_reply_from_its_new_beginning(
    agent: Agent, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script(HALF, ANSWER)
    shown = await _written(agent, monkeypatch)
    assert "Half" in shown
    assert shown[-1] == ANSWER == await _stored(agent)


async def test_what_a_turn_that_failed_had_written_stands_before_no_other_reply(
    agent: Agent, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script(HALF, HALF, HALF, HALF, ANSWER)
    failed = [event async for event in agent.send(agent.local_message("well?"))]
    assert isinstance(failed[-1], Failed)
    # The unfinished turn comes first, and fails once more.
    shown = await _written(agent, monkeypatch)
    assert shown.count("Half") == 2
    assert shown[-1] == ANSWER == await _stored(agent)


async def test_a_terminal_says_that_the_answer_starts_again(
    agent: Agent, endpoint: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.script(HALF, ANSWER)
    lines = await _heard(agent, TerminalScreen(), capsys)
    assert lines[:3] == ["agent › Half", BEGUN_AGAIN, f"agent › {ANSWER}"]
    assert await _stored(agent) == ANSWER
    assert sum(ANSWER in line for line in lines) == 1


async def test_a_pipe_gets_the_whole_reply_alone(
    agent: Agent, endpoint: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.script(HALF, ANSWER)
    assert await _heard(agent, PipeScreen(), capsys) == [ANSWER]


async def _heard(agent: Agent, screen: Screen, capsys: pytest.CaptureFixture[str]) -> list[str]:
    await Conversation(agent, agent.stores.settings.contact, screen).hear("well?")
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


async def _written(agent: Agent, patch: pytest.MonkeyPatch) -> list[str]:
    """Return what the page's bubble held after each event of a message's turns, unless nothing."""
    room, shown = Room(agent, agent.local_chat()), list[str]()
    follow = agent.send

    async def watched(message: Message) -> AsyncIterator[Event]:
        async for event in follow(message):
            yield event
            # The room has taken the event in by now.
            if room.written and not isinstance(event, Finished):
                shown.append(room.written)

    patch.setattr(agent, "send", watched)
    room.post(agent.local_message("well?"))
    async with asyncio.timeout(30):
        while room.jobs:
            await room.news(room.version)
    return shown


def _text(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Token))
