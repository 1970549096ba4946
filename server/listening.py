"""Listening for requests until a signal ends it, without a log of them."""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING

import uvicorn

from memory.errors import fault_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp

CONNECTIONS_CLOSE_S = 5


async def listen(app: ASGIApp, host: str, port: int, close_s: int = CONNECTIONS_CLOSE_S) -> None:
    """Serve an app until SIGTERM or SIGINT, and return for the caller to close what it opened.

    Connections have `close_s` seconds to end by themselves.
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
    await uvicorn.Server(config).serve()


def without_words(record: logging.LogRecord) -> bool:
    """Tell of an exception that nobody foresaw its kind and place: its words may be a message's."""
    if record.exc_info and (error := record.exc_info[1]) is not None:
        record.msg, record.args = f"{record.getMessage().strip()}: {fault_of(error)}", ()
        record.exc_info = record.exc_text = None
    return True
