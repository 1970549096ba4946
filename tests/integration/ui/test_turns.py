"""`recollect turns retry --all`: each turn is answered once, and its status is of what it tried."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.settings import Settings
from graph.stores import Stores
from memory.errors import ModelUnavailable
from tests.fakes.chat_model import ScriptedChatModel
from ui.cli import listings

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent that the commands use as well."""
    made = agent_on(stores)

    @asynccontextmanager
    async def opened(_: Settings) -> AsyncIterator[Agent]:
        yield made

    monkeypatch.setattr(listings, "open_agent", opened)
    return made


async def _fail(agent: Agent, model: ScriptedChatModel) -> None:
    """Fail one turn for good, and then one of the same chat that stays unfinished."""
    model.script(ValueError("broken"), *[ModelUnavailable()] * agent.stores.settings.model_attempts)
    for text in ("one", "two"):
        _ = [event async for event in agent.send(agent.local_message(text))]


async def test_what_was_finished_with_another_of_its_chat_has_not_failed_again(
    agent: Agent, model: ScriptedChatModel, capsys: pytest.CaptureFixture[str]
) -> None:
    await _fail(agent, model)
    model.script("To two.", "To one.")
    assert await listings.retry_all(agent.stores.settings) == 0
    assert capsys.readouterr().out == "To two.\nTo one.\n"
    assert await listings.retry_all(agent.stores.settings) == 0
    assert capsys.readouterr().out == "No turn has failed.\n"


async def test_a_turn_that_breaks_again_has_failed_also_where_another_was_finished_first(
    agent: Agent, model: ScriptedChatModel, capsys: pytest.CaptureFixture[str]
) -> None:
    await _fail(agent, model)
    model.script("To two.", ValueError("broken"))
    assert await listings.retry_all(agent.stores.settings) == 1
    written = capsys.readouterr()
    assert written.out == "To two.\n"
    assert written.err == "recollect: failed again: ValueError\n"
