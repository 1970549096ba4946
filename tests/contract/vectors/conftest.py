"""A real Chroma server for the vector contract, on a free port and a temporary folder."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_RUN = "import sys, chromadb_rust_bindings as b; b.cli(['chroma', 'run', *sys.argv[1:]])"


@pytest.fixture(scope="session")
def free_port() -> int:
    """A port nobody listens on."""
    return _free_port()


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running Chroma server."""
    folder: Path = tmp_path_factory.mktemp("chroma")
    port = _free_port()
    arguments = ["--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        [sys.executable, "-c", _RUN, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_listening(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_until_listening(port: int) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
