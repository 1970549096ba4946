"""The OpenAI double is what the product's own client believes it to be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx
import openai
import pytest

from tests.fakes.openai_server import (
    Failure,
    Garbage,
    OpenAIServer,
    Slow,
    ToolUse,
    hash_vector,
)

pytestmark = pytest.mark.anyio
ASK = [{"role": "user", "content": "hi"}]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


_OPENED: list[openai.AsyncOpenAI] = []


def _client(server: OpenAIServer, timeout_s: float = 5) -> openai.AsyncOpenAI:
    client = openai.AsyncOpenAI(
        base_url=f"{server.url}/v1", api_key="none", max_retries=0, timeout=timeout_s
    )
    _OPENED.append(client)
    return client


@pytest.fixture(autouse=True)
async def _close() -> AsyncIterator[None]:
    yield
    while _OPENED:
        await _OPENED.pop().close()


async def _ask(server: OpenAIServer, timeout_s: float = 5) -> str | None:
    answer = await _client(server, timeout_s).chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "hi"}],
    )
    return answer.choices[0].message.content


async def test_scripted_answers_come_in_order_then_the_default(server: OpenAIServer) -> None:
    server.script("one", "two")
    assert [await _ask(server) for _ in range(3)] == ["one", "two", "ok"]
    assert server.calls == 3
    assert server.requests[0]["messages"] == ASK


async def test_streaming_gives_the_same_text(server: OpenAIServer) -> None:
    server.script("a few words")
    stream = await _client(server).chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "hi"}],
        stream=True,
    )
    pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "".join(pieces) == "a few words"
    assert len(pieces) > 2


async def test_failures_on_demand(server: OpenAIServer) -> None:
    server.script(Failure(429), Failure(500), Garbage(), Slow("late", 1.0))
    with pytest.raises(openai.RateLimitError):
        await _ask(server)
    with pytest.raises(openai.InternalServerError):
        await _ask(server)
    with pytest.raises(ValueError, match="Expecting value"):
        await _ask(server)
    with pytest.raises(openai.APITimeoutError):
        await _ask(server, timeout_s=0.2)
    assert server.calls == 4


async def test_tool_calls(server: OpenAIServer) -> None:
    server.script(ToolUse("search", {"query": "x"}))
    answer = await _client(server).chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "hi"}],
    )
    assert answer.choices[0].finish_reason == "tool_calls"


async def test_embeddings_are_deterministic_unit_vectors(server: OpenAIServer) -> None:
    answer = await _client(server).embeddings.create(
        model="e", input=["red apple", "red apple", "blue"], encoding_format="float"
    )
    first, again, other = (item.embedding for item in answer.data)
    assert first == again != other
    assert sum(value * value for value in first) == pytest.approx(1.0)
    assert hash_vector("red apple") == pytest.approx(first)


async def test_steered_over_http(server: OpenAIServer) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        await http.post("/_script", json=["hello", {"fail": 500}])
        assert await _ask(server) == "hello"
        with pytest.raises(openai.InternalServerError):
            await _ask(server)
        assert len((await http.get("/_requests")).json()["chat"]) == 2
