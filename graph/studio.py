"""What `langgraph.json` names: the graph and its checkpointer, on stores opened once a process.

The Agent Server enters the checkpointer first and leaves it last, so the stores live as long.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graph.bootstrap import Stores, open_stores
from graph.build import build_graph
from graph.checkpointer import RecollectSaver
from graph.settings import load_settings
from memory.errors import RecollectError
from nodes.context import Context, Options

_open: list[Stores] = []


@asynccontextmanager
async def checkpointer() -> AsyncIterator[RecollectSaver]:
    """Open the stores and yield the saver on them."""
    async with open_stores(load_settings()) as stores:
        _open.append(stores)
        try:
            yield stores.saver
        finally:
            _open.remove(stores)


async def _wire(options: Options) -> Context:
    if not _open:
        raise RecollectError("The stores are not open: run the graph under `langgraph dev`.")
    return await _open[-1].wire(options)


graph = build_graph(_wire).compile()
