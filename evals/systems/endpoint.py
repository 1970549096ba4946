"""An OpenAI-compatible embeddings endpoint on this machine, for systems that want an address."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from evals.systems.system import Vectors


class EmbeddingEndpoint:
    """Serves `POST /v1/embeddings` on a free port of the loopback address until closed."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        handler = type("Handler", (_Handler,), {"embed": staticmethod(embed)})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base address, up to and including `/v1`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet an answer: a second one would wait for the first to be acknowledged.
    wbufsize = -1
    disable_nagle_algorithm = True
    embed: Callable[[Sequence[str]], Vectors]

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        given = asked["input"]
        texts = [given] if isinstance(given, str) else given
        rows = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(self.embed(texts))
        ]
        answer = json.dumps({"object": "list", "model": asked.get("model"), "data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 as in the base class
        """Say nothing: stderr is for what goes wrong."""
