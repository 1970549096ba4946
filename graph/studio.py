"""What `langgraph.json` names: the graph, its checkpointer and what Studio needs of the server.

The Agent Server enters the checkpointer first and leaves it last, so the stores live as long.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from graph.auth import LOCAL_PAGE, STUDIO, api_key, is_studio
from graph.bootstrap import open_stores
from graph.build import build_graph
from graph.checkpointer import RecollectSaver
from graph.door import Gate
from graph.settings import load_settings
from graph.stores import Stores
from memory.errors import RecollectError
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


async def _wire(given: GivenOptions) -> Context:
    if not _open:
        raise RecollectError("The stores are not open: run the graph under `langgraph dev`.")
    return await _open[-1].wire(given)


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
    ]
)
