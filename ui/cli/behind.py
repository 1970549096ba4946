"""An event loop in a thread of its own, so that keys are heard whatever it does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Generic, Self, TypeVar

LET_GO_S = 10.0
"""What was begun and is not wanted any more has so long to end."""

_T = TypeVar("_T")


class Begun(Generic[_T]):
    """Something that was begun behind the prompt."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, _T],  # Any: what no one sends
    ) -> None:
        self._has_ended = threading.Event()
        self._outcome: Future[_T] = asyncio.run_coroutine_threadsafe(self._watched(work), loop)

    async def _watched(self, work: Coroutine[Any, Any, _T]) -> _T:  # Any: as above
        try:
            return await work
        finally:
            self._has_ended.set()

    def is_done(self) -> bool:
        """Tell whether it has ended, however it did."""
        return self._outcome.done()

    def has_failed(self) -> bool:
        """Tell whether it has ended without an outcome."""
        done = self._outcome.done()
        return done and (self._outcome.cancelled() or self._outcome.exception() is not None)

    def result(self) -> _T:
        """Wait for it and return its outcome, or raise what it raised.

        Raises:
            KeyboardInterrupt: Ctrl-C; it has been stopped.
        """
        try:
            return self._outcome.result()
        except KeyboardInterrupt:
            self.stop()
            raise

    def stop(self) -> None:
        """Cancel it where it has not ended, and let it end."""
        if self._outcome.cancel():
            self._has_ended.wait(LET_GO_S)


class Behind:
    """Runs coroutines in its thread. A context manager."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.start(_ended()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(LET_GO_S)
        if not self._thread.is_alive():
            self._loop.close()

    def start(self, work: Coroutine[Any, Any, _T]) -> Begun[_T]:  # Any: what no one sends
        """Begin something."""
        return Begun(self._loop, work)


async def _ended() -> None:
    """Cancel what still runs on this loop and let it end, so that nothing is torn off halfway."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.wait([asyncio.gather(*others, return_exceptions=True)], timeout=LET_GO_S)
    await asyncio.get_running_loop().shutdown_asyncgens()
