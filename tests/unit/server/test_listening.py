"""A server starts where it may and can listen, and says so no sooner."""

from __future__ import annotations

import socket

import pytest
from fastapi import FastAPI

from graph.settings import BadSettings, Settings
from server.app import run_server
from server.listening import PortTaken, listen


def test_the_server_does_not_start_for_other_machines_without_a_key() -> None:
    with pytest.raises(BadSettings, match=r"RECOLLECT_API_KEY: set a key"):
        run_server(Settings(), "0.0.0.0", 8000)


@pytest.mark.anyio
async def test_nothing_is_said_of_a_port_that_another_has() -> None:
    told: list[str] = []
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port}: Address already in use.*--port"):
            await listen(FastAPI(), "127.0.0.1", port, lambda: told.append("serves"))
    assert told == []
