"""A fake gateway and a server process, shared by the tests of a module; each test has its chats."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.drivers.serving import HMAC_KEY, Serving
from tests.e2e.chromium import CHROMIUM, FLAGS
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import copy_stores, store_environment


@pytest.fixture(scope="module")
def gateway() -> Iterator[WahaGateway]:
    with WahaGateway(hmac_key=HMAC_KEY) as running:
        yield running


@pytest.fixture(scope="module")
def server(gateway: WahaGateway, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder: Path = tmp_path_factory.mktemp("serve")
    with Serving(store_environment(folder), gateway.url) as running:
        gateway.webhook_url = running.webhook_url
        yield running


@pytest.fixture(scope="module")
def new_data_dir() -> Iterator[Path]:
    """Where there is nothing yet."""
    # pytest's own folders are closed to others; Postgres does not run as root.
    folder = Path(tempfile.mkdtemp(prefix="recollect-e2e-"))
    folder.chmod(0o755)
    yield folder / "data dir"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def data_dir(new_data_dir: Path) -> Path:
    """A folder of stores that hold nothing."""
    copy_stores(new_data_dir)
    return new_data_dir


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """Whose pages share what was loaded: the first one costs three times the next."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


def forget(page: Page) -> None:
    """Take away what a page keeps in the browser."""
    page.context.clear_cookies()
    if page.url.startswith("http"):
        page.evaluate("localStorage.clear(); sessionStorage.clear()")


@pytest.fixture
def page(visitor: BrowserContext) -> Iterator[Page]:
    """A page that fails the test on an error of its own or a request to another machine.

    What it keeps in the browser is forgotten with it.
    """
    opened = visitor.new_page()
    errors: list[str] = []
    foreign: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("dialog", lambda dialog: errors.append(f"dialog {dialog.message}"))
    opened.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://127.0.0.1:", "data:", "blob:"))
            else foreign.append(request.url)
        ),
    )
    yield opened
    forget(opened)
    opened.close()
    assert errors == []
    assert foreign == []
