"""Reading what comes over the wire: raw bodies, typed payloads, shared secrets, failed sends."""

from __future__ import annotations

import hmac
import json
from typing import TypeVar

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from channels.errors import MalformedPayload

LATEST_S = 253402300799
"""9999-12-31T23:59:59Z in Unix seconds, the last second a Python datetime can hold."""
UNCERTAIN_STATUSES = frozenset({408, 502, 504})
"""What a proxy answers in a server's stead when it lost it midway."""
NEVER_WRITTEN = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.ProxyError,
)
"""Failures before a request could have reached anyone."""


class Wire(BaseModel):
    """Base of all wire types: unknown fields are ignored, values are never changed afterwards."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


W = TypeVar("W", bound=Wire)


def parse_body(body: bytes) -> object:
    """Read a webhook's raw body as JSON.

    Raises:
        MalformedPayload: It is no JSON, or nested deeper than any webhook is.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedPayload("body", "is no JSON") from None


def read(model: type[W], value: object, field: str) -> W:
    """Read a wire value; the error names the first wrong field and never quotes its content.

    Raises:
        MalformedPayload: A field is missing or has a type that its channel never sends.
    """
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
        path = ".".join(part for part in (field, *map(str, first["loc"])) if part)
        problem = first["msg"].removeprefix("Value error, ")
        raise MalformedPayload(path or "body", f"({problem})") from None


def is_same_secret(given: str, expected: str) -> bool:
    """Compare in constant time, whatever characters a header holds."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())
