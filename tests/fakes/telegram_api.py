"""A Telegram Bot API over real HTTP: bots by token, updates by webhook or polling, failures.

In a test: `with TelegramApi() as api: ... TelegramClient(api.token(), api.url)`.
From a shell: `python -m tests.fakes.telegram_api --port P --bot 7001:secret=my_bot`, steered
through `GET /_sent`, `POST /_fail` and `POST /_push`.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import itertools
import json
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self
from urllib.parse import parse_qsl

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.fakes.serving import ServerThread

DEFAULT_BOTS = {"7001:secret-of-the-bot": "recollect_test_bot"}
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
FIRST_MESSAGE_ID = 900_001
MAX_CHARACTERS = 4096
RETRY_S = 0.1
MAX_ATTEMPTS = 300
OPT_IN = ("message_reaction", "message_reaction_count", "chat_member")
"""Kinds of update that come only if they are asked for."""
_TAG = re.compile(r"<(/?)([a-z][a-z-]*)((?:\s+[a-z-]+(?:=\"[^\"<>]*\")?)*)\s*>", re.IGNORECASE)
_NAMES = frozenset(
    "a b blockquote code del em i ins pre s span strike strong tg-emoji tg-spoiler u".split()
)


@dataclass(frozen=True, slots=True)
class Sent:
    """One message that was carried out. `text` is as it came in, `plain` what a reader sees."""

    bot_id: int
    message_id: int
    chat_id: int
    text: str
    plain: str
    parse_mode: str
    topic: int | None
    reply_to: int | None
    timestamp: int


@dataclass
class Bot:
    """A bot and what waits for it."""

    bot_id: int
    username: str
    webhook_url: str = ""
    secret: str = ""
    allowed: tuple[str, ...] = ()
    waiting: list[dict[str, Any]] = field(default_factory=list)

    @property
    def user(self) -> dict[str, Any]:
        """The bot as a user."""
        return {
            "id": self.bot_id,
            "is_bot": True,
            "first_name": self.username,
            "username": self.username,
        }


class ApiError(Exception):
    """What the Bot API answers instead of a result."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.body: dict[str, Any] = {
            "ok": False,
            "error_code": status,
            "description": description,
        }
        if parameters:
            self.body["parameters"] = parameters


