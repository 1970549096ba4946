"""Several web and worker processes of one machine, started and stopped by the script."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from scripts.processes import ROOT
from tests.drivers.serving import HMAC_KEY, is_free
from tests.e2e.test_workers import eventually
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import store_environment


def processes(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts/processes.py", *arguments],
        env={**os.environ, **more},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def port() -> str:
    """The first of two neighbours that are free, below those that the system hands out itself."""
    return str(next(port for port in _anywhere() if is_free(port) and is_free(port + 1)))


def _anywhere() -> Iterator[int]:
    while True:
        yield random.randrange(20_000, 32_000, 2)


@pytest.mark.timeout(240)
def test_two_webs_and_two_workers_share_the_work_and_stop_together(
    tmp_path: Path, port: str
) -> None:
    with WahaGateway(hmac_key=HMAC_KEY) as gateway:
        settings = store_environment(tmp_path, is_first_start=True) | {
            "RECOLLECT_WAHA_URL": gateway.url,
            "RECOLLECT_WAHA_HMAC_KEY": HMAC_KEY,
        }
        arguments = ("start", "here", "--webs", "2", "--workers", "2", "--port", port)
        started = processes(tmp_path, *arguments, **settings)
        assert (started.returncode, started.stderr) == (0, "")
        try:
            webs = started.stdout.split()
            assert len(webs) == 2
            for number, web in enumerate(webs):
                gateway.webhook_url = f"{web}/webhooks/waha/default"
                assert gateway.deliver("Hello there", f"4911{number}@c.us").status == 200
            assert eventually(lambda: len(gateway.sent) == 2)
            again = processes(tmp_path, *arguments, **settings)
            assert again.returncode == 1
            assert again.stderr.splitlines() == [
                f"processes: processes run already in {tmp_path / 'here'}; stop them first"
            ]
        finally:
            stopped = processes(tmp_path, "stop", "here")
    assert (stopped.returncode, stopped.stdout) == (0, "4 processes stopped\n")
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{webs[0]}/health")
    assert processes(tmp_path, "stop", "here").stdout == "0 processes stopped\n"


@pytest.mark.timeout(240)
def test_one_that_cannot_start_leaves_none(tmp_path: Path, port: str) -> None:
    arguments = ("start", "here", "--webs", "1", "--workers", "1", "--port", port)
    settings = {
        "RECOLLECT_DATABASE_URL": "postgresql://127.0.0.1:9/x",
        "RECOLLECT_CHROMA_URL": "http://127.0.0.1:9",
    }
    failed = processes(tmp_path, *arguments, **settings)
    assert failed.returncode == 1
    (line,) = failed.stderr.splitlines()
    assert "RECOLLECT_DATABASE_URL" in line
    assert processes(tmp_path, "stop", "here").stdout == "0 processes stopped\n"
