"""The application: routes, worker and deliverer over one set of open stores.

Web and worker run in one process, or each in as many as wanted: what they share is in Postgres.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.metadata import version

from fastapi import FastAPI

from graph.agent import Agent
from graph.bootstrap import Overrides, open_agent
from graph.door import Gate, check_address
from graph.settings import BadSettings, Settings
from memory.domain.channels import INGEST
from server.http import (
    contacts,
    context,
    episodes,
    erasing,
    facts,
    health,
    ingest,
    outbox,
    receipts,
    webhook,
)
from server.http.document import CLOSED, HOOKED, DescribedApp, failing
from server.http.errors import add_error_answers
from server.listening import listen
from server.receiving import telegram
from server.sending.bots import Bots, TelegramCarrier
from server.sending.carriers import Carrier, WahaCarrier
from server.sending.delivery import Deliverer
from server.sending.gateway import Gateway
from server.sending.terms import Terms
from server.service import Service
from server.work.followup import FollowUp
from server.work.worker import Pace, Worker

STOP_MARGIN_S = 2.0
FOLLOW_UP_STOP_S = 5.0

HOOKS = (webhook, telegram)
ROUTED = (
    context,
    contacts,
    erasing,
    episodes,
    facts,
    ingest,
    receipts,
    outbox,
)

log = logging.getLogger(__name__)


def create_app(
    settings: Settings,
    overrides: Overrides | None = None,
    pace: Pace | None = None,
    terms: Terms | None = None,
    *,
    with_worker: bool = True,
    polls: bool = False,
) -> FastAPI:
    """Return the app; its lifespan opens the stores and runs worker and deliverer.

    Without a worker it takes messages in and leaves the turns to `recollect worker`.

    Raises (at start-up):
        RecollectError: one line that names the setting and what is wrong with it.
    """
    return _app(
        settings,
        lambda: open_agent(settings, overrides, projects=with_worker),
        pace,
        terms,
        with_worker,
        polls,
    )


def run_server(
    settings: Settings, host: str, port: int, *, with_worker: bool = True, polls: bool = False
) -> None:
    """Serve until SIGTERM or SIGINT: then take nothing new in, finish what runs, and return.

    With `polls` Telegram's updates are fetched rather than waited for.

    Raises:
        RecollectError: a store cannot be opened, there is no bot to poll for, or no key though
            other machines reach `host`; one line that names the setting.
    """
    check_address(settings, host)
    if polls and not settings.telegram_bots:
        raise BadSettings("RECOLLECT_TELEGRAM_TOKENS: set a bot's token to poll for its updates.")
    _run(_serve(settings, host, port, with_worker, polls))


def run_worker(settings: Settings) -> None:
    """Run turns and send replies, without the web, until SIGTERM or SIGINT.

    Raises:
        RecollectError: a store cannot be opened; one line that names the setting.
    """
    _run(_work(settings))


def _run(work: Coroutine[None, None, None]) -> None:
    """Run to the end on uvloop, where there is one: a webhook is many small waits."""
    try:
        from uvloop import new_event_loop
    except ModuleNotFoundError:
        asyncio.run(work)
        return
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(work)


def _settle_down() -> None:
    """Spare the collector what was loaded for good: going through it takes a tenth of a second."""
    gc.collect()
    gc.freeze()


async def _serve(settings: Settings, host: str, port: int, with_worker: bool, polls: bool) -> None:
    async with open_agent(settings, projects=with_worker) as agent:
        app = _app(settings, lambda: nullcontext(agent), None, None, with_worker, polls)
        line = f"Recollect serves on http://{host}:{port}"
        await listen(app, host, port, lambda: print(line, flush=True))  # noqa: T201


async def _work(settings: Settings) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with (
        open_agent(settings) as agent,
        Gateway(settings, agent.stores.memory.identities) as gateway,
        Bots(settings) as bots,
        following_up(agent),
        working(agent, carriers_of(gateway, bots)),
    ):
        _settle_down()
        print(f"Recollect works for {', '.join(settings.served_tenants)}", flush=True)  # noqa: T201
        await stopped.wait()


def _app(
    settings: Settings,
    opened: Callable[[], AbstractAsyncContextManager[Agent]],
    pace: Pace | None,
    terms: Terms | None,
    with_worker: bool,
    polls: bool,
) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            opened() as agent,
            serving(agent, pace, terms, with_worker=with_worker) as service,
        ):
            app.state.service = service
            async with polling(service) if polls else nullcontext():
                yield

    # No page of FastAPI's: it loads its scripts from elsewhere.
    app = DescribedApp(
        title="Recollect",
        version=version("recollect"),
        description='Every failure is one line, {"error": ...}. A method that an address does not'
        " take is a 405 that names those it takes in `Allow`.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    for module in HOOKS:
        app.include_router(module.router, responses=failing(*HOOKED))
    for module in ROUTED:
        app.include_router(module.router, responses=failing(*CLOSED))
    app.include_router(health.router)
    add_error_answers(app)
    app.add_middleware(Gate, key=lambda: settings.api_key, is_open=_is_open)
    return app


def _is_open(path: str) -> bool:
    # Webhooks prove themselves by secrets of their own; health tells strangers one word.
    return path == "/health" or path.startswith("/webhooks/")


@asynccontextmanager
async def serving(
    agent: Agent,
    pace: Pace | None = None,
    terms: Terms | None = None,
    *,
    with_worker: bool = True,
) -> AsyncIterator[Service]:
    """Yield what the routes need, with worker and deliverer running unless told otherwise."""
    stores = agent.stores
    async with (
        Gateway(stores.settings, stores.memory.identities) as gateway,
        Bots(stores.settings) as bots,
        following_up(agent) as follow_up,
    ):
        carriers = carriers_of(gateway, bots)
        work = working(agent, carriers, pace, terms) if with_worker else nullcontext()
        async with work:
            yield Service(agent, gateway, bots, follow_up)


@asynccontextmanager
async def following_up(agent: Agent) -> AsyncIterator[FollowUp]:
    """Do what follows from edits, revokes and news of ids, in every process that may learn them."""
    follow_up = FollowUp(agent.stores)
    task = asyncio.create_task(follow_up.run())
    try:
        yield follow_up
    finally:
        follow_up.stop()
        await _ended(task, FOLLOW_UP_STOP_S)


@asynccontextmanager
async def polling(service: Service) -> AsyncIterator[None]:
    """Fetch the updates of every bot meanwhile."""
    tasks = [asyncio.create_task(telegram.poll(service, each)) for each in service.bots.accounts]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def carriers_of(gateway: Gateway, bots: Bots) -> dict[str, Carrier]:
    """Return who sends for each channel whose replies leave through the outbox."""
    return {"waha": WahaCarrier(gateway), "telegram": TelegramCarrier(bots)}


@asynccontextmanager
async def working(
    agent: Agent,
    carriers: dict[str, Carrier],
    pace: Pace | None = None,
    terms: Terms | None = None,
) -> AsyncIterator[None]:
    """Run the worker and the deliverer on an agent, and stop them gracefully at the end."""
    terms = terms or Terms()
    deliverer = Deliverer(agent.stores, carriers, terms)
    worker = Worker(agent, (*carriers, INGEST), deliverer.wake, deliverer.accompany, pace)
    turns = asyncio.create_task(worker.run())
    sending = asyncio.create_task(deliverer.run())
    try:
        yield
    finally:
        await worker.stop()
        await _ended(turns, STOP_MARGIN_S)
        deliverer.stop()
        await _ended(sending, terms.stop_s)


async def _ended(task: asyncio.Task[None], patience_s: float) -> None:
    """Wait for a task that was told to stop; cancel it when it does not in time."""
    await asyncio.wait([task], timeout=patience_s)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
