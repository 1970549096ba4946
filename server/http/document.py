"""What the OpenAPI document says beside the routes themselves: who may ask, and how calls fail."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from pydantic import BaseModel
from typing_extensions import override

Responses = dict[int | str, dict[str, Any]]  # Any: a part of an OpenAPI document


class Failure(BaseModel):
    """Why a request failed: one line."""

    error: str


WHY: Final = {
    400: "the body broke off",
    401: "the key, or the webhook's signature or secret, is missing or wrong",
    403: "no key is set, and the caller is not on this machine; or a page of another site calls",
    404: "nothing of the kind is kept",
    409: "another message is known under this message_id",
    413: "the body is larger than 1 MiB",
    422: "a parameter or the body is not as described here",
    503: "a store cannot be reached, or is busy: try again after `Retry-After` seconds",
}
"""What each status of a failure means."""

CLOSED: Final = (401, 403, 422, 503)
"""How every call of the API may fail."""
HOOKED: Final = (400, 401, 413, 422, 503)
"""How every webhook may fail."""
WITH_BODY: Final = (400, 413)

_KEYS: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "RECOLLECT_API_KEY"},
    "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    "password": {"type": "http", "scheme": "basic", "description": "the key as the password"},
}
_SECRETS: Final = {
    "waha": {
        "signature": {"type": "apiKey", "in": "header", "name": "X-Webhook-Hmac"},
        "secret": {"type": "apiKey", "in": "header", "name": "X-Webhook-Secret"},
    },
    "telegram": {
        "bot": {"type": "apiKey", "in": "header", "name": "X-Telegram-Bot-Api-Secret-Token"}
    },
}


def failing(*statuses: int) -> Responses:
    """Return the part of a route's `responses` that tells how it may fail."""
    return {status: {"model": Failure, "description": WHY[status]} for status in statuses}


class DescribedApp(FastAPI):
    """An app whose document tells which keys and secrets its routes ask for."""

    @override
    def openapi(self) -> dict[str, Any]:
        """Return the document, made once."""
        if self.openapi_schema is None:
            told = super().openapi()
            secrets = {name: each for named in _SECRETS.values() for name, each in named.items()}
            told["components"]["securitySchemes"] = _KEYS | secrets
            for path, routes in told["paths"].items():
                for route in routes.values():
                    route["security"] = _security(path)
        return super().openapi()


def _security(path: str) -> list[dict[str, list[str]]]:
    """Return any one of which a caller has to have; an empty one: nothing."""
    _, first, *rest = path.split("/")
    names = _SECRETS[rest[0]] if first == "webhooks" else _KEYS
    asked: list[dict[str, list[str]]] = [{name: []} for name in names]
    # Without a key set, whoever is at this machine needs none; health tells strangers one word.
    return asked if first == "webhooks" else [*asked, {}]
