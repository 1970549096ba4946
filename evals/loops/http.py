"""HTTP at its leanest: posting over kept connections, and serving a function in this loop.

A run posts some hundred thousand webhooks on the same two cores as the product; a full client
would take a tenth of them.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

POST_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a gateway sees it; `body` is raw."""

    method: str
    path: str
    body: bytes
    gone: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Response:
    """What is answered, as JSON."""

    status: int
    value: Any  # Any: a JSON value


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to a post; `body` is raw."""

    status: int
    body: bytes


Handler = Callable[[Request], Awaitable[Response]]


class Poster:
    """Posts to one port of this machine. Several posts may run at once."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Post once and return the answer.

        Raises:
            OSError: nobody answered; whether it was taken is unknown.
        """
        try:
            async with asyncio.timeout(POST_TIMEOUT_S):
                return await self._exchange(path, body, headers)
        except (asyncio.IncompleteReadError, ValueError, TimeoutError) as error:
            raise ConnectionError(f"no answer ({type(error).__name__})") from error

    def close(self) -> None:
        """Drop the kept connections: whoever listened there is gone."""
        for _, writer in self._idle:
            writer.transport.abort()
        self._idle.clear()

    async def _exchange(self, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        reader, writer = await self._connection()
        try:
            writer.write(head + body)
            await writer.drain()
            status, length = _read_head(await reader.readuntil(b"\r\n\r\n"))
            answer = Answer(status, await reader.readexactly(length))
        except BaseException:
            writer.transport.abort()
            raise
        self._idle.append((reader, writer))
        return answer

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.transport.abort()
        return await asyncio.open_connection("127.0.0.1", self._port)


def _read_head(head: bytes) -> tuple[int, int]:
    """Return status and content length of a response's head."""
    lines = head.decode("latin-1").split("\r\n")
    status = int(lines[0].split(" ", 2)[1])
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return status, int(value)
    return status, 0


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Ctrl-C belongs to the command line, not to this server.
        yield


class HttpServer:
    """Serves a handler on a loopback port, in the running loop."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._socket = socket.socket()
        self._server: _Server | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where it answers, once started."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    async def start(self) -> None:
        """Serve; returns once connections are taken."""
        self._socket.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            self._app,
            log_level="error",
            interface="asgi3",
            proxy_headers=False,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
            timeout_keep_alive=60,
        )
        self._server = _Server(config)
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        while not self._server.started:
            if self._task.done():
                await self._task
            await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Stop serving; open requests are cut off."""
        if self._server and self._task:
            self._server.should_exit = True
            self._server.force_exit = True
            await self._task
        self._socket.close()

    async def _app(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[dict[str, Any]]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        body = b""
        while True:
            part = await receive()
            body += part.get("body", b"")
            if part["type"] == "http.disconnect" or not part.get("more_body"):
                break

        async def gone() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        response = await self._handler(Request(scope["method"], scope["path"], body, gone))
        content = json.dumps(response.value, ensure_ascii=False).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(content)).encode()),
        ]
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": content})
