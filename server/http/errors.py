"""Errors that a request is answered with: a status and one line."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from channels.errors import BadSignature, MalformedPayload
from memory.errors import RecollectError, StoreUnavailable, Transient

# Seconds after which a caller may try again when a store or a model is down.
RETRY_AFTER_S = "2"


class Refused(RecollectError):
    """A request that is not served."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


def add_error_answers(app: FastAPI) -> None:
    """Make every failure of the app one line of JSON, `{"error": "..."}`, with its status."""
    for kind in (RecollectError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _answer)


async def _answer(_request: Request, error: Exception) -> JSONResponse:
    status, line = _reading(error)
    headers = {"Retry-After": RETRY_AFTER_S} if status == 503 else {}
    return JSONResponse({"error": line}, status, headers)


def _reading(error: Exception) -> tuple[int, str]:
    match error:
        case Refused():
            return error.status, str(error)
        case BadSignature():
            return 401, str(error)
        case MalformedPayload():
            return 400 if error.field == "body" else 422, str(error)
        case StoreUnavailable():
            return 503, f"a store cannot be reached ({error.setting}); try again"
        case RecollectError():
            return 503 if isinstance(error, Transient) else 422, str(error).partition("\n")[0]
        case RequestValidationError():
            first = error.errors()[0]
            return 422, f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
        case HTTPException():
            return error.status_code, str(error.detail)
        case _:
            raise error