class TelegramApi:
    """The server and its state. `sent` holds what went out, `calls` every call, oldest first."""

    def __init__(self, bots: Mapping[str, str] | None = None, port: int = 0) -> None:
        self.bots = {
            token: Bot(int(token.partition(":")[0]), username)
            for token, username in (bots or DEFAULT_BOTS).items()
        }
        self.sent: list[Sent] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.blocked: set[int] = set()
        self.unknown_chats: set[int] = set()
        self.moved: dict[int, int] = {}
        self._failing: list[ApiError] = []
        self._stalling = 0
        self._numbers = itertools.count(FIRST_MESSAGE_ID)
        self._update_ids = itertools.count(1_000)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self.app = Starlette(
            routes=[
                Route("/bot{token}/{method}", self._call, methods=["GET", "POST"]),
                Route("/_sent", self._list_sent),
                Route("/_fail", self._order_failure, methods=["POST"]),
                Route("/_push", self._order_update, methods=["POST"]),
            ]
        )
        self._server = ServerThread(self.app, port)

    @property
    def url(self) -> str:
        """Where it answers."""
        return self._server.url

    def __enter__(self) -> Self:
        self._stopping.clear()
        self._server.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stopping.set()
        self._server.stop()

    def token(self, bot_id: int = 0) -> str:
        """Return a bot's token; the first bot's without an id."""
        found = (token for token, bot in self.bots.items() if bot_id in (0, bot.bot_id))
        return next(found)

    def fail(self, count: int, status: int = 500, description: str = "on demand") -> None:
        """Refuse the next `count` sends with a status; nothing is sent."""
        with self._lock:
            self._failing += [ApiError(status, description)] * count

    def flood(self, count: int, retry_after: int) -> None:
        """Refuse the next `count` sends and ask to wait."""
        with self._lock:
            error = ApiError(429, "Too Many Requests", retry_after=retry_after)
            self._failing += [error] * count

    def stall(self, count: int) -> None:
        """Carry the next `count` sends out and never answer them."""
        with self._lock:
            self._stalling += count

    def unstall(self) -> None:
        """Forget what is left of `stall`; sends that hang already keep hanging."""
        with self._lock:
            self._stalling = 0

    def migrate(self, old: int, new: int) -> None:
        """Make a chat move: sends to the old id name the new one. Its notices are not pushed."""
        self.moved[old] = new

    def next_update_id(self) -> int:
        """Return a fresh update id."""
        return next(self._update_ids)

    def post(self, update: dict[str, Any], bot_id: int = 0) -> int:
        """Post an update to the bot's webhook once, now; return the receiver's HTTP status."""
        bot = self.bots[self.token(bot_id)]
        headers = {SECRET_HEADER: bot.secret} if bot.secret else {}
        answer = httpx.post(bot.webhook_url, json=update, headers=headers, timeout=30)
        return answer.status_code

    def push(self, update: dict[str, Any], bot_id: int = 0) -> None:
        """Hand an update over as Telegram does: to the webhook until taken, else for polling."""
        bot = self.bots[self.token(bot_id)]
        if bot.webhook_url:
            threading.Thread(target=self._post_until_taken, args=(update, bot_id)).start()
        else:
            with self._lock:
                bot.waiting.append(update)

    def _post_until_taken(self, update: dict[str, Any], bot_id: int) -> None:
        for _ in range(MAX_ATTEMPTS):
            if self._stopping.is_set():
                return
            try:
                if 200 <= self.post(update, bot_id) <= 299:
                    return
            except httpx.HTTPError:
                pass
            self._stopping.wait(RETRY_S)

    async def _call(self, request: Request) -> JSONResponse:
        method = request.path_params["method"]
        params = dict(request.query_params)
        body = (await request.body()).decode()
        is_json = request.headers.get("content-type", "").startswith("application/json")
        params |= json.loads(body) if is_json else dict(parse_qsl(body))
        self.calls.append((method, params))
        try:
            bot = self.bots.get(request.path_params["token"])
            if bot is None:
                raise ApiError(401, "Unauthorized")
            return JSONResponse({"ok": True, "result": await self._result(bot, method, params)})
        except ApiError as error:
            return JSONResponse(error.body, error.status)

    async def _result(self, bot: Bot, method: str, params: dict[str, Any]) -> object:
        match method:
            case "getMe":
                return bot.user
            case "sendMessage":
                return await self._send(bot, params)
            case "sendChatAction":
                self._check_chat(int(params["chat_id"]))
                return True
            case "getUpdates":
                return await self._updates(bot, params)
            case "setWebhook":
                bot.webhook_url, bot.secret = params["url"], params.get("secret_token", "")
                bot.allowed = _kinds(params)
                return True
            case "deleteWebhook":
                bot.webhook_url = bot.secret = ""
                return True
        raise ApiError(404, "Not Found")

    async def _send(self, bot: Bot, params: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            failing = self._failing.pop(0) if self._failing else None
            stalled = failing is None and self._stalling > 0
            self._stalling -= stalled
        if failing:
            raise failing
        chat_id, text = int(params["chat_id"]), params.get("text", "")
        self._check_chat(chat_id)
        plain = read_html(text) if params.get("parse_mode") == "HTML" else text
        if not plain.strip():
            raise ApiError(400, "Bad Request: message text is empty")
        if len(plain) > MAX_CHARACTERS:
            raise ApiError(400, "Bad Request: message is too long")
        reply = json.loads(params.get("reply_parameters", "{}"))
        topic = params.get("message_thread_id")
        sent = Sent(
            bot_id=bot.bot_id,
            message_id=next(self._numbers),
            chat_id=chat_id,
            text=text,
            plain=plain,
            parse_mode=params.get("parse_mode", ""),
            topic=int(topic) if topic else None,
            reply_to=reply.get("message_id"),
            timestamp=int(time.time()),
        )
        self.sent.append(sent)
        while stalled and not self._stopping.is_set():  # noqa: ASYNC110 set from a thread
            await asyncio.sleep(0.02)
        kind = "private" if chat_id > 0 else "supergroup"
        return {
            "message_id": sent.message_id,
            "from": bot.user,
            "chat": {"id": chat_id, "type": kind},
            "date": sent.timestamp,
            "text": plain,
        }

    def _check_chat(self, chat_id: int) -> None:
        if chat_id in self.moved:
            raise ApiError(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=self.moved[chat_id],
            )
        if chat_id in self.blocked:
            raise ApiError(403, "Forbidden: bot was blocked by the user")
        if chat_id in self.unknown_chats:
            raise ApiError(400, "Bad Request: chat not found")

    async def _updates(self, bot: Bot, params: dict[str, Any]) -> list[dict[str, Any]]:
        if bot.webhook_url:
            raise ApiError(409, "Conflict: can't use getUpdates method while webhook is active")
        bot.allowed = _kinds(params) or bot.allowed
        offset, limit = int(params.get("offset", 0)), int(params.get("limit", 100))
        deadline = time.monotonic() + float(params.get("timeout", 0))
        while True:
            with self._lock:
                bot.waiting = [
                    update
                    for update in bot.waiting
                    if update["update_id"] >= offset and _is_wanted(update, bot.allowed)
                ]
                found = sorted(bot.waiting, key=lambda update: int(update["update_id"]))[:limit]
            if found or time.monotonic() >= deadline or self._stopping.is_set():
                return found
            await asyncio.sleep(0.02)

    async def _list_sent(self, request: Request) -> JSONResponse:
        return JSONResponse([asdict(sent) for sent in self.sent])

    async def _order_failure(self, request: Request) -> JSONResponse:
        """Take `{"count": n, ...}` with `"status"`, `"retry_after"` or `"stall": true`."""
        order = await request.json()
        count = int(order.get("count", 1))
        if order.get("stall"):
            self.stall(count)
        elif "retry_after" in order:
            self.flood(count, int(order["retry_after"]))
        else:
            self.fail(count, int(order.get("status", 500)))
        return JSONResponse({"ok": True})

    async def _order_update(self, request: Request) -> JSONResponse:
        """Take `{"update": {...}, "bot_id": n}` and hand it over."""
        order = await request.json()
        self.push(order["update"], int(order.get("bot_id", 0)))
        return JSONResponse({"ok": True})


def read_html(text: str) -> str:
    """Return the words of Telegram's HTML. Raises ApiError where Telegram refuses the markup."""
    opened: list[str] = []
    words: list[str] = []
    at = 0
    while (start := text.find("<", at)) >= 0:
        words.append(text[at:start])
        tag = _TAG.match(text, start)
        name = tag[2].lower() if tag else ""
        if tag is None or name not in _NAMES:
            raise _unparsable(f'Unsupported start tag "{name}" at byte offset {start}')
        if not tag[1]:
            opened.append(name)
        elif not opened or opened.pop() != name:
            raise _unparsable(f'Unexpected end tag "{name}" at byte offset {start}')
        at = tag.end()
    if opened:
        raise _unparsable(f'Can\'t find end tag corresponding to start tag "{opened[-1]}"')
    return html.unescape("".join([*words, text[at:]]))


def _unparsable(problem: str) -> ApiError:
    return ApiError(400, f"Bad Request: can't parse entities: {problem}")


def _kinds(params: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = params.get("allowed_updates") or []
    return tuple(json.loads(kinds) if isinstance(kinds, str) else kinds)


def _is_wanted(update: Mapping[str, Any], allowed: tuple[str, ...]) -> bool:
    kinds = [kind for kind in update if kind != "update_id"]
    return any(kind in allowed if allowed else kind not in OPT_IN for kind in kinds)


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description="A Telegram Bot API that only pretends.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--bot", action="append", default=[], help="TOKEN=username")
    args = parser.parse_args()
    bots = dict(bot.rpartition("=")[::2] for bot in args.bot)
    uvicorn.run(TelegramApi(bots).app, host="127.0.0.1", port=args.port, log_level="warning")


if __name__ == "__main__":
    main()
