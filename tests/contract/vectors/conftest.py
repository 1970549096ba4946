"""A real Chroma server for the vector contract, on a free port and a temporary folder."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

_RUN = "import sys, chromadb_rust_bindings as b; b.cli(['chroma', 'run', *sys.argv[1:]])"


TRIES, START_S = 3, 20.0


@pytest.fixture(scope="session")
def free_port() -> int:
    """A port nobody listens on."""
    return _free_port()


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running Chroma server."""
    folder: Path = tmp_path_factory.mktemp("chroma")
    for _ in range(TRIES):
        port = _free_port()
        arguments = ["--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
        server = subprocess.Popen(
            [sys.executable, "-c", _RUN, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            if _answers(server, f"http://127.0.0.1:{port}"):
                yield f"http://127.0.0.1:{port}"
                return
        finally:
            server.terminate()
            server.wait(10)
    raise RuntimeError("Chroma did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _answers(server: subprocess.Popen[bytes], url: str) -> bool:
    """Wait until the server answers; False where it stopped, as where others took its port."""
    deadline = time.monotonic() + START_S
    while server.poll() is None and time.monotonic() < deadline:
        try:
            answer = httpx.get(f"{url}/api/v2/heartbeat", timeout=1)
        except httpx.HTTPError:
            time.sleep(0.02)
        else:
            if answer.is_success:
                return True
    return False
