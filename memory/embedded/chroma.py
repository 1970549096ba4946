"""The Chroma server: how it is started and when it answers.

It has no authentication, so it listens on loopback only and gets no texts.
"""

from __future__ import annotations

import importlib.util
import signal
import socket
import sys
from pathlib import Path

from memory.embedded.errors import EmbeddedStoreError
from memory.embedded.process import Spec, Stop

HOST = "127.0.0.1"
ANSWER_TIMEOUT_S = 1.0
# The `chroma` command imports all of chromadb first, which takes seconds; the server is in here.
ENTRY = "import sys, chromadb_rust_bindings as b; b.cli(['chroma', *sys.argv[1:]])"


def spec(folder: Path, port: int, lock: Path, log: Path) -> Spec:
    """Describe a Chroma server that keeps its data in `folder`.

    Raises:
        EmbeddedStoreError: chromadb is not installed.
    """
    if importlib.util.find_spec("chromadb_rust_bindings") is None:
        raise EmbeddedStoreError(
            "chromadb is not installed; install it, or set RECOLLECT_CHROMA_URL to a server"
        )
    arguments = ("run", "--path", str(folder), "--host", HOST, "--port", str(port))
    return Spec(
        name="Chroma",
        argv=(sys.executable, "-P", "-c", ENTRY, *arguments),
        marker=str(folder),
        lock=lock,
        log=log,
        stop=(Stop(signal.SIGTERM, 2.0), Stop(signal.SIGKILL, 5.0)),
    )


def url(port: int) -> str:
    """Return the address of a server on `port`."""
    return f"http://{HOST}:{port}"


def answers(port: int) -> bool:
    """Tell whether a Chroma server answers on `port`."""
    request = f"GET /api/v2/heartbeat HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection((HOST, port), ANSWER_TIMEOUT_S) as connection:
            connection.sendall(request.encode())
            answer = b""
            while block := connection.recv(4096):
                answer += block
    except OSError:
        return False
    return b"heartbeat" in answer


def free_port(preferred: int = 0) -> int:
    """Return `preferred` if it can be bound on loopback, else some free port."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise EmbeddedStoreError("no free port on 127.0.0.1")
