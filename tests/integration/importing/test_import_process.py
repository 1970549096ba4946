"""An import as a process of its own: killed, and interrupted."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from graph.bootstrap import open_stores
from graph.settings import Settings
from graph.stores import Stores
from tests.fakes.exports import chat_file
from tests.integration.importing.counting import count, rows, spoken, vectors
from tests.integration.importing.processes import ROOT, command, environment

TOTAL = 2_000
WITHIN_S = 120.0


def _start(settings: Settings, path: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(path, *options),
        env=environment(settings),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for_position(settings: Settings, least: int) -> int:
    """Return an import's position once it is so far."""
    url = settings.database_url
    assert url is not None
    deadline = time.monotonic() + WITHIN_S
    with psycopg.connect(url.get_secret_value(), autocommit=True) as connection:
        while time.monotonic() < deadline:
            row = connection.execute(
                "select position from recollect.imports where tenant = %s", [settings.tenant]
            ).fetchone()
            if row and row[0] >= least:
                return int(row[0])
            time.sleep(0.02)
    raise TimeoutError


@pytest.mark.anyio
@pytest.mark.slow
async def test_killed_half_way_it_goes_on_and_doubles_nothing(
    settings: Settings, tmp_path: Path
) -> None:
    path = chat_file(tmp_path, TOTAL)
    async with open_stores(settings) as stores:
        process = _start(settings, path, "--me", "Max")
        position = _wait_for_position(settings, TOTAL // 3)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=WITHIN_S)
        assert position <= await rows(stores) < TOTAL
        resumed = _start(settings, path)
        out, err = resumed.communicate(timeout=WITHIN_S)
        assert resumed.returncode == 0, err
        assert "Going on after" in err
        assert f"{TOTAL:,} messages, {TOTAL:,} of them new" in out
        await _is_whole(stores)


async def _is_whole(stores: Stores) -> None:
    assert await rows(stores) == TOTAL
    assert await vectors(stores) == await spoken(stores) == TOTAL
    assert (
        await count(
            stores, "select count(distinct (session_id, position)) from messages where tenant = %s"
        )
        == TOTAL
    )
    out_of_order = (
        "select count(*) from (select created_at < lag(created_at) over (order by position) as late"
        " from messages where tenant = %s) as lines where late"
    )
    assert await count(stores, out_of_order) == 0


def test_ctrl_c_ends_with_one_line_that_says_how_to_go_on(
    settings: Settings, tmp_path: Path
) -> None:
    process = _start(settings, chat_file(tmp_path, TOTAL), "--me", "max")
    _wait_for_position(settings, 256)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 130
    assert out == ""
    assert "of 2,000 messages are kept; the same command goes on there." in err.splitlines()[-1]
    assert "Traceback" not in err
