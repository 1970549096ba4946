"""The app in this process, on real stores and a fake gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from graph.bootstrap import Overrides
from graph.settings import Settings, load_settings
from memory.embedded import lease
from tests.drivers.serving import HMAC_KEY
from tests.fakes.waha_gateway import WahaGateway
from tests.integration.server.running import Running, running
from tests.stores import migrated_database, store_environment

Start = Callable[..., AbstractAsyncContextManager[Running]]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Servers as settings, shared by a module: embedded ones for what the environment lacks."""
    found = store_environment(tmp_path_factory.mktemp("stores"))
    if "RECOLLECT_DATA_DIR" not in found:
        yield found
        return
    with lease(Path(found.pop("RECOLLECT_DATA_DIR"))) as held:
        embedded = {
            "RECOLLECT_DATABASE_URL": held.stores.database_url,
            "RECOLLECT_CHROMA_URL": held.stores.chroma_url,
        }
        yield embedded | found


@pytest.fixture
def gateway() -> Iterator[WahaGateway]:
    with WahaGateway(hmac_key=HMAC_KEY, mode="none") as started:
        yield started


@pytest.fixture
def settings(
    servers: dict[str, str],
    gateway: WahaGateway,
    monkeypatch: pytest.MonkeyPatch,
    clean_environment: None,
) -> Callable[..., Settings]:
    """Settings on a fresh database and the gateway; keywords set further variables."""
    database = migrated_database(servers["RECOLLECT_DATABASE_URL"])
    base = servers | {
        "RECOLLECT_DATABASE_URL": database,
        "RECOLLECT_WAHA_URL": gateway.url,
        "RECOLLECT_WAHA_HMAC_KEY": HMAC_KEY,
        "RECOLLECT_DEBOUNCE_MS": "0",
        "RECOLLECT_SEND_PACE_MS": "0",
    }

    def make(**variables: str) -> Settings:
        for name, value in (base | variables).items():
            monkeypatch.setenv(name, value)
        return load_settings()

    return make


@pytest.fixture
def start(settings: Callable[..., Settings], gateway: WahaGateway) -> Start:
    """Start the app; keywords set further variables."""

    @asynccontextmanager
    async def starting(
        overrides: Overrides | None = None, *, with_worker: bool = True, **variables: str
    ) -> AsyncIterator[Running]:
        given = settings(**variables)
        async with running(given, gateway, overrides=overrides, with_worker=with_worker) as app:
            yield app

    return starting
