"""Synchronous calls to what lives on the event loop that opened the stores."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from anyio.from_thread import start_blocking_portal

from graph.bootstrap import open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.errors import RecollectError

_T = TypeVar("_T")


class WrongThread(RecollectError):
    """Called from the event loop that the stores live on: await the asynchronous method there."""


class StoresClosed(RecollectError):
    """The stores are closed: use them within the block that opened them."""


def loop_here() -> asyncio.AbstractEventLoop:
    """Return the event loop that runs here.

    Raises:
        WrongThread: none does.
    """
    try:
        return asyncio.get_running_loop()
    except RuntimeError as error:
        raise WrongThread(
            "No event loop runs here: pass the one that the stores live on as `loop`"
            " (opened_in_thread yields it)."
        ) from error


def from_another_thread(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, _T]) -> _T:
    """Run work on the stores' loop, and wait for it.

    Raises:
        WrongThread: the caller is on that loop itself, and would wait for itself.
        StoresClosed: that loop runs no more.
    """
    try:
        here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
    except RuntimeError:
        here = None
    if here is loop:
        work.close()
        raise WrongThread
    if not loop.is_running():
        work.close()
        raise StoresClosed
    return asyncio.run_coroutine_threadsafe(work, loop).result()


class Opened(NamedTuple):
    """Open stores, and the event loop that they live on."""

    stores: Stores
    loop: asyncio.AbstractEventLoop


@contextmanager
def opened_in_thread(settings: Settings) -> Iterator[Opened]:
    """Yield stores to a program without an event loop: they live on one of a thread of its own.

    Raises:
        RecollectError: a store cannot be opened; one line that names the setting.
    """
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_stores(settings)) as stores,
    ):
        yield Opened(stores, portal.call(_this_loop))


async def _this_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()
