"""What `langgraph.json` names: graph, checkpointer, store and what Studio needs of the server.

The Agent Server enters the checkpointer first and leaves it last, so the stores live as long.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse

from graph.adapters import MemoryStore
from graph.auth import LOCAL_PAGE, STUDIO, api_key, is_studio
from graph.bootstrap import open_stores
from graph.build import build_graph
from graph.checkpointer import RecollectSaver
from graph.door import Gate
from graph.settings import load_settings
from graph.stores import Stores
from memory.errors import RecollectError, reason_of
from nodes.context import Context, GivenOptions

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


@asynccontextmanager
async def store() -> AsyncIterator[MemoryStore]:
    """Yield the memory as the server's store: `client.store` reads and writes it."""
    yield MemoryStore(_stores())


def _stores() -> Stores:
    if not _open:
        raise RecollectError("The stores are not open: run the graph under `langgraph dev`.")
    return _open[-1]


async def _wire(given: GivenOptions) -> Context:
    return await _stores().wire(given)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    del request
    return JSONResponse({"detail": reason_of(error)}, status_code=422)


graph = build_graph(_wire).compile()

# A page of Studio asks leave to reach a private network; `http.cors` in langgraph.json cannot give
# it. Who may read answers is said there and here alike: else any page could read the memory.
app = Starlette(
    middleware=[
        Middleware(
            CORSMiddleware,
            allow_origins=[STUDIO],
            allow_origin_regex=LOCAL_PAGE,
            allow_methods=["*"],
            allow_headers=["*"],
            allow_private_network=True,
        ),
        # `auth` in langgraph.json leaves out some routes, `/internal` and `/deploy` among them.
        Middleware(Gate, key=api_key, is_open=lambda path: path == "/ok", is_friend=is_studio),
    ],
    # What the store does not take is told; the server has a word for errors of its own alone.
    exception_handlers={RecollectError: _refused},
)
