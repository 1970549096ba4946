"""Where Postgres and Chroma are; the embedded ones run while somebody holds them.

It loads nothing heavy: the servers start while the rest of a program is imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from graph.settings import Settings
from memory.embedded import Lease, default_data_dir, lease


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where Postgres and Chroma are."""

    database_url: str
    chroma_url: str


@asynccontextmanager
async def addresses(settings: Settings) -> AsyncIterator[Addresses]:
    """Yield where the stores are, with the embedded ones running where none are set.

    Raises:
        RecollectError: the embedded stores cannot be started; one line that says why.
    """
    given = settings.database_url.get_secret_value() if settings.database_url else None
    if given and settings.chroma_url:
        yield Addresses(given, settings.chroma_url)
        return
    held = await asyncio.to_thread(_lease, settings)
    try:
        yield Addresses(
            given or held.stores.database_url, settings.chroma_url or held.stores.chroma_url
        )
    finally:
        await asyncio.to_thread(held.close)


@contextmanager
def starting(settings: Settings) -> Iterator[None]:
    """Start the embedded stores beside the block, where they are needed, and hold them in it.

    What goes wrong is told to who asks for `addresses`.
    """
    if settings.database_url and settings.chroma_url:
        yield
        return
    with ThreadPoolExecutor(1) as beside:
        begun = beside.submit(_lease, settings)
        try:
            yield
        finally:
            if begun.exception() is None:
                begun.result().close()


def _lease(settings: Settings) -> Lease:
    return lease(settings.data_dir or default_data_dir())
