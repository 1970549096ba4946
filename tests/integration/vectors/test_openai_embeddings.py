"""The endpoint embedder against a small real HTTP server."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from memory.errors import EmbedderRefused, EmbedderUnavailable
from memory.openai.embeddings import open_openai

pytestmark = pytest.mark.anyio
KEY = "sk-very-secret"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class _Endpoint(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        status = int(next(iter(re.findall(r"/refuse/(\d+)", self.path)), "200"))
        data = [{"index": i, "embedding": [3.0, float(len(t)), 0.0]} for i, t in enumerate(texts)]
        body = (
            {"error": {"message": f"bad key {KEY}"}}
            if status > 200
            else {"data": data, "model": "m"}
        )
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base's name
        """Stay silent."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


async def test_vectors_are_scaled_and_dimension_is_learnt(endpoint: str) -> None:
    embedder = await open_openai("m", KEY, f"{endpoint}/v1")
    assert (embedder.fingerprint, embedder.dimension) == ("m/3/l2", 3)
    (vector,) = await embedder.embed(["four"])
    assert vector == pytest.approx((0.6, 0.8, 0.0))
    assert await embedder.embed([]) == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [(each, EmbedderRefused) for each in (400, 401, 403, 404, 422)]
    + [(each, EmbedderUnavailable) for each in (429, 503)],
)
async def test_refusal_is_one_line_without_the_key(
    endpoint: str, status: int, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        await open_openai("m", KEY, f"{endpoint}/refuse/{status}")
    line = str(caught.value)
    assert "RECOLLECT_EMBEDDINGS" in line and endpoint in line and str(status) in line
    assert KEY not in line and "\n" not in line


async def test_absent_endpoint_is_one_line() -> None:
    with pytest.raises(EmbedderUnavailable, match="RECOLLECT_EMBEDDINGS: http://127.0.0.1:9/v1"):
        await open_openai("m", KEY, "http://127.0.0.1:9/v1")
