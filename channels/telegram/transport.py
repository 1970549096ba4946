"""Our side of python-telegram-bot: one HTTP call and what its failure means.

Imported only where a bot is configured. The library flattens HTTP statuses into a few errors and
logs answers that it cannot read, so statuses are judged here, before it sees them. Errors are
raised `from None`: what Telegram says about a refused message can quote that message.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from telegram.error import TelegramError
from telegram.request import HTTPXRequest, RequestData

from channels.errors import ChatHasMoved, GatewayUnavailable, SendRefused, SendUncertain
from channels.wire import NEVER_WRITTEN, UNCERTAIN_STATUSES

TOKENS_SETTING = "RECOLLECT_TELEGRAM_TOKENS"
_TOKEN_IN_URL = re.compile(r"/bot\d+:[^/\s'\"]+")
_UNREADABLE = (TelegramError, KeyError, TypeError, ValueError, AttributeError)
"""What the library raises for an answer of another shape than documented."""
# Telegram's words are shown only where they are these: others may quote the message.
_REASONS = (
    "chat not found",
    "bot was blocked by the user",
    "bot was kicked",
    "user is deactivated",
    "bot can't initiate conversation with a user",
    "bot is not a member",
    "not enough rights",
    "have no rights to send a message",
    "need administrator rights",
    "chat_write_forbidden",
    "topic_closed",
    "message thread not found",
    "message is too long",
    "message text is empty",
    "can't parse entities",
)


class Refused(TelegramError):
    """Telegram, or what stands before it, answered with another status than 2xx."""

    def __init__(self, status: int, answer: object) -> None:
        body = answer if isinstance(answer, dict) else {}
        said = str(body.get("description", "")).lower()
        hints = body.get("parameters")
        hints = hints if isinstance(hints, dict) else {}
        self.status = status
        self.reason = next((known for known in _REASONS if known in said), "")
        self.retry_after_s = _number(hints.get("retry_after"))
        moved = hints.get("migrate_to_chat_id")
        self.new_chat_id = moved if isinstance(moved, int) else 0
        super().__init__(f"HTTP {status}" + (f", {self.reason}" if self.reason else ""))


class Request(HTTPXRequest):
    """Hands every status but 2xx out as `Refused`, and keeps answers out of the log."""

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *args: Any, **kw: Any
    ) -> tuple[int, bytes]:
        """Call once. Raises Refused, or the library's NetworkError with httpx's as its cause."""
        status, body = await super().do_request(url, method, request_data, *args, **kw)
        if not 200 <= status <= 299:
            raise Refused(status, _json(body))
        return status, body

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Read an answer; its content is in no error."""
        answer = _json(payload)
        if not isinstance(answer, dict) or "result" not in answer:
            raise TelegramError("the answer has no result")
        return answer


@contextmanager
def sending() -> Iterator[None]:
    """Turn the failure of a send into SendRefused, ChatHasMoved or SendUncertain."""
    try:
        yield
    except Refused as exc:
        raise _refusal(exc) from None
    except _UNREADABLE as exc:
        cause = exc.__cause__
        if isinstance(cause, (*NEVER_WRITTEN, httpx.InvalidURL, RuntimeError)):
            # RuntimeError is what a closed client says.
            raise SendRefused(f"send: Telegram not reached ({_name(exc)})") from None
        raise SendUncertain(f"send: no answer ({_name(exc)})") from None


@contextmanager
def asking(what: str) -> Iterator[None]:
    """Turn the failure of a call that may be repeated into GatewayUnavailable."""
    try:
        yield
    except Refused as exc:
        raise GatewayUnavailable(f"{what}: {_told(exc)}") from None
    except _UNREADABLE as exc:
        raise GatewayUnavailable(f"{what}: no answer ({_name(exc)})") from None


def keep_quiet() -> None:
    """Keep tokens and texts out of the log: the address of every call holds the token.

    Hides tokens in httpx's lines and leaves python-telegram-bot its warnings only, unless a level
    was set for it. Repeated calls change nothing.
    """
    httpx_log, library_log = logging.getLogger("httpx"), logging.getLogger("telegram")
    if _hide_tokens not in httpx_log.filters:
        httpx_log.addFilter(_hide_tokens)
    if library_log.level == logging.NOTSET:
        library_log.setLevel(logging.WARNING)


def _hide_tokens(record: logging.LogRecord) -> bool:
    line = record.getMessage()
    hidden = _TOKEN_IN_URL.sub("/bot<token>", line)
    if hidden != line:
        record.msg, record.args = hidden, ()
    return True


def _refusal(exc: Refused) -> SendRefused | SendUncertain:
    if exc.new_chat_id:
        return ChatHasMoved(str(exc.new_chat_id))
    if exc.status in UNCERTAIN_STATUSES:
        return SendUncertain(f"send: lost on the way (HTTP {exc.status})")
    # Telegram answers 400 and 403 to what cannot succeed as it is: a chat that is gone, a text
    # that it does not take, a person who blocked the bot.
    is_final = exc.status in (400, 403)
    told = _told(exc)
    return SendRefused(f"send: {told}", retry_after_s=exc.retry_after_s, is_final=is_final)


def _told(exc: Refused) -> str:
    if exc.status in (401, 404):
        return f"Telegram knows no bot with this token; check {TOKENS_SETTING}"
    if exc.status == 409:
        return "another process or a webhook takes this bot's updates (HTTP 409); stop it"
    return f"refused by Telegram ({exc})"


def _name(exc: BaseException) -> str:
    """Name a failure by its type: its text can hold the address, and so the token."""
    return type(exc.__cause__ or exc).__name__


def _number(value: object) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
