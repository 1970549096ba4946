"""A chat model at an OpenAI-compatible endpoint, whose failures are errors of ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    DefaultAsyncHttpxClient,
    OpenAIError,
)
from pydantic import ValidationError

from memory.errors import ModelFailed, ModelRefused, ModelUnavailable

# Source: RFC 9110 and RFC 6585: request timeout, conflict, too many requests.
TRANSIENT_STATUSES = frozenset({408, 409, 429})
NO_COMPLETION = "The model's endpoint answered with no chat completion."
CUT_OFF = "The model's endpoint ended its answer half-way."
_UNREACHED = "The model's endpoint cannot be reached: see OPENAI_BASE_URL."
_TOO_SLOW = "The model's endpoint did not answer in time: see RECOLLECT_MODEL_TIMEOUT_S."
_SAID = {
    400: "refused the prompt; it may be longer than the model takes: see RECOLLECT_MEMORY_TOKENS",
    401: "refused the key: see OPENAI_API_KEY",
    403: "refused the key: see OPENAI_API_KEY",
    404: "knows no such model, or has another address: see RECOLLECT_MODEL and OPENAI_BASE_URL",
    429: "is asked too often, or its account is used up",
}
"""What a status means, by the settings that it may be about."""

# What breaks in the middle of a stream reaches us as an error of the HTTP library that the client
# was built on, which is another one since its version 3.
_HTTP_LIBRARY = DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
_TransportError: type[Exception] = import_module(_HTTP_LIBRARY).TransportError


class EndpointChatModel(ChatOpenAI):
    """`ChatOpenAI` that raises ModelUnavailable, ModelRefused or ModelFailed."""

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:  # Any: LangChain's own
        with _translated():
            return await super()._agenerate(*args, **kwargs)

    async def _astream(
        self,
        *args: Any,  # Any: LangChain's own
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        is_empty, is_whole = True, False
        with _translated():
            async for chunk in super()._astream(*args, **kwargs):
                is_empty = False
                is_whole |= bool((chunk.generation_info or {}).get("finish_reason"))
                yield chunk
        if is_empty:
            raise ModelFailed(NO_COMPLETION)
        if not is_whole:
            raise ModelUnavailable(CUT_OFF)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except APIStatusError as error:
        status = error.status_code
        # The body may quote what was asked, or part of the key.
        said = _SAID.get(status, "is in trouble" if status >= 500 else "refused the call")
        told = f"The model's endpoint {said} (HTTP {status})."
        if status in TRANSIENT_STATUSES or status >= 500:
            raise ModelUnavailable(told) from error
        raise ModelRefused(told) from error
    except ValidationError:
        # The answer has another shape than its caller asked for, who can judge it.
        raise
    except APIConnectionError as error:
        is_slow = isinstance(error, APITimeoutError)
        raise ModelUnavailable(_TOO_SLOW if is_slow else _UNREACHED) from error
    except _TransportError as error:
        # In the middle of a stream. Its class is the library's, whichever that is.
        is_slow = "Timeout" in type(error).__name__
        raise ModelUnavailable(_TOO_SLOW if is_slow else CUT_OFF) from error
    except (OpenAIError, ValueError, TypeError, AttributeError, KeyError) as error:
        # What the client library raises when an endpoint answers with something else.
        raise ModelFailed(NO_COMPLETION) from error
