"""The stores a test runs on: embedded ones in a fresh folder, or separate servers.

`RECOLLECT_TEST_STORES=servers` chooses the servers that `RECOLLECT_TEST_DATABASE_URL`,
`RECOLLECT_TEST_CHROMA_URL` and `RECOLLECT_TEST_NEO4J_URI` name; each test gets a database and a
tenant of its own on them.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

from memory.embedded.layout import Layout, read_state


def store_environment(tmp_path: Path) -> dict[str, str]:
    """Return the settings of fresh stores; nothing is started, but a database may be created.

    Raises:
        KeyError: the servers are chosen, and one of them is not named.
    """
    tenant = {"RECOLLECT_TENANT": f"test-{uuid4().hex[:12]}"}
    if os.environ.get("RECOLLECT_TEST_STORES") != "servers":
        return tenant | {"RECOLLECT_DATA_DIR": str(reachable(tmp_path) / "data")}
    return tenant | {
        "RECOLLECT_DATABASE_URL": fresh_database(os.environ["RECOLLECT_TEST_DATABASE_URL"]),
        "RECOLLECT_CHROMA_URL": os.environ["RECOLLECT_TEST_CHROMA_URL"],
        "RECOLLECT_NEO4J_URI": os.environ["RECOLLECT_TEST_NEO4J_URI"],
    }


def fresh_database(server_url: str) -> str:
    """Create a database on a server and return its URL."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))


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

    pytest shuts its folder again whenever another run begins.
    """
    if os.geteuid() != 0:
        return tmp_path
    folder = Path(tempfile.mkdtemp(prefix="recollect-test-"))
    folder.chmod(0o711)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
