"""`recollect rebuild` as processes that are killed, and the recall suite before and after it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from evals.recall.cases import RecallCase
from evals.recall.product import Recollect
from evals.systems.system import Found
from graph.bootstrap import open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.recalls import Recalled
from memory.embedded import EmbeddedStores, lease
from memory.recall.recall import Scope, recall
from memory.trust.verify import verify
from tests.integration.importing.processes import ROOT, environment
from tests.messages import START, message
from tests.stores import copy_stores, reachable

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

MESSAGES = 400
WITHIN_S = 120.0
CASES = ROOT / "datasets" / "recall" / "own.jsonl"


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[EmbeddedStores]:
    """Servers of the test's own: a rebuild is one for all who share them."""
    folder = reachable(tmp_path) / "data"
    copy_stores(folder)
    held = await asyncio.to_thread(lease, folder)
    yield held.stores
    await asyncio.to_thread(held.close)


@pytest.fixture
def settings(servers: EmbeddedStores) -> Settings:
    stores = {"database_url": servers.database_url, "chroma_url": servers.chroma_url}
    return Settings.model_validate({**stores, "tenant": "ours"})


def _started(settings: Settings) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ui.cli.main", "rebuild"],
        env=environment(settings),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _left(servers: EmbeddedStores) -> int | None:
    """Return what is still to be done for the message vectors that are built; None: none are.

    Nor are they before what is built with them is owed everything, too.
    """
    with psycopg.connect(servers.database_url) as connection:
        row = connection.execute(
            "select (select count(*) from recollect.backlog b"
            "  where b.projection = p.name and b.generation = p.generation)"
            " from recollect.projections p"
            " where name = 'vectors' and state = 'building' and not exists ("
            "  select from recollect.projections where state = 'building' and not is_enrolled)"
        ).fetchone()
    return int(row[0]) if row else None


def _kill_below(servers: EmbeddedStores, process: subprocess.Popen[str], most: int) -> int:
    """Kill a rebuild once so few items are left at most; return how many there were."""
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        left = _left(servers)
        if left is not None and left <= most:
            process.kill()
            process.communicate()
            return left
        time.sleep(0.01)
    raise TimeoutError


async def _recalled(stores: Stores) -> list[Recalled]:
    scope = Scope("ours", "waha:ana", "contact:waha:ana", is_group=False)
    found = await recall(stores.memory, scope, "which boat is number 350", START, 10)
    return list(found.entries)


async def test_killed_half_way_it_goes_on_while_the_old_answers(
    settings: Settings, servers: EmbeddedStores
) -> None:
    async with open_stores(settings) as stores:
        said = [
            message(f"I saw the boat number {n} today.", tenant="ours", minutes=n)
            for n in range(MESSAGES)
        ]
        await stores.memory.ledger.record(said, history=True)
        await stores.projector.caught_up()
        before = await _recalled(stores)
        most, least = MESSAGES, MESSAGES + 1
        for _ in range(3):
            process = await asyncio.to_thread(_started, settings)
            left = await asyncio.to_thread(_kill_below, servers, process, most)
            assert left < least
            least, most = left + 1, left - MESSAGES // 4
            assert await _recalled(stores) == before
        process = await asyncio.to_thread(_started, settings)
        out, err = await asyncio.to_thread(process.communicate)
        assert (process.returncode, out) == (0, "Made anew.\n")
        assert "Going on with vectors, tokens, fact_vectors, episode_vectors, entities" in err
        assert _left(servers) is None
        await stores.projector.caught_up()
        projections = stores.projector.projections
        reports = [each async for each in verify(stores.memory, projections, ["ours"], 3)]
        assert [(each.is_clean, each.waiting) for each in reports] == [(True, 0)] * 10
        present = {each.projection: each.present for each in reports}
        assert (present["vectors"], present["tokens"]) == (MESSAGES, MESSAGES)
        assert await _recalled(stores) == before


def _cases() -> list[RecallCase]:
    return [RecallCase.model_validate_json(line) for line in CASES.read_text().splitlines()]


async def _answers(systems: dict[str, Recollect]) -> list[Found]:
    return [
        await systems[case.case_id].search(question.question, 50)
        for case in _cases()
        for question in case.questions
    ]


async def test_the_recall_suite_finds_the_same_after_it(settings: Settings) -> None:
    async with open_stores(settings) as stores:
        systems = {case.case_id: Recollect(stores, case.case_id) for case in _cases()}
        for case in _cases():
            await systems[case.case_id].ingest(case.turns)
        before = await _answers(systems)
        process = await asyncio.to_thread(_started, settings)
        await asyncio.to_thread(process.communicate)
        assert process.returncode == 0
        await stores.projector.caught_up()
        after = await _answers(systems)
        # Vectors of other batches differ in their last digits.
        assert [found.ids for found in after] == [found.ids for found in before]
        assert [found.confidence for found in after] == pytest.approx(
            [found.confidence for found in before], abs=1e-5
        )
