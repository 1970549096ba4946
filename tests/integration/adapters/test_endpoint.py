"""What goes wrong at a model's endpoint is one sentence, of settings and not of classes."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from graph.models.endpoint import CUT_OFF, NO_COMPLETION, EndpointChatModel
from memory.errors import ModelFailed, ModelRefused, ModelUnavailable
from tests.fakes.openai_server import Answer, Cut, Failure, Garbage, OpenAIServer, Slow

pytestmark = pytest.mark.anyio


def _model(server_url: str) -> EndpointChatModel:
    return EndpointChatModel(
        model="m",
        api_key=SecretStr("sk-secret-of-ours"),
        base_url=f"{server_url}/v1",
        timeout=0.3,
        max_retries=0,
    )


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (Failure(400), ModelRefused, "longer than the model takes"),
        (Failure(401), ModelRefused, "OPENAI_API_KEY"),
        (Failure(404), ModelRefused, "RECOLLECT_MODEL and OPENAI_BASE_URL"),
        (Failure(422), ModelRefused, r"refused the call \(HTTP 422\)"),
        (Failure(429), ModelUnavailable, "too often"),
        (Failure(503), ModelUnavailable, r"in trouble \(HTTP 503\)"),
        (Slow("late", 1), ModelUnavailable, "RECOLLECT_MODEL_TIMEOUT_S"),
        (Cut("half a word"), ModelUnavailable, CUT_OFF),
        (Cut("half a word", politely=True), ModelUnavailable, CUT_OFF),
        (Garbage(), ModelFailed, NO_COMPLETION),
    ],
)
async def test_what_goes_wrong_is_a_sentence(
    answer: Answer, error: type[Exception], told: str
) -> None:
    with OpenAIServer() as server:
        server.script(answer)
        with pytest.raises(error, match=told) as caught:
            async for _ in _model(server.url).astream("hi"):
                pass
    assert str(caught.value).startswith("The model's endpoint ")
    assert "sk-secret" not in str(caught.value)
    assert "Error" not in str(caught.value)


async def test_an_endpoint_that_is_not_there_is_told_by_its_setting() -> None:
    with pytest.raises(ModelUnavailable, match="cannot be reached: see OPENAI_BASE_URL"):
        async for _ in _model("http://127.0.0.1:9").astream("hi"):
            pass
