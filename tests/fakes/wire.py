"""A TCP proxy that can be cut, silenced and mended: what clients see when a server goes down."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Self

Target = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


class Wire:
    """Forwards connections on a loopback port to a target, while it is whole.

    While `is_silent`, it takes in what it is sent and forwards nothing.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.is_silent = False

    async def __aenter__(self) -> Self:
        await self.mend()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.cut()

    async def mend(self) -> None:
        """Take connections again, on the same port."""
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Refuse new connections and drop the open ones."""
        if self._server is not None:
            self._server.close()
        self._server = None
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        far_reader, far_writer = await self._target()
        pair = {writer, far_writer}
        self._writers |= pair
        try:
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        finally:
            self._writers -= pair

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while block := await reader.read(65536):
                if not self.is_silent:
                    writer.write(block)
                    await writer.drain()
        writer.close()
