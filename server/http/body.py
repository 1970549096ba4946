"""Reading a request's body up to a limit, and never beyond it."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect

from server.http.errors import Refused

MAX_BODY_BYTES = 1024 * 1024

_Model = TypeVar("_Model", bound=BaseModel)


async def read_body(request: Request, limit: int = MAX_BODY_BYTES) -> bytes:
    """Return the raw body.

    Raises:
        Refused: it is larger than `limit` (413, found out before more is read), or it broke off.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise _too_large(limit)
            parts.append(part)
    except ClientDisconnect:
        raise Refused(400, "the body broke off") from None
    return b"".join(parts)


async def read_model(request: Request, model: type[_Model]) -> _Model:
    """Return the body as a model: FastAPI's own reading of a body has no end.

    Raises:
        Refused: the body is too large, or broke off.
        RequestValidationError: it is no such model.
    """
    body = await read_body(request)
    try:
        return model.model_validate_json(body)
    except ValidationError as exc:
        told = exc.errors(include_input=False)
        raise RequestValidationError([e | {"loc": ("body", *e["loc"])} for e in told]) from exc


def described(model: type[BaseModel], example: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a route's OpenAPI that describes a body read by `read_model`."""
    return _body(model.model_json_schema(), example)


def any_object(example: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a route's OpenAPI that describes a body in somebody else's format."""
    return _body({"type": "object"}, example)


def _body(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


def _too_large(limit: int) -> Refused:
    return Refused(413, f"the body is larger than {limit} bytes")
