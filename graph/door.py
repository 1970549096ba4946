"""Who may come in over HTTP: holders of the API key or, where none is set, this machine's people.

A key travels as `Authorization: Bearer`, as `X-Api-Key` (LangGraph's SDK), or as the password of
`Authorization: Basic` (a browser that was asked for it).
"""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

from pydantic import SecretStr
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from graph.settings import BadSettings, Settings

FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
_HOST = re.compile(r"(?:\[(?P<ipv6>[^\]]+)\]|(?P<name>[^:]+))(?::\d*)?")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served: a status of HTTP and one line."""

    status: int
    line: str


class Gate:
    """Stands before an ASGI app. What is refused gets its line; paths that are open always pass.

    No page shows what it serves in a frame. `request.state.is_admitted` tells an open path who
    asks. `challenge` is the scheme that a 401 names, `is_friend` which pages of other origins may
    call.
    """

    def __init__(
        self,
        app: ASGIApp,
        key: Callable[[], SecretStr | None],
        *,
        is_open: Callable[[str], bool] = lambda _: False,
        is_friend: Callable[[str], bool] = lambda _: False,
        challenge: str = "Bearer",
    ) -> None:
        self._app = app
        self._key = key
        self._is_open = is_open
        self._is_friend = is_friend
        self._challenge = challenge

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refused = refusal(scope, self._key(), self._is_friend)
        scope.setdefault("state", {})["is_admitted"] = refused is None
        if refused is None or self._is_open(scope["path"]):
            await self._app(scope, receive, _unframed(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            headers = {"WWW-Authenticate": self._challenge} if refused.status == 401 else {}
            answer = JSONResponse({"error": refused.line}, refused.status, headers)
            await answer(scope, receive, send)


def _unframed(send: Send) -> Send:
    """Return `send` for answers that no page shows in a frame, where its visitor would click."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["X-Frame-Options"] = "DENY"
            headers.append("Content-Security-Policy", "frame-ancestors 'none'")
        await send(message)

    return sent


def refusal(
    scope: Scope, key: SecretStr | None, is_friend: Callable[[str], bool] = lambda _: False
) -> Refusal | None:
    """Return why a request is not served; None when it is."""
    headers = Headers(scope=scope)
    if key is not None:
        # A page under a rebound name holds no key, so that the name needs no look.
        if not _has_key(headers, key.get_secret_value()):
            return Refusal(401, "send the key of RECOLLECT_API_KEY as Authorization: Bearer")
    elif not _is_from_here(scope, headers):
        return Refusal(403, "without RECOLLECT_API_KEY only callers on this machine are served")
    # Browsers send a page's passwords, and reach loopback, for pages of other sites as well.
    origin = headers.get("origin", "")
    site = origin.partition("://")[2]
    if origin and site != headers.get("host") and not is_friend(origin):
        return Refusal(403, "pages of other sites are not served")
    return None


def check_address(settings: Settings, host: str) -> None:
    """Refuse to listen for other machines without a key.

    Raises:
        BadSettings: no key is set, and `host` is not an address of loopback.
    """
    if settings.api_key is None and not _is_loopback(host):
        raise BadSettings(
            "RECOLLECT_API_KEY: set a key of your own, or leave --host at 127.0.0.1: where other"
            " machines reach the server, it asks for one."
        )


def _has_key(headers: Headers, key: str) -> bool:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        given = _password(given)
    elif scheme.lower() != "bearer":
        given = headers.get("x-api-key", "")
    return hmac.compare_digest(given.encode(), key.encode())


def _password(credentials: str) -> str:
    try:
        return base64.b64decode(credentials).partition(b":")[2].decode("latin-1")
    except ValueError:
        return ""


def _is_from_here(scope: Scope, headers: Headers) -> bool:
    """Tell whether the caller sits at this machine and means it by its name.

    Another name is that of a page which had it point here, to be read by its scripts.
    """
    client = scope.get("client")
    if client is None or not _is_loopback(client[0]) or any(name in headers for name in FORWARDED):
        return False
    hosts = [_HOST.fullmatch(value) for value in headers.getlist("host")]
    names = [found["ipv6"] or found["name"] for found in hosts if found]
    return len(names) == len(hosts) == 1 and _is_loopback(names[0])


def _is_loopback(name: str) -> bool:
    if name.lower() == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
