"""A WAHA gateway over real HTTP: it records sends, echoes them, and fails on demand.

In a test: `with WahaGateway(webhook_url=..., hmac_key=...) as gateway: ... gateway.url`.
From a shell: `python -m tests.fakes.waha_gateway --port P --webhook URL --hmac-key K`, steered
through `GET /_sent`, `POST /_fail`, `POST /_mode` and `POST /_deliver`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import hmac
import itertools
import json
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self, get_args

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.fakes.serving import ServerThread

EchoMode = Literal["none", "after", "before_response", "twice", "other_id"]
Engine = Literal["GOWS", "NOWEB", "WEBJS"]
RETRY_S = 0.1
"""Between two attempts to deliver a webhook; constant, as WAHA's policy `constant`."""
MAX_ATTEMPTS = 300


@dataclass(frozen=True, slots=True)
class Sent:
    """One message the gateway carried out. `timestamp` is what it tells; whole seconds."""

    message_id: str
    chat_id: str
    text: str
    timestamp: int
    reply_to: str = ""
    mentions: tuple[str, ...] = ()
    session: str = ""
    received_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Delivered:
    """One webhook that was posted: the event and the receiver's HTTP status."""

    event: dict[str, Any]
    status: int


@dataclass
class WahaGateway:
    """The gateway and its state. Set `mode`, `webhook_url`, `lids` at any time.

    `sent` holds what went out, oldest first; `calls` the names of all calls, sends included.
    Sends of a session in `hanging` are not carried out, and neither they nor its look-ups are
    answered; those of one in `refusing` are answered with 500. `others`: it has further sessions.
    """

    webhook_url: str = ""
    hmac_key: str = ""
    api_key: str = ""
    session: str = "default"
    me: str = "4900000000@c.us"
    me_lid: str = "990000000000@lid"
    engine: Engine = "GOWS"
    mode: EchoMode = "after"
    port: int = 0
    sent: list[Sent] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    lids: dict[str, str] = field(default_factory=dict)
    is_history_down: bool = False
    others: bool = False
    hanging: set[str] = field(default_factory=set)
    refusing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Build the app; it is served by `with`, or by whoever takes `app`."""
        self._failing: list[tuple[int, str]] = []
        self._stalling = 0
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._posts: set[asyncio.Task[None]] = set()
        self.app = Starlette(routes=self._routes())
        self._server = ServerThread(self.app, self.port)

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

    def fail(self, count: int, status: int = 500, message: str = "on demand") -> None:
        """Refuse the next `count` sends with a status; nothing is sent."""
        with self._lock:
            self._failing += [(status, message)] * count

    def recover(self) -> None:
        """Forget what is left of `fail`."""
        with self._lock:
            self._failing.clear()

    def stall(self, count: int) -> None:
        """Carry the next `count` sends out, echo included, and never answer them."""
        with self._lock:
            self._stalling += count

    def unstall(self) -> None:
        """Forget what is left of `stall`; sends that hang already keep hanging."""
        with self._lock:
            self._stalling = 0

    def next_id(self) -> str:
        """Return a fresh bare message id of the length WhatsApp uses."""
        return f"3EB0{next(self._numbers):016X}"

    def event(
        self,
        text: str,
        chat: str,
        *,
        sender: str = "",
        message_id: str = "",
        name: str = "message",
        from_me: bool = False,
        source: str = "app",
        timestamp: int | None = None,
        push_name: str = "Someone",
        **payload: Any,
    ) -> dict[str, Any]:
        """Build a message webhook. `payload` adds or overrides fields, e.g. `replyTo`, `_data`."""
        at = int(time.time()) if timestamp is None else timestamp
        bare = message_id or self.next_id()
        participant = sender if chat.endswith("@g.us") else ""
        serialized = "_".join(
            part for part in (str(from_me).lower(), chat, bare, participant) if part
        )
        return {
            "id": f"evt_{next(self._numbers):026d}",
            "timestamp": at * 1000,
            "event": name,
            "session": self.session,
            "me": {"id": self.me, "lid": self.me_lid, "pushName": "Assistant"},
            "payload": {
                "id": serialized,
                "timestamp": at,
                "from": self.me if from_me else chat,
                "fromMe": from_me,
                "source": source,
                "to": chat if from_me else self.me,
                "participant": participant or None,
                "body": text,
                "hasMedia": False,
                "media": None,
                "ack": 1,
                "ackName": "SERVER",
                "replyTo": None,
                "_data": {"pushName": push_name},
                **payload,
            },
            "engine": self.engine,
            "environment": {"version": "2026.9.1", "engine": self.engine, "tier": "CORE"},
        }

    def signed(self, event: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
        """Return the raw body of a webhook and its headers, signed if there is a key."""
        body = json.dumps(event, ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "X-Webhook-Request-Id": f"{next(self._numbers):026d}",
            "X-Webhook-Timestamp": str(int(time.time() * 1000)),
        }
        if self.hmac_key:
            digest = hmac.new(self.hmac_key.encode(), body, hashlib.sha512).hexdigest()
            headers |= {"X-Webhook-Hmac": digest, "X-Webhook-Hmac-Algorithm": "sha512"}
        return body, headers

    def post(self, event: dict[str, Any]) -> Delivered:
        """Post a webhook once, now, and return what the receiver answered."""
        body, headers = self.signed(event)
        answer = httpx.post(self.webhook_url, content=body, headers=headers, timeout=30)
        return Delivered(event, answer.status_code)

    def deliver(self, text: str, chat: str, **fields: Any) -> Delivered:
        """Post a contact's message once; `fields` as for `event`. It joins the chat's history."""
        event = self.event(text, chat, **fields)
        self.received.append(event["payload"])
        return self.post(event)

    def _routes(self) -> list[Route]:
        session = "/api/{session}"
        return [
            Route("/api/sendText", self._send_text, methods=["POST"]),
            *(
                Route(f"/api/{name}", self._record, methods=["POST"], name=name)
                for name in ("startTyping", "stopTyping", "sendSeen")
            ),
            Route(f"{session}/chats/{{chat}}/messages", self._messages),
            Route(f"{session}/lids/{{lid}}", self._lid),
            Route("/_sent", self._sent),
            Route("/_fail", self._fail, methods=["POST"]),
            Route("/_mode", self._set_mode, methods=["POST"]),
            Route("/_deliver", self._deliver, methods=["POST"]),
        ]

    def _refused(self, request: Request) -> JSONResponse | None:
        if self.api_key and request.headers.get("X-Api-Key") != self.api_key:
            return JSONResponse({"statusCode": 401, "message": "Unauthorized"}, 401)
        return None

    async def _send_text(self, request: Request) -> JSONResponse:
        if refused := self._refused(request):
            return refused
        body = await request.json()
        self.calls.append(("sendText", body))
        session = body.get("session")
        if session != self.session and not self.others:
            return JSONResponse({"statusCode": 404, "message": "no such session"}, 404)
        if await self._has_hung(session, request) or session in self.refusing:
            return JSONResponse({"statusCode": 500, "message": "on demand"}, 500)
        with self._lock:
            failing = self._failing.pop(0) if self._failing else None
            stalled = not failing and self._stalling > 0
            self._stalling -= stalled
        if failing:
            status, message = failing
            return JSONResponse({"statusCode": status, "message": message}, status)
        sent = Sent(
            message_id=self.next_id(),
            chat_id=body["chatId"],
            text=body["text"],
            timestamp=int(time.time()),
            reply_to=body.get("reply_to") or "",
            mentions=tuple(body.get("mentions") or ()),
            session=session,
            received_at=time.time(),
        )
        self.sent.append(sent)
        await self._echo(sent)
        while stalled and not self._stopping.is_set():  # noqa: ASYNC110 set from a thread
            await asyncio.sleep(0.02)
        return JSONResponse(self._answer(sent), 201)

    async def _has_hung(self, session: str, request: Request) -> bool:
        """Keep a call of a session that hangs without an answer until its caller gives up."""
        if session not in self.hanging:
            return False
        while (await request.receive())["type"] != "http.disconnect":
            pass
        return True

    async def _echo(self, sent: Sent) -> None:
        if self.mode == "none" or not self.webhook_url:
            return
        event = self._echo_event(sent, self.next_id() if self.mode == "other_id" else "")
        if self.mode == "before_response":
            await self._post_until_taken(event, delay_s=0)
            return
        for copy in range(2 if self.mode == "twice" else 1):
            # The first copy leaves after the response had time to get out.
            task = asyncio.create_task(self._post_until_taken(event, delay_s=0.05 + copy * 0.05))
            self._posts.add(task)
            task.add_done_callback(self._posts.discard)

    def _echo_event(self, sent: Sent, other_id: str) -> dict[str, Any]:
        return self.event(
            sent.text,
            sent.chat_id,
            sender=self.me if sent.chat_id.endswith("@g.us") else "",
            message_id=other_id or sent.message_id,
            name="message.any",
            from_me=True,
            source="api",
            timestamp=sent.timestamp,
            push_name="Assistant",
        )

    async def _post_until_taken(self, event: dict[str, Any], delay_s: float) -> None:
        """Post a webhook, again and again while the receiver is down or does not answer 2xx."""
        await asyncio.sleep(delay_s)
        body, headers = self.signed(event)
        # Without TLS: making its context costs tens of milliseconds a client.
        async with httpx.AsyncClient(timeout=5, verify=False) as http:
            for _ in range(MAX_ATTEMPTS):
                if self._stopping.is_set():
                    return
                try:
                    answer = await http.post(self.webhook_url, content=body, headers=headers)
                except httpx.HTTPError:
                    await asyncio.sleep(RETRY_S)
                    continue
                if answer.is_success:
                    return
                await asyncio.sleep(RETRY_S)

    def _answer(self, sent: Sent) -> dict[str, Any]:
        """Answer a send in the engine's own shape."""
        serialized = f"true_{sent.chat_id}_{sent.message_id}"
        if self.engine == "NOWEB":
            key = {"remoteJid": sent.chat_id, "fromMe": True, "id": sent.message_id}
            return {"key": key, "messageTimestamp": str(sent.timestamp), "status": "PENDING"}
        if self.engine == "WEBJS":
            return {"id": {"fromMe": True, "id": sent.message_id, "_serialized": serialized}}
        return {"id": serialized, "_data": {"Info": {"ID": sent.message_id}}}

    async def _record(self, request: Request) -> JSONResponse:
        if refused := self._refused(request):
            return refused
        self.calls.append((request.url.path.rpartition("/")[2], await request.json()))
        return JSONResponse({"result": True}, 201)

    async def _messages(self, request: Request) -> JSONResponse:
        if refused := self._refused(request):
            return refused
        self.calls.append(("messages", dict(request.path_params)))
        session = request.path_params["session"]
        if await self._has_hung(session, request) or self.is_history_down:
            return JSONResponse({"statusCode": 500, "message": "on demand"}, 500)
        chat = request.path_params["chat"]
        limit = int(request.query_params.get("limit", "10"))
        ours = [self._echo_event(s, "")["payload"] for s in self.sent if s.chat_id == chat]
        theirs = [p for p in self.received if p["id"].split("_")[1] == chat]
        newest = sorted(theirs + ours, key=lambda p: p["timestamp"], reverse=True)
        return JSONResponse(newest[:limit])

    async def _lid(self, request: Request) -> JSONResponse:
        if refused := self._refused(request):
            return refused
        lid = request.path_params["lid"]
        if request.path_params["session"] != self.session and not self.others:
            return JSONResponse({"statusCode": 404, "message": "no such session"}, 404)
        return JSONResponse({"lid": lid, "pn": self.lids.get(lid)})

    async def _sent(self, request: Request) -> JSONResponse:
        return JSONResponse([asdict(sent) for sent in self.sent])

    async def _fail(self, request: Request) -> JSONResponse:
        """Take `{"count": n, "status": 500}` or `{"count": n, "stall": true}`."""
        order = await request.json()
        if order.get("stall"):
            self.stall(int(order.get("count", 1)))
        else:
            self.fail(int(order.get("count", 1)), int(order.get("status", 500)))
        return JSONResponse({"ok": True})

    async def _set_mode(self, request: Request) -> JSONResponse:
        mode = (await request.json())["mode"]
        if mode not in get_args(EchoMode):
            return JSONResponse({"error": f"mode is one of {get_args(EchoMode)}"}, 422)
        self.mode = mode
        return JSONResponse({"mode": mode})

    async def _deliver(self, request: Request) -> JSONResponse:
        """Take `{"text", "chat", ...fields of event}` and post that message once."""
        fields = await request.json()
        delivered = await asyncio.to_thread(lambda: self.deliver(**fields))
        return JSONResponse(asdict(delivered))


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description="A WAHA gateway that only pretends.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--webhook", default="")
    parser.add_argument("--hmac-key", default="")
    parser.add_argument("--api-key", default="")
    parser.add_argument("--session", default="default")
    parser.add_argument("--mode", default="after", choices=get_args(EchoMode))
    parser.add_argument("--engine", default="GOWS", choices=get_args(Engine))
    args = parser.parse_args()
    gateway = WahaGateway(
        webhook_url=args.webhook,
        hmac_key=args.hmac_key,
        api_key=args.api_key,
        session=args.session,
        mode=args.mode,
        engine=args.engine,
    )
    uvicorn.run(gateway.app, host="127.0.0.1", port=args.port, log_level="warning")


if __name__ == "__main__":
    main()
