"""Where the playground listens when its port is taken."""

from __future__ import annotations

import socket

import pytest

from server.listening import CannotListen, PortTaken
from ui.playground import serving


def test_takes_the_next_port_when_none_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(serving, "DEFAULT_PORT", port)
        with serving.listen("127.0.0.1", None) as found:
            assert found.getsockname()[1] > port


def test_refuses_a_named_port_that_is_taken_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port}: Address already in use.*--port"):
            serving.listen("127.0.0.1", port)


def test_refuses_an_unknown_host_in_one_line() -> None:
    with pytest.raises(CannotListen, match="Try --host"):
        serving.listen("no-such-host.invalid", 0)
