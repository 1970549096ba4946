"""`recollect ui`: the playground under a server of our own, which tells when the page is usable."""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from graph.addresses import starting
from graph.door import Gate, check_address
from graph.settings import Settings, load_settings
from server.listening import PortTaken, bound

if TYPE_CHECKING:
    from fastapi import FastAPI

    from graph.agent import Agent

DEFAULT_PORT = 7860
PORTS_TRIED = 100
# Open pages hold a stream each; they are cut off after this long.
GOODBYE_S = 1


def run_playground(host: str, port: int | None, *, open_browser: bool) -> int:
    """Serve the playground until it is interrupted; return the exit status.

    Raises:
        RecollectError: a store cannot be opened, the port is taken, or no key is set though other
            machines reach `host`.
    """
    settings = load_settings()
    check_address(settings, host)
    listening = listen(host, port)
    try:
        asyncio.run(_serve(settings, listening, open_browser=open_browser))
    except KeyboardInterrupt:
        return 0
    finally:
        listening.close()
    return 0


def listen(host: str, port: int | None) -> socket.socket:
    """Return a socket on `port`; without one on 7860 or the next port that is free.

    Raises:
        CannotListen: there is no such host here.
        PortTaken: the port, or every one that was tried, cannot be had.
    """
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else [port]
    why = ""
    for candidate in ports:
        try:
            return bound(host, candidate)
        except PortTaken as error:
            why = error.why
    where = f"port {port}" if port is not None else f"ports {ports[0]} to {ports[-1]}"
    raise PortTaken(host, where, why)


def application(agent: Agent, path: str = "/") -> FastAPI:
    """Return an application with the playground at `path`, on an open agent, behind the gate."""
    gr = import_gradio()
    from fastapi import FastAPI

    from ui.playground.app import build_page
    from ui.playground.astray import NoSuchPage
    from ui.playground.style import CSS, theme

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    _add_downloads(app, agent, path)
    mounted: FastAPI = gr.mount_gradio_app(
        app,
        build_page(agent),
        path,
        theme=theme(),
        css=CSS,
        footer_links=[],
        ssr_mode=False,
        show_error=True,
        enable_monitoring=False,
    )
    mounted.add_middleware(NoSuchPage, back=path)
    settings = agent.stores.settings
    # A browser asks its user for the key as a password, and sends it with every later request.
    mounted.add_middleware(Gate, key=lambda: settings.api_key, challenge='Basic realm="Recollect"')
    return mounted


def _add_downloads(app: FastAPI, agent: Agent, path: str) -> None:
    """Serve what links of the page lead to that are files."""
    from starlette.responses import StreamingResponse

    from server.http.download import download
    from server.http.errors import add_error_answers

    @app.get(f"{path.rstrip('/')}/contacts/{{contact_id:path}}/export", response_model=None)
    async def exported(contact_id: str) -> StreamingResponse:
        return await download(agent.stores, contact_id)

    add_error_answers(app)


def import_gradio() -> ModuleType:
    """Import gradio in half of the time that it takes by itself, and return it."""
    # Read at its import: the page asks nobody on the network for anything.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    with _no_editor_stubs(), _no_mcp():
        return importlib.import_module("gradio")


@contextmanager
def _no_editor_stubs() -> Iterator[None]:
    find = inspect.getfile

    def getfile(thing: Any) -> str:  # Any: as inspect.getfile has it
        # At every import gradio parses its sources to write editor stubs beside them, unless it is
        # told that a component has no file.
        if isinstance(thing, type) and thing.__module__.startswith("gradio."):
            raise OSError
        return find(thing)

    inspect.getfile = getfile  # type: ignore[assignment]  # the same, for what has a file
    try:
        yield
    finally:
        inspect.getfile = find


@contextmanager
def _no_mcp() -> Iterator[None]:
    # Gradio loads the package for pages that are MCP servers, which this one is not.
    if "mcp" in sys.modules:
        yield
        return
    sys.modules["mcp"] = None  # type: ignore[assignment]  # what import takes for missing
    try:
        yield
    finally:
        del sys.modules["mcp"]


@contextmanager
def _no_collection() -> Iterator[None]:
    # Imports make half a million objects that stay: looking through them again and again for
    # garbage takes a fifth of the start.
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def _serve(settings: Settings, listening: socket.socket, *, open_browser: bool) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.handle_exit, number, None)
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            listens.set()

    listens = asyncio.Event()
    async with AsyncExitStack() as stack:
        with _no_collection(), starting(settings):
            from graph.bootstrap import open_agent

            agent = await stack.enter_async_context(open_agent(settings))
            app = application(agent)
        config = uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            timeout_graceful_shutdown=GOODBYE_S,
        )
        server = Server(config)
        key = settings.api_key.get_secret_value() if settings.api_key else ""
        ready = asyncio.create_task(_announce(listens, listening, key, open_browser=open_browser))
        try:
            await server.serve(sockets=[listening])
        finally:
            ready.cancel()


async def _announce(
    listens: asyncio.Event, listening: socket.socket, key: str, *, open_browser: bool
) -> None:
    import httpx

    host, port = listening.getsockname()[:2]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104  # compared, not bound
    url = f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
    await listens.wait()
    # The first page takes the longest: it is built now, not under the eyes of a person.
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx.AsyncClient(trust_env=False, timeout=60, headers=headers) as client:
        for path in ("/", "/config"):
            (await client.get(url + path)).raise_for_status()
    sys.stdout.write(f"Recollect: {url}\n")
    sys.stdout.flush()
    if open_browser:
        await asyncio.to_thread(webbrowser.open, url)
