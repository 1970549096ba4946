"""The stores a test runs on: embedded ones in a fresh folder, or separate servers.

`RECOLLECT_TEST_STORES=servers` chooses the servers that `RECOLLECT_TEST_DATABASE_URL`,
`RECOLLECT_TEST_CHROMA_URL` and `RECOLLECT_TEST_NEO4J_URI` name; each test gets a database and a
tenant of its own on them. What is no first start begins with a copy of stores that were made once
in this process: their schema is up to date, and they hold nothing.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

from memory.embedded import lease, locks
from memory.embedded.layout import Layout, read_state
from memory.postgres.migrate import migrate
from memory.postgres.pool import open_pool
from memory.postgres.procrastinate_schema import migrate_queue

STOPPED_WITHIN_S = 60.0

_passing: set[Path] = set()


def store_environment(tmp_path: Path, *, is_first_start: bool = False) -> dict[str, str]:
    """Return the settings of empty stores; nothing is started, but a database may be created.

    A first start finds nothing at all; otherwise the schema is there.

    Raises:
        KeyError: the servers are chosen, and one of them is not named.
    """
    tenant = {"RECOLLECT_TENANT": f"test-{uuid4().hex[:12]}"}
    if os.environ.get("RECOLLECT_TEST_STORES") != "servers":
        data_dir = reachable(tmp_path) / "data"
        if not is_first_start:
            copy_stores(data_dir)
        return tenant | {"RECOLLECT_DATA_DIR": str(data_dir)}
    create = fresh_database if is_first_start else migrated_database
    return tenant | {
        "RECOLLECT_DATABASE_URL": create(os.environ["RECOLLECT_TEST_DATABASE_URL"]),
        "RECOLLECT_CHROMA_URL": os.environ["RECOLLECT_TEST_CHROMA_URL"],
        "RECOLLECT_NEO4J_URI": os.environ["RECOLLECT_TEST_NEO4J_URI"],
    }


def copy_stores(data_dir: Path) -> None:
    """Make a data folder with a cluster that has today's schema and nothing in it."""
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", _template(), data_dir], check=True)


@cache
def _template() -> Path:
    folder = open_folder()
    layout = Layout(folder.resolve() / "data")
    with lease(layout.data_dir) as held:
        _bring_up_to_date(held.stores.database_url)
    supervisor = locks.open_lock(layout.lock("supervisor"))
    try:
        assert locks.wait_exclusive(supervisor, STOPPED_WITHIN_S), "the servers do not stop"
    finally:
        os.close(supervisor)
    for made in (layout.chroma, layout.run):
        shutil.rmtree(made)
    return layout.data_dir


def fresh_database(server_url: str, template: str = "template1") -> str:
    """Create a database on a server and return its URL."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"create database {name} template {template}".encode())
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))


def migrated_database(server_url: str) -> str:
    """Create a database with the schema of today on a server and return its URL."""
    return fresh_database(server_url, _migrated(server_url))


@cache
def _migrated(server_url: str) -> str:
    url = fresh_database(server_url)
    _bring_up_to_date(url)
    return urlsplit(url).path.removeprefix("/")


def _bring_up_to_date(url: str) -> None:
    async def both() -> None:
        async with open_pool(url) as pool:
            await migrate(pool)
            await migrate_queue(pool)

    # Who asks may be on an event loop.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, both()).result()


def database_url(environment: dict[str, str]) -> str:
    """Return where the database of an environment is, while somebody holds its stores.

    Raises:
        LookupError: the embedded stores are not running.
    """
    if url := environment.get("RECOLLECT_DATABASE_URL"):
        return url
    state = read_state(Layout(Path(environment["RECOLLECT_DATA_DIR"]).resolve()).state)
    if state is None:
        raise LookupError("the embedded stores are not running")
    return state.database_url


def reachable(tmp_path: Path) -> Path:
    """Return a folder that Postgres may enter: root runs it as `nobody`, whom pytest shuts out.

    pytest shuts its folder again whenever another run begins. It is there until `remove_folders`.
    """
    if os.geteuid() != 0:
        return tmp_path
    folder = open_folder()
    _passing.add(folder)
    return folder


def remove_folders() -> None:
    """Remove what `reachable` returned: the stores of a module fill memory until then."""
    for folder in list(_passing):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():  # servers that are stopping may write once more
            _passing.remove(folder)


def open_folder() -> Path:
    """Return a folder that everybody may enter; it is removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-test-"))
    folder.chmod(0o711)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
