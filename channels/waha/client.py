"""Calls to a WAHA gateway. One attempt each: repeating is the outbox's business.

No text and no key is ever logged or put into an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from channels.errors import GatewayUnavailable, MalformedPayload, SendRefused, SendUncertain
from channels.waha.jid import bare_message_id, canonical_jid
from channels.wire import NEVER_WRITTEN, UNCERTAIN_STATUSES

TIMEOUT_S = 30.0
"""For one call. A gateway that also fetches a link preview has been seen to take 10 s."""
_NOT_FOUND = 404
_UNPROCESSABLE = 422
_NOT_ABOUT_THE_MESSAGE = frozenset({401, 403, _NOT_FOUND, 408, 425, 429})
"""Key, rights and session, which somebody sets right; and what asks for patience."""


class WahaClient:
    """One session of one gateway. Close it, or use it as an async context manager."""

    def __init__(
        self, base_url: str, api_key: str, session: str, http: httpx.AsyncClient | None = None
    ) -> None:
        """Remember where to call.

        Args:
            base_url: The gateway, e.g. `http://localhost:3000`.
            api_key: Its API key; empty when it has none.
            session: Name of the WhatsApp session.
            http: A client to share; it stays open when this one is closed.
        """
        self._base_url = base_url.rstrip("/")
        self._headers = {"X-Api-Key": api_key} if api_key else {}
        self._session = session
        self._owned = http is None
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT_S)

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close what this client opened."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, unless they were handed in."""
        if self._owned:
            await self._http.aclose()

    async def send_text(
        self,
        chat_id: str,
        text: str,
        reply_to: str | None = None,
        mentions: Sequence[str] | None = None,
    ) -> str:
        """Send one message and return its bare id.

        A 5xx that the gateway itself gives (500, 501, 503) counts as not sent: it answers 2xx
        once the message is handed over. 502, 504 and 408 come from what stands between, so they
        are uncertain, as is a 2xx whose message id cannot be read.

        Args:
            chat_id: Where to.
            text: Already in WhatsApp's markup.
            reply_to: Id of the message answered; a bare one is taken as the contact's in a direct
                chat.
            mentions: Ids to mention.

        Raises:
            SendRefused: It was certainly not sent. `is_final` where it cannot be as it is.
            SendUncertain: It may have been sent.
        """
        body: dict[str, object] = {"session": self._session, "chatId": chat_id, "text": text}
        if reply_to:
            body["reply_to"] = reply_to if "@" in reply_to else f"false_{chat_id}_{reply_to}"
        if mentions:
            body["mentions"] = list(mentions)
        try:
            answer = await self._call("POST", "/api/sendText", json=body)
        except NEVER_WRITTEN as exc:
            raise SendRefused(f"send: gateway not reached ({type(exc).__name__})") from exc
        except httpx.InvalidURL as exc:
            raise SendRefused("send: the gateway's address is no URL") from exc
        except httpx.HTTPError as exc:
            raise SendUncertain(f"send: no answer ({type(exc).__name__})") from exc
        if answer.status_code in UNCERTAIN_STATUSES:
            raise SendUncertain(f"send: lost on the way (HTTP {answer.status_code})")
        if not answer.is_success:
            told = f"send: refused by the gateway (HTTP {answer.status_code})"
            raise SendRefused(told, is_final=_is_final(answer))
        message_id = sent_message_id(_json(answer))
        if not message_id:
            raise SendUncertain("send: accepted, but the answer names no message id")
        return message_id

    async def start_typing(self, chat_id: str) -> None:
        """Show the typing indicator. Raises GatewayUnavailable."""
        await self._post("/api/startTyping", {"chatId": chat_id})

    async def stop_typing(self, chat_id: str) -> None:
        """Take the typing indicator back. Raises GatewayUnavailable."""
        await self._post("/api/stopTyping", {"chatId": chat_id})

    async def send_seen(self, chat_id: str) -> None:
        """Mark the chat as read. Raises GatewayUnavailable."""
        await self._post("/api/sendSeen", {"chatId": chat_id})

    async def recent_messages(self, chat_id: str, limit: int) -> list[dict[str, Any]]:
        """Return the chat's newest messages as the gateway has them, at most `limit`.

        For finding out whether an uncertain send happened. Raises GatewayUnavailable.
        """
        path = f"/api/{_part(self._session)}/chats/{_part(chat_id)}/messages"
        params = {"limit": str(limit), "downloadMedia": "false"}
        found = _json(await self._ask("GET", path, params=params))
        if not isinstance(found, list):
            raise GatewayUnavailable("messages: the gateway's answer is no list")
        return [message for message in found if isinstance(message, dict)][:limit]

    async def resolve_lid(self, lid: str) -> str | None:
        """Return the phone id behind a hidden one; None when the gateway does not know it.

        Raises GatewayUnavailable.
        """
        path = f"/api/{_part(self._session)}/lids/{_part(lid)}"
        answer = await self._ask("GET", path, accept=_NOT_FOUND)
        found = _json(answer) if answer.is_success else None
        phone = found.get("pn") if isinstance(found, dict) else None
        return canonical_jid(phone) if isinstance(phone, str) and phone else None

    async def _post(self, path: str, body: Mapping[str, object]) -> None:
        await self._ask("POST", path, json={"session": self._session, **body})

    async def _ask(
        self,
        method: str,
        path: str,
        *,
        accept: int = 0,
        json: Mapping[str, object] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        what = path.rpartition("/")[2] if method == "POST" else "lookup"
        try:
            answer = await self._call(method, path, json=json, params=params)
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise GatewayUnavailable(f"{what}: no answer ({type(exc).__name__})") from exc
        if not answer.is_success and answer.status_code != accept:
            raise GatewayUnavailable(f"{what}: refused (HTTP {answer.status_code})")
        return answer

    async def _call(
        self,
        method: str,
        path: str,
        *,
        json: Mapping[str, object] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        return await self._http.request(
            method, self._base_url + path, headers=self._headers, json=json, params=params
        )


def sent_message_id(answer: object) -> str:
    """Return the bare id in a send's answer, whatever the engine; empty when there is none.

    Accepts `{id: serialized or bare}` (GOWS), `{id: {id, _serialized}}` (WEBJS),
    `{key: {id}}` (NOWEB), and either of them under `_data`.
    """
    if not isinstance(answer, dict):
        return ""
    key = answer.get("key")
    for value in (answer.get("id"), key.get("id") if isinstance(key, dict) else None):
        if isinstance(value, dict):
            value = value.get("_serialized") or value.get("id")
        if isinstance(value, str) and value:
            try:
                return bare_message_id(value, "id")
            except MalformedPayload:
                continue
    return sent_message_id(answer["_data"]) if isinstance(answer.get("_data"), dict) else ""


def _is_final(answer: httpx.Response) -> bool:
    """Tell whether a refusal is about the message, so that it is refused again as it is."""
    status = answer.status_code
    if status == _UNPROCESSABLE:
        # With this WAHA also says that a session is starting, stopped or to be paired again.
        said = _json(answer)
        told = [said.get("error"), said.get("message")] if isinstance(said, dict) else []
        return not any("session" in str(each).lower() for each in told)
    return 400 <= status < 500 and status not in _NOT_ABOUT_THE_MESSAGE


def _json(answer: httpx.Response) -> object:
    try:
        return answer.json()
    except (ValueError, RecursionError):
        return None


def _part(value: str) -> str:
    """Quote one path segment: a chat id must not be able to name another path."""
    return quote(value, safe="@")
