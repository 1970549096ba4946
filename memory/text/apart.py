"""Long texts are read beside the event loop, so that nobody else waits for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

FROM_CHARS: Final = 4_000
"""Fewer characters take about 10 ms at most; a thread for each short message costs more."""

Read = TypeVar("Read")


async def read_apart(read: Callable[[], Read], chars: int) -> Read:
    """Return what `read` returns; in a thread where it reads so many characters."""
    return read() if chars < FROM_CHARS else await asyncio.to_thread(read)
