"""A chat model as a judge: it answers in the shape that it is asked for, or fails."""

from __future__ import annotations

import re
from typing import TypeVar

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, ValidationError
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential

from evals.errors import BadInputError
from graph.models.choice import chat_model
from graph.retry import is_worth_another_try
from graph.settings import BadSettings, Settings
from memory.errors import RecollectError, reason_of

FIRST_WAIT_S = 0.5
TEMPERATURE = 0.0
# Source: OpenAI's guide to reasoning models: the o series takes no temperature but its own.
_HAS_FIXED_TEMPERATURE = re.compile(r"o\d")

S = TypeVar("S", bound=BaseModel)


class JudgeFailed(RecollectError):
    """The judging model gave no usable judgement."""


class _Ready(BaseModel):
    """What the model says when it is asked whether it is there."""

    ready: bool


class Judge:
    """Asks a chat model for structured answers. `calls` counts its requests, failed ones too."""

    def __init__(self, model: BaseChatModel, name: str, attempts: int) -> None:
        self.model = model
        self.name = name
        self.calls = 0
        self._attempts = attempts

    async def ask(self, prompt: str, schema: type[S]) -> S:
        """Return the model's answer as `schema`.

        Raises:
            JudgeFailed: the answer has another shape, or none came; one line without its text.
        """
        structured = self.model.with_structured_output(schema, method="json_schema")
        try:
            async for attempt in AsyncRetrying(
                stop=stop_after_attempt(self._attempts),
                wait=wait_exponential(FIRST_WAIT_S),
                retry=retry_if_exception(_may_pass),
                reraise=True,
            ):
                with attempt:
                    self.calls += 1
                    answer = await structured.ainvoke(prompt)
        except ValidationError as error:
            return _unwrapped(error, schema)
        # What the client library raises for failed calls, and for answers that are no completion.
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise JudgeFailed("the judge answered with no chat completion") from error
        except RecollectError as error:
            raise JudgeFailed(reason_of(error)) from error
        if not isinstance(answer, schema):
            raise JudgeFailed(f"the judge gave no {schema.__name__}")
        return answer

    async def check(self) -> None:
        """See whether the model answers at all, and in a given shape: one call.

        Raises:
            BadInputError: it does not.
        """
        try:
            await self.ask('Are you ready? Answer with the JSON object {"ready": true}.', _Ready)
        except JudgeFailed as error:
            raise BadInputError(
                f"--answers: {self.name} cannot judge, a first question to it failed: {error}"
            ) from error


def open_judge(settings: Settings) -> Judge:
    """Return the model of the settings as a judge, at temperature 0 where it takes one.

    Raises:
        BadInputError: no model is configured.
    """
    if settings.model is None:
        raise BadInputError(
            "--answers needs a chat model: set RECOLLECT_MODEL, and OPENAI_API_KEY or"
            " OPENAI_BASE_URL"
        )
    fixed = _HAS_FIXED_TEMPERATURE.match(settings.model)
    try:
        model = chat_model(settings, None if fixed else TEMPERATURE)
    except BadSettings as error:
        raise BadInputError(f"--answers: {error}") from error
    return Judge(model, settings.model, settings.model_attempts)


def _may_pass(error: BaseException) -> bool:
    # A judgement of another shape comes again at temperature 0.
    return (
        isinstance(error, Exception)
        and not isinstance(error, ValidationError)
        and is_worth_another_try(error)
    )


def _unwrapped(error: ValidationError, schema: type[S]) -> S:
    """Read the JSON object in an answer that wraps it into prose or a code fence.

    Raises:
        JudgeFailed: there is none, or it has another shape.
    """
    first = error.errors(include_url=False)[0]
    text = first["input"] if first["type"] == "json_invalid" else ""
    start, end = str(text).find("{"), str(text).rfind("}")
    try:
        return schema.model_validate_json(str(text)[start : end + 1])
    except ValidationError:
        raise JudgeFailed(f"the judge gave no {schema.__name__}") from None
