"""Episodes that a chat model sums up, over real HTTP, once they are over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from pydantic import SecretStr

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from memory.domain.episodes import Episode
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.openai_server import Garbage, OpenAIServer
from tests.fakes.reader import ScriptedReader
from tests.messages import START, message

pytestmark = pytest.mark.anyio

POINT = {
    "kind": "fact",
    "text": "Ana painted the kitchen grey.",
    "line": 1,
    "quote": "painted the kitchen grey",
}
TOLD = json.dumps({"topic": "A grey kitchen", "points": [POINT]})
SITTINGS = ("I painted the kitchen grey", "the train to the coast was late")


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


async def episodes(
    settings: Settings, model: ScriptedChatModel, server: OpenAIServer
) -> list[Episode]:
    """Return the episodes of two sittings, a day apart, the last of them still going on."""
    asked = {
        "model": "fake",
        "summaries": "model",
        "openai_base_url": f"{server.url}/v1",
        "openai_api_key": SecretStr("key"),
    }
    now = START + timedelta(days=1, minutes=5)
    given = Overrides(model=model, reader=ScriptedReader({}), clock=lambda: now)
    async with open_stores(settings.model_copy(update=asked), given) as stores:
        said = [
            message(
                f"{words}, part {number}",
                tenant=stores.settings.tenant,
                minutes=day * 1440 + number,
            )
            for day, words in enumerate(SITTINGS)
            for number in range(4)
        ]
        await stores.memory.ledger.record(said, history=True)
        await stores.projector.caught_up()
        thread = said[0].chat.thread_id
        found = await stores.memory.episodes.of_chat(stores.settings.tenant, thread, 10)
        return list(reversed(found))


async def test_what_is_over_is_told_by_the_model_and_what_goes_on_by_its_own_words(
    settings: Settings, model: ScriptedChatModel, server: OpenAIServer
) -> None:
    server.script(TOLD)
    over, going_on = await episodes(settings, model, server)
    assert over.summary is not None
    assert "Ana painted the kitchen grey." in over.summary.text
    assert over.summary.made_by == "model/1:fake"
    assert going_on.summary is None or going_on.summary.made_by != "model/1:fake"
    assert server.calls == 1


async def test_a_model_that_answers_with_garbage_leaves_the_chats_own_words(
    settings: Settings, model: ScriptedChatModel, server: OpenAIServer
) -> None:
    server.script(Garbage())
    over, _ = await episodes(settings, model, server)
    assert over.summary is not None
    assert "painted the kitchen grey" in over.summary.text
    assert over.summary.made_by != "model/1:fake"
