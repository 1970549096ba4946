"""Summaries asked of an endpoint over real HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from graph.models.asked import AskedChatModel
from graph.models.choice import chat_model, summarizer
from graph.models.summarizing import AskedSummarizer
from graph.settings import BadSettings, Settings
from memory.domain.episodes import Spoken
from memory.episodes.summaries import MADE_BY, summarize
from memory.ports.summaries import CallBudget
from tests.fakes.openai_server import Answer, Failure, Garbage, OpenAIServer, Refused, Slow
from tests.integration.asking.told import Opened

pytestmark = pytest.mark.anyio
MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)
SAID = [
    Spoken("m0", "Anna", "I moved to Graz, the flat costs 840 € a month", MONDAY),
    Spoken("m1", "Ben", "wow nice", MONDAY + timedelta(minutes=1)),
    Spoken("m2", "Anna", "I have to call the landlord by Friday", MONDAY + timedelta(minutes=2)),
]
POINT = {
    "kind": "fact",
    "text": "Anna moved to Graz and pays 840 € a month for the flat.",
    "line": 1,
    "quote": "the flat costs 840 €",
}
GOOD = json.dumps({"topic": "Flat in Graz", "points": [POINT]})


class Counted(CallBudget):
    """A budget in memory."""

    def __init__(self) -> None:
        self.spent = 0

    async def spend(self, tenant: str, limit: int) -> bool:
        del tenant
        self.spent += 1
        return self.spent <= limit


def settings_of(server: OpenAIServer, **more: object) -> Settings:
    asked = {
        "summaries": "model",
        "openai_base_url": f"{server.url}/v1",
        "openai_api_key": SecretStr("key"),
    }
    return Settings(model="fake").model_copy(update=asked | more)


async def test_a_summary_is_asked_for_once_cold_and_by_a_schema(server: OpenAIServer) -> None:
    server.script(GOOD)
    made = await summarizer(settings_of(server), Counted()).summarize("t", SAID)
    assert (made.text, made.made_by) == (POINT["text"], "model/1:fake")
    (body,) = server.requests
    assert body["temperature"] <= 0.2
    assert body["response_format"]["json_schema"]["strict"] is True
    assert '"speaker": "Anna"' in body["messages"][-1]["content"]


@pytest.mark.parametrize(
    "answer",
    [
        Failure(500),
        Failure(429),
        Failure(401),
        Refused("No."),
        Garbage(),
        "",
        "Sure! Anna moved.",
        '{"points": []}',
        json.dumps({"topic": "x", "points": [POINT | {"quote": "the flat costs 9 €"}]}),
    ],
)
async def test_whatever_else_is_answered_the_chats_own_words_stand(
    server: OpenAIServer, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    server.script(answer)
    made = await summarizer(settings_of(server), Counted()).summarize("t", SAID)
    assert made == summarize(SAID)
    assert made.made_by == MADE_BY
    assert "Graz" not in caplog.text


async def test_a_model_that_takes_too_long_is_left_alone_for_a_while(
    server: OpenAIServer,
) -> None:
    server.script(Slow(GOOD, 5.0))
    model = AskedChatModel(chat_model(settings_of(server), 0.0), "fake")
    asked = AskedSummarizer(model, Counted(), 9, patience_s=0.2)
    for _ in range(2):
        assert (await asked.summarize("t", SAID)).made_by == MADE_BY
    assert server.calls == 1


async def test_calls_are_counted_for_all_processes_and_end_with_the_budget(
    server: OpenAIServer, opened: Opened
) -> None:
    server.default = GOOD
    stores = [await opened("reader"), await opened("reader")]
    tenant = stores[0].settings.tenant
    made = [
        await summarizer(settings_of(server, capture_calls=3), each.memory.answers).summarize(
            tenant, SAID
        )
        for each in stores * 2
    ]
    assert [each.made_by for each in made] == ["model/1:fake"] * 3 + [MADE_BY]
    assert server.calls == 3
    assert await stores[0].memory.answers.calls_today([tenant]) == {tenant: 3}


async def test_nobody_is_asked_about_little_too_much_or_without_the_setting(
    server: OpenAIServer,
) -> None:
    asked = summarizer(settings_of(server), Counted())
    await asked.summarize("t", SAID[:2])
    await asked.summarize("t", SAID * 60)
    await summarizer(settings_of(server, summaries="extract"), Counted()).summarize("t", SAID)
    assert server.calls == 0


def test_without_a_model_a_key_or_an_endpoint_it_is_refused_at_the_start() -> None:
    with pytest.raises(BadSettings, match="OPENAI_API_KEY"):
        summarizer(Settings(model="fake", summaries="model"), Counted())
    with pytest.raises(ValueError, match="RECOLLECT_MODEL"):
        Settings(summaries="model")
