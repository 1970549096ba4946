"""Listening for requests until a signal ends it, without a log of them."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

from memory.errors import RecollectError, fault_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp

CONNECTIONS_CLOSE_S = 5


class CannotListen(RecollectError):
    """No server can listen where it was told to."""


class PortTaken(CannotListen):
    """A port cannot be had. `why` is the system's reason."""

    def __init__(self, host: str, ports: str, why: str) -> None:
        super().__init__(f"Cannot listen on {host}, {ports}: {why}. Choose another with --port.")
        self.why = why


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port; whoever connects waits until somebody serves.

    Raises:
        CannotListen: there is no such host here.
        PortTaken: the port cannot be had.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise CannotListen(f"Cannot listen on {host}: {error.strerror}. Try --host.") from error
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen()
    except OSError as error:
        found.close()
        raise PortTaken(host, f"port {port}", error.strerror or str(error)) from error
    return found


async def listen(
    app: ASGIApp,
    host: str,
    port: int,
    tell: Callable[[], object],
    close_s: int = CONNECTIONS_CLOSE_S,
) -> None:
    """Serve an app until SIGTERM or SIGINT, and return for the caller to close what it opened.

    `tell` is called once the port is ours. Connections have `close_s` seconds to end by themselves.

    Raises:
        CannotListen: the port or the host cannot be had.
    """
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        # The caller is who connects, whatever a header says of it.
        proxy_headers=False,
        log_level="warning",
        # Access logs would hold queries, which are texts of people.
        access_log=False,
        timeout_graceful_shutdown=close_s,
    )
    logging.getLogger("uvicorn.error").addFilter(without_words)
    # Uvicorn raises the signal that stopped it once more: the stores still have to be closed.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    with bound(host, port) as ours:
        tell()
        await uvicorn.Server(config).serve([ours])


def without_words(record: logging.LogRecord) -> bool:
    """Tell of an exception that nobody foresaw its kind and place: its words may be a message's."""
    if record.exc_info and (error := record.exc_info[1]) is not None:
        record.msg, record.args = f"{record.getMessage().strip()}: {fault_of(error)}", ()
        record.exc_info = record.exc_text = None
    return True
