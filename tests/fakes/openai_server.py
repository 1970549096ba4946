"""An OpenAI-compatible server over real HTTP: scripted answers, failures, hash embeddings.

In a test: `with OpenAIServer() as server: server.script("Hi", Failure(429)); ... server.url`.
From a shell: `python -m tests.fakes.openai_server --port P`, steered through `POST /_script` and
`GET /_requests`. Clients use `<url>/v1` as their base URL.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.fakes.serving import ServerThread

DIMENSION = 384


@dataclass(frozen=True, slots=True)
class Failure:
    """Answer with an error status, e.g. 429 or 500."""

    status: int


@dataclass(frozen=True, slots=True)
class Garbage:
    """Answer 200 with what is no JSON."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Answer with a text after a delay."""

    text: str
    delay_s: float


@dataclass(frozen=True, slots=True)
class Cut:
    """Break an answer that is streamed off after its first word; politely: as if it were whole."""

    text: str
    politely: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """Answer with one tool call."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """Answer 200 with a refusal in the place of a text."""

    text: str


Answer = str | Refused | Failure | Garbage | Slow | Cut | ToolUse


@dataclass
class OpenAIServer:
    """The server and its state.

    Scripted answers are used up in order; then `respond` (given the request's body) or, without
    one, `default` answers. `requests` holds every chat request's body, oldest first, `keys` the
    key of each.
    """

    default: str = "ok"
    respond: Callable[[dict[str, Any]], Answer] | None = None
    dimension: int = DIMENSION
    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    embedding_requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Build the app; it is served by `with`, or by whoever takes `app`."""
        self._script: list[Answer] = []
        self._lock = threading.Lock()
        self.app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embed, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/_script", self._add_script, methods=["POST"]),
                Route("/_requests", self._list_requests),
            ]
        )
        self._server = ServerThread(self.app, self.port)

    @property
    def url(self) -> str:
        """Where it answers; the API itself is under `/v1`."""
        return self._server.url

    @property
    def calls(self) -> int:
        """How many chat requests came in, failed ones included."""
        return len(self.requests)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.stop()

    def script(self, *answers: Answer) -> None:
        """Append answers to be given in order."""
        with self._lock:
            self._script.extend(answers)

    def _next(self, body: dict[str, Any]) -> Answer:
        with self._lock:
            self.requests.append(body)
            if self._script:
                return self._script.pop(0)
        return self.respond(body) if self.respond else self.default

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self.keys.append(request.headers.get("authorization", "").removeprefix("Bearer "))
        answer = self._next(body)
        match answer:
            case Failure(status):
                error = {"message": "on demand", "type": "fake", "code": str(status)}
                return JSONResponse({"error": error}, status, headers={"Connection": "close"})
            case Garbage():
                headers = {"Connection": "close"}
                return Response(b"<html>not json", 200, headers, "application/json")
            case Slow(text, delay_s):
                await asyncio.sleep(delay_s)
                answer = text
            case Cut():
                return StreamingResponse(_cut(body, answer), media_type="text/event-stream")
        message = _message(answer)
        if body.get("stream"):
            return StreamingResponse(_stream(body, message), media_type="text/event-stream")
        finish = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        # Nobody closes a model: its client must not be left with a connection.
        return JSONResponse(
            _head(body, "chat.completion") | {"choices": [choice], "usage": _USAGE},
            headers={"Connection": "close"},
        )

    async def _embed(self, request: Request) -> JSONResponse:
        body = await request.json()
        self.embedding_requests.append(body)
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        data = [
            {"object": "embedding", "index": i, "embedding": hash_vector(text, self.dimension)}
            for i, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        model = body.get("model", "fake")
        # Nobody closes an embedder: its client must not be left with a connection.
        return JSONResponse(
            {"object": "list", "data": data, "model": model, "usage": usage},
            headers={"Connection": "close"},
        )

    async def _models(self, request: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": "fake", "object": "model"}]})

    async def _add_script(self, request: Request) -> JSONResponse:
        """Take a list of texts and of `{"fail"|"garbage"|"slow"+"text"|"tool"+"arguments"}`."""
        self.script(*(_answer_from_json(item) for item in await request.json()))
        return JSONResponse({"ok": True})

    async def _list_requests(self, request: Request) -> JSONResponse:
        return JSONResponse({"chat": self.requests, "embeddings": self.embedding_requests})


_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def hash_vector(text: object, dimension: int = DIMENSION) -> list[float]:
    """Return a unit vector from hashed words: equal texts are equal, shared words are close.

    Token ids (lists of integers, as some clients send) count as words too.
    """
    words = text.lower().split() if isinstance(text, str) else [str(text)]
    vector = [0.0] * dimension
    for word in words or [""]:
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        for start in range(0, 32, 4):
            number = int.from_bytes(digest[start : start + 4])
            vector[number % dimension] += 1.0 if number >> 31 else -1.0
    norm = math.sqrt(sum(value * value for value in vector))
    return [value / norm for value in vector] if norm else [1.0] + [0.0] * (dimension - 1)


def _message(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, ToolUse):
        function = {"name": answer.name, "arguments": json.dumps(answer.arguments)}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if isinstance(answer, Refused):
        return {"role": "assistant", "content": None, "refusal": answer.text}
    return {"role": "assistant", "content": answer}


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-fake",
        "object": kind,
        "created": int(time.time()),
        "model": body.get("model", "fake"),
    }


async def _stream(body: dict[str, Any], message: dict[str, Any]) -> AsyncIterator[bytes]:
    """Yield the message word by word as server-sent events."""
    deltas: Sequence[dict[str, Any]]
    if "tool_calls" in message:
        calls = [{"index": 0, **message["tool_calls"][0]}]
        deltas, finish = [{"role": "assistant", "tool_calls": calls}], "tool_calls"
    else:
        words = str(message["content"]).split(" ")
        pieces = [words[0], *(f" {word}" for word in words[1:])]
        deltas, finish = [{"role": "assistant", "content": piece} for piece in pieces], "stop"
    head = _head(body, "chat.completion.chunk")
    for delta in deltas:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        yield f"data: {json.dumps(head | {'choices': [choice]})}\n\n".encode()
    last = {"index": 0, "delta": {}, "finish_reason": finish}
    yield f"data: {json.dumps(head | {'choices': [last]})}\n\n".encode()
    if (body.get("stream_options") or {}).get("include_usage"):
        yield f"data: {json.dumps(head | {'choices': [], 'usage': _USAGE})}\n\n".encode()
    yield b"data: [DONE]\n\n"


async def _cut(body: dict[str, Any], answer: Cut) -> AsyncIterator[bytes]:
    async for event in _stream(body, {"role": "assistant", "content": answer.text}):
        yield event
        if answer.politely:
            return
        raise ConnectionError


def _answer_from_json(item: Any) -> Answer:
    if isinstance(item, str):
        return item
    if "fail" in item:
        return Failure(int(item["fail"]))
    if "garbage" in item:
        return Garbage()
    if "slow" in item:
        return Slow(item["text"], float(item["slow"]))
    return ToolUse(item["tool"], item["arguments"])


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description="An OpenAI-compatible server that only pretends.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--default", default="ok")
    args = parser.parse_args()
    server = OpenAIServer(default=args.default)
    uvicorn.run(server.app, host="127.0.0.1", port=args.port, log_level="warning")


if __name__ == "__main__":
    main()
