"""The simulated WAHA gateway and Bot API: they record what the agent sends, echo it, and fail.

One server for a whole run. Every order has a `Line`: its accounts, what was sent on them, and what
the next sends meet. A send is `carried out` when it would have reached the people: an answer that
never comes does not undo it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, unquote

from evals.loops import waha_wire
from evals.loops.cases import Account, EchoMode, Me
from evals.loops.http import HttpServer, Request, Response
from evals.loops.placeholders import Sent

FIRST_SENT_ID = 900_001
"""First id of a message that a Telegram bot sends, per order."""
ECHO_DELAY_S = 0.05
RUNAWAY_SENDS = 20
"""An order that has sent so many is in a loop: it gets no more echoes, so that it ends."""
STALL_S = 120.0
"""How long a call whose answer is lost is kept open at most; the caller gives up before."""

_OK = Response(200, {"ok": True, "result": True})
_FAILED = Response(500, {"statusCode": 500, "message": "on demand"})
_TG_FAILED = Response(500, {"ok": False, "error_code": 500, "description": "on demand"})

Post = Callable[[str, dict[str, Any]], Awaitable[None]]
"""Delivers a webhook of an account until it is taken."""


@dataclass(slots=True)
class Line:
    """One order's accounts at the gateways. `now` is the gateway's clock, in seconds.

    `echoing`: the echoes that are still on their way.
    """

    accounts: dict[str, Account]
    echo: EchoMode
    engine: str
    now: Callable[[], float]
    post: Post
    sent: list[Sent] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    failing: int = 0
    stalling: int = 0
    echoing: set[asyncio.Task[None]] = field(default_factory=set)


class Gateways:
    """Both gateways on one port. `lines` are found by account: session name or bot id."""

    def __init__(self) -> None:
        self._lines: dict[str, Line] = {}
        self._server = HttpServer(self._answer)

    @property
    def url(self) -> str:
        """Where both answer."""
        return self._server.url

    async def start(self) -> None:
        """Serve."""
        await self._server.start()

    async def stop(self) -> None:
        """Stop serving, and stop echoing."""
        for line in list(self._lines.values()):
            self.remove(line)
        await self._server.stop()

    def add(self, line: Line) -> None:
        """Take an order's accounts on."""
        for name in line.accounts:
            self._lines[name] = line

    def remove(self, line: Line) -> None:
        """Forget an order's accounts and echo no more for it."""
        for name in line.accounts:
            self._lines.pop(name, None)
        for task in line.echoing:
            task.cancel()

    async def _answer(self, request: Request) -> Response:
        parts = [unquote(part) for part in request.path.split("/")[1:]]
        if parts[0].startswith("bot"):
            return await self._telegram(request, parts)
        if parts[0] != "api":
            return Response(404, {"message": "not found"})
        return await self._waha(request, parts[1:])

    async def _waha(self, request: Request, parts: list[str]) -> Response:
        if request.method == "POST":
            body = _json(request.body)
            line = self._lines.get(str(body.get("session")))
            if line is None:
                return Response(404, {"statusCode": 404, "message": "no such session"})
            if parts == ["sendText"]:
                return await self._send_text(request, line, body)
            return Response(201, {"result": True})
        line = self._lines.get(parts[0] if parts[0] != "sessions" else parts[-1])
        if line is None:
            return Response(404, {"statusCode": 404, "message": "no such session"})
        if parts[0] == "sessions":
            return Response(200, {"name": parts[-1], "status": "WORKING"})
        if len(parts) == 4 and parts[1] == "chats":
            return Response(200, _messages(line, parts[0], parts[2]))
        # Nobody here knows who is behind a hidden id.
        return Response(404, {"statusCode": 404, "message": "not found"})

    async def _send_text(self, request: Request, line: Line, body: dict[str, Any]) -> Response:
        if line.failing:
            line.failing -= 1
            return _FAILED
        is_lost = line.stalling > 0
        line.stalling -= is_lost
        account = str(body["session"])
        me = line.accounts[account].me or Me(id="0@c.us")
        chat, number = str(body["chatId"]), len(line.sent) + 1
        bare = f"3EB0{hashlib.sha256(f'{account} {number}'.encode()).hexdigest()[:18].upper()}"
        sent = Sent(
            account=account,
            chat_id=chat,
            message_id=bare,
            full_id=waha_wire.full_id(chat, bare, me),
            text=str(body["text"]),
            at=int(line.now()),
            reply_to=str(body.get("reply_to") or "").rpartition("_")[2],
        )
        line.sent.append(sent)
        await _echo(line, sent, me)
        if is_lost:
            await _never(request)
        return Response(201, waha_wire.answer(sent, line.engine))

    async def _telegram(self, request: Request, parts: list[str]) -> Response:
        bot_id = parts[0].removeprefix("bot").partition(":")[0]
        line = self._lines.get(bot_id)
        bot = line.accounts[bot_id].bot if line else None
        if line is None or bot is None:
            return Response(401, {"ok": False, "error_code": 401, "description": "Unauthorized"})
        method = parts[-1].lower()
        me = {"id": bot.id, "is_bot": True, "first_name": bot.username, "username": bot.username}
        if method == "getme":
            rights = {"can_join_groups": True, "can_read_all_group_messages": True}
            return Response(200, {"ok": True, "result": me | rights})
        if method == "getupdates":
            return Response(200, {"ok": True, "result": []})
        if method == "getwebhookinfo":
            return Response(200, {"ok": True, "result": {"url": "", "pending_update_count": 0}})
        if method != "sendmessage":
            return _OK
        return await _send_message(request, line, bot_id, me)


