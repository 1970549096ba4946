"""`recollect contacts erase` as a process that is killed: all or nothing, and the rest follows."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable

import psycopg
import pytest

from graph.bootstrap import open_stores
from graph.settings import Settings
from memory.domain.erasures import Needles
from memory.embedded import EmbeddedStores
from tests.integration.importing.processes import ROOT, environment
from tests.integration.trust.life import BARE, HER, SECRET, hers, transcript

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

WITHIN_S = 60.0
_WAITS = """
select 1 from pg_stat_activity
where wait_event_type = 'Lock' and query like 'delete from keeping_rules%'
"""


def _started(settings: Settings) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ui.cli.main", "contacts", "erase", HER, "--yes"],
        env=environment(settings),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _killed_when(settings: Settings, is_there: Callable[[], object]) -> None:
    """Start an erasure and kill it once something is there."""
    process, deadline = _started(settings), time.monotonic() + WITHIN_S
    while not is_there():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.kill()
    process.communicate()


async def test_killed_half_way_it_is_whole_or_nothing_and_follows_at_the_next_start(
    settings: Settings, embedded: EmbeddedStores
) -> None:
    tenant = settings.tenant
    async with open_stores(settings, projects=False) as stores:
        await stores.memory.ledger.record([hers(stores, SECRET)], history=True)
    with (
        psycopg.connect(embedded.database_url, autocommit=True) as watching,
        psycopg.connect(embedded.database_url) as holding,
    ):
        holding.execute("lock table recollect.keeping_rules in share mode")
        await asyncio.to_thread(_killed_when, settings, lambda: watching.execute(_WAITS).fetchone())
        holding.rollback()
        async with open_stores(settings) as stores:
            await stores.projector.caught_up()
            assert await transcript(stores, BARE) == [SECRET]
            assert await stores.memory.erasures.receipts(tenant, 5) == []
        of_ours = "select 1 from recollect.erasures where tenant = %s"
        await asyncio.to_thread(
            _killed_when, settings, lambda: watching.execute(of_ours, [tenant]).fetchone()
        )
    async with open_stores(settings) as stores:
        await stores.projector.caught_up()
        needles = Needles(HER, frozenset({HER, BARE}), texts=(SECRET,))
        for each in stores.memory.traces:
            assert (await each.look(tenant, needles)).left == {}, each.store
        (receipt,) = await stores.memory.erasures.receipts(tenant, 5)
        assert receipt.owed == 0
