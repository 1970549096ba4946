"""A chat model at an OpenAI-compatible endpoint, whose failures are errors of ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import APIConnectionError, APIStatusError, DefaultAsyncHttpxClient, OpenAIError
from pydantic import ValidationError

from memory.errors import ModelFailed, ModelRefused, ModelUnavailable

# Source: RFC 9110 and RFC 6585: request timeout, conflict, too many requests.
TRANSIENT_STATUSES = frozenset({408, 409, 429})
NO_COMPLETION = "The model's endpoint answered with no chat completion."

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
        is_empty = True
        with _translated():
            async for chunk in super()._astream(*args, **kwargs):
                is_empty = False
                yield chunk
        if is_empty:
            raise ModelFailed(NO_COMPLETION)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except APIStatusError as error:
        status = error.status_code
        # The body may quote what was asked, or part of the key.
        told = f"The model call failed: {type(error).__name__} (HTTP {status})"
        if status in TRANSIENT_STATUSES or status >= 500:
            raise ModelUnavailable(told) from error
        raise ModelRefused(told) from error
    except ValidationError:
        # The answer has another shape than its caller asked for, who can judge it.
        raise
    except (APIConnectionError, _TransportError) as error:
        raise ModelUnavailable(f"The model call failed: {type(error).__name__}") from error
    except (OpenAIError, ValueError, TypeError, AttributeError, KeyError) as error:
        # What the client library raises when an endpoint answers with something else.
        raise ModelFailed(NO_COMPLETION) from error