async def _send_message(request: Request, line: Line, bot_id: str, me: dict[str, Any]) -> Response:
    if line.failing:
        line.failing -= 1
        return _TG_FAILED
    is_lost = line.stalling > 0
    line.stalling -= is_lost
    body = _json(request.body)
    chat = str(body["chat_id"])
    number = str(FIRST_SENT_ID + len(line.sent))
    quoted = body.get("reply_parameters") or {}
    quoted = json.loads(quoted) if isinstance(quoted, str) else quoted
    reply_to = str(quoted.get("message_id") or body.get("reply_to_message_id") or "")
    sent = Sent(bot_id, chat, number, number, str(body["text"]), int(line.now()), reply_to)
    line.sent.append(sent)
    if is_lost:
        await _never(request)
    kind = "private"
    if chat.startswith("-"):
        kind = "supergroup" if chat.startswith("-100") else "group"
    message: dict[str, Any] = {
        "message_id": int(number),
        "from": me,
        "chat": {"id": int(chat), "type": kind},
        "date": sent.at,
        "text": sent.text,
    }
    if body.get("message_thread_id"):
        message["message_thread_id"] = int(body["message_thread_id"])
        message["is_topic_message"] = True
    return Response(200, {"ok": True, "result": message})


async def _echo(line: Line, sent: Sent, me: Me) -> None:
    """Report a send to its sender, in the way of the case."""
    if line.echo == "none" or len(line.sent) > RUNAWAY_SENDS:
        return
    shown = _as_echoed(sent, line.echo, me)
    event = waha_wire.echo(
        shown,
        sent.account,
        me,
        line.engine,
        event_id=f"evt_{shown.message_id.lower()[:26]:0>26}",
        has_source=line.echo != "no_source",
    )
    is_first = line.echo == "before_response"
    for copy in range(2 if line.echo == "twice" else 1):
        # Otherwise the first copy leaves after the answer had time to get out.
        delay_s = 0.0 if is_first else ECHO_DELAY_S * (copy + 1)
        task = asyncio.create_task(_later(line, sent.account, event, delay_s))
        line.echoing.add(task)
        task.add_done_callback(line.echoing.discard)
        if is_first:
            await asyncio.wait([task])


async def _later(line: Line, account: str, event: dict[str, Any], delay_s: float) -> None:
    await asyncio.sleep(delay_s)
    await line.post(account, event)


def _as_echoed(sent: Sent, mode: EchoMode, me: Me) -> Sent:
    if mode == "other_id":
        digest = hashlib.sha256(f"other {sent.message_id}".encode()).hexdigest()
        bare = f"3EB0{digest[:18].upper()}"
        return replace(sent, message_id=bare, full_id=waha_wire.full_id(sent.chat_id, bare, me))
    if mode == "lid" and sent.chat_id.endswith("@c.us"):
        hidden = int(hashlib.sha256(f"lid {sent.chat_id}".encode()).hexdigest()[:11], 16)
        chat = f"2{hidden % 10**14:014d}@lid"
        shown = waha_wire.full_id(chat, sent.message_id, me)
        return replace(sent, chat_id=chat, full_id=shown)
    return sent


def _messages(line: Line, session: str, chat: str) -> list[dict[str, Any]]:
    """Return what the gateway has of a chat, newest first."""
    me = line.accounts[session].me or Me(id="0@c.us")
    ours = [
        waha_wire.payload(sent, me, line.engine)
        for sent in line.sent
        if sent.account == session and sent.chat_id == chat
    ]
    theirs = [
        payload
        for payload in line.received
        if isinstance(payload.get("id"), str)
        and payload["id"].split("_")[1:2] == [chat]
        and isinstance(payload.get("timestamp"), int | float)
    ]
    return sorted([*ours, *theirs], key=lambda one: float(one["timestamp"]), reverse=True)


async def _never(request: Request) -> None:
    """Wait until the caller has given up."""
    try:
        async with asyncio.timeout(STALL_S):
            await request.gone()
    except TimeoutError:
        return


def _json(body: bytes) -> dict[str, Any]:
    """Read a call's fields: JSON, or a form as the Bot API takes it."""
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        return {name: values[0] for name, values in parse_qs(body.decode()).items()}
    return found if isinstance(found, dict) else {}
