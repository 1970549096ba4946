"""The application: routes, worker and deliverer over one set of open stores."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

import uvicorn
from fastapi import FastAPI

from graph.agent import Agent
from graph.bootstrap import Overrides, open_agent
from graph.settings import Settings
from server import contacts, health, webhook
from server.delivery import Deliverer, Terms
from server.errors import add_error_answers
from server.gateway import Gateway
from server.service import Service
from server.upkeep import Upkeep
from server.worker import Pace, Worker

CONNECTIONS_CLOSE_S = 5
UPKEEP_STOP_S = 5.0

log = logging.getLogger(__name__)


def create_app(
    settings: Settings,
    overrides: Overrides | None = None,
    pace: Pace | None = None,
    terms: Terms | None = None,
) -> FastAPI:
    """Return the app; its lifespan opens the stores and runs worker and deliverer.

    Raises (at start-up):
        RecollectError: one line that names the setting and what is wrong with it.
    """
    return _app(lambda: open_agent(settings, overrides), pace, terms)


def run_server(settings: Settings, host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT: then take nothing new in, finish what runs, and return.

    Raises:
        RecollectError: a store cannot be opened; one line that names the setting.
    """
    asyncio.run(_serve(settings, host, port))


async def _serve(settings: Settings, host: str, port: int) -> None:
    async with open_agent(settings) as agent:
        # Access logs would hold queries, which are texts of people.
        config = uvicorn.Config(
            _app(lambda: nullcontext(agent), None, None),
            host=host,
            port=port,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=CONNECTIONS_CLOSE_S,
        )
        # Uvicorn raises the signal that stopped it once more: the stores still have to be closed.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        print(f"Recollect serves on http://{host}:{port}", flush=True)  # noqa: T201
        await uvicorn.Server(config).serve()


def _app(
    opened: Callable[[], AbstractAsyncContextManager[Agent]], pace: Pace | None, terms: Terms | None
) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened() as agent, serving(agent, pace, terms) as service:
            app.state.service = service
            yield

    # No page of FastAPI's: it loads its scripts from elsewhere.
    app = FastAPI(title="Recollect", lifespan=lifespan, docs_url=None, redoc_url=None)
    for module in (webhook, contacts, health):
        app.include_router(module.router)
    add_error_answers(app)
    return app


@asynccontextmanager
async def serving(
    agent: Agent, pace: Pace | None = None, terms: Terms | None = None
) -> AsyncIterator[Service]:
    """Run the worker and the deliverer on an agent, and stop them gracefully at the end."""
    terms = terms or Terms()
    async with Gateway(agent.stores.settings, agent.stores.identities) as gateway:
        deliverer = Deliverer(agent.stores, gateway, terms)
        worker = Worker(agent, deliverer.wake, deliverer.show_typing, pace)
        working = asyncio.create_task(worker.run())
        sending = asyncio.create_task(deliverer.run())
        upkeep = Upkeep(agent.stores)
        keeping = asyncio.create_task(upkeep.run())
        try:
            yield Service(agent, worker, gateway, upkeep)
        finally:
            upkeep.stop()
            await worker.stop()
            await _ended(keeping, UPKEEP_STOP_S)
            await _ended(working, 1.0)
            deliverer.stop()
            await _ended(sending, terms.stop_s)


async def _ended(task: asyncio.Task[None], patience_s: float) -> None:
    """Wait for a task that was told to stop; cancel it when it does not in time."""
    await asyncio.wait([task], timeout=patience_s)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
