"""A fake gateway and a server process, shared by the tests of a module; each test has its chats."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.serving import HMAC_KEY, Serving
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import store_environment


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
def data_dir() -> Iterator[Path]:
    # pytest's own folders are closed to others; Postgres does not run as root.
    folder = Path(tempfile.mkdtemp(prefix="recollect-e2e-"))
    folder.chmod(0o755)
    yield folder / "data dir"
    shutil.rmtree(folder, ignore_errors=True)
