"""Errors that a request is answered with: a status and one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from channels.errors import BadSignature, MalformedPayload
from memory.errors import RecollectError, StoreRefused, StoreUnavailable, Transient
from memory.facts.asof import BadTime
from server.http.patterns import IN_WORDS

# Seconds after which a caller may try again when a store or a model is down.
RETRY_AFTER_S = "2"

_LINES: Final = {
    404: "there is no such address: /openapi.json lists those that there are",
    405: "this address does not take this method: the header Allow names those that it takes",
}
"""What is said of a request that no route takes."""
_FAULTS: Final = {
    "json_invalid": "is no JSON",
    "missing": "is missing",
    "extra_forbidden": "is no field of this request",
    "uuid_parsing": "is no UUID",
    "timezone_aware": "needs a time zone, as in 2026-03-31T18:00:00Z",
}
"""Words for pydantic's kinds of error, where its own are for programmers."""


class Refused(RecollectError):
    """A request that is not served."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


@contextmanager
def of_parameter(name: str) -> Iterator[None]:
    """Name the parameter of a query in which a day or a time cannot be read."""
    try:
        yield
    except BadTime as error:
        raise Refused(422, f"query.{name}: {error}") from error


def add_error_answers(app: FastAPI) -> None:
    """Make every failure of the app one line of JSON, `{"error": "..."}`, with its status."""
    for kind in (RecollectError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _answer)


async def _answer(_request: Request, error: Exception) -> JSONResponse:
    status, line = _reading(error)
    headers = {"Retry-After": RETRY_AFTER_S} if status == 503 else {}
    if isinstance(error, HTTPException):
        headers |= error.headers or {}
    return JSONResponse({"error": line}, status, headers)


def _reading(error: Exception) -> tuple[int, str]:
    match error:
        case Refused():
            return error.status, str(error)
        case BadSignature():
            return 401, str(error)
        case MalformedPayload():
            return 400 if error.field == "body" else 422, str(error)
        case StoreRefused():
            # The setting is the operator's: whoever asks has nothing to do with it.
            return 422, str(error).removeprefix(f"{error.setting}: ")
        case StoreUnavailable():
            return 503, f"a store cannot be reached ({error.setting}); try again"
        case RecollectError():
            return 503 if isinstance(error, Transient) else 422, str(error).partition("\n")[0]
        case RequestValidationError():
            first = error.errors()[0]
            return 422, f"{'.'.join(str(part) for part in first['loc'])}: {_in_words(first)}"
        case HTTPException():
            return error.status_code, _LINES.get(error.status_code, str(error.detail))
        case _:
            raise error


def _in_words(fault: dict[str, Any]) -> str:  # Any: as pydantic has it
    kind, message = fault["type"], str(fault["msg"])
    if kind == "string_pattern_mismatch":
        return IN_WORDS.get(fault.get("ctx", {}).get("pattern", ""), "is not written like this")
    return _FAULTS.get(kind, message.removeprefix("Value error, "))
