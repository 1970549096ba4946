"""What was said on a LangGraph server, as in Studio: its threads are erased and pruned, too."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.erasures import Needles
from memory.postgres.traces import PostgresTraces
from memory.trust.erasure import ErasureBusy, Pace, erase
from server.work.upkeep import IDLE_S, keep_up
from tests.integration.trust.life import (
    AT_HOME,
    HER,
    HERE,
    erased,
    kept_of,
    live,
    on_a_server,
    thread_of,
)

pytestmark = pytest.mark.anyio


async def test_the_threads_of_who_is_erased_go_and_those_of_others_stay(stores: Stores) -> None:
    thread = thread_of(stores)
    await live(agent_on(stores))
    assert (await erased(stores, HER)).is_done
    assert AT_HOME in await kept_of(stores, thread)
    receipt = await erased(stores, HERE)
    assert receipt.is_done, receipt
    assert receipt.counts["checkpoints"] > 1
    assert await kept_of(stores, thread) == ""


async def test_a_run_of_a_server_is_waited_for_and_goes_too(stores: Stores) -> None:
    tenant, thread = stores.settings.tenant, thread_of(stores)
    await on_a_server(stores, thread, interrupt_before=["generate"])
    with pytest.raises(ErasureBusy):
        await erase(stores.memory, stores.projector, tenant, HERE, "cli", Pace(rest_s=0.5))
    waiting = asyncio.create_task(erased(stores, HERE))
    await asyncio.sleep(0.3)
    assert not waiting.done()
    await on_a_server(stores, thread, None)
    receipt = await waiting
    assert receipt.is_done
    assert receipt.counts["messages"] == 2
    assert await kept_of(stores, thread) == ""


async def test_a_run_of_a_server_that_broke_off_is_not_waited_for(stores: Stores) -> None:
    thread = thread_of(stores)
    await on_a_server(stores, thread, interrupt_before=["generate"])
    async with stores.pool.connection() as connection:
        await connection.execute(
            "update turns set started_at = started_at - interval '3 minutes' where tenant = %s",
            [stores.settings.tenant],
        )
    assert (await erased(stores, HERE)).is_done
    assert await kept_of(stores, thread) == ""


@pytest.mark.parametrize("name", ["", "short"])
async def test_a_thread_that_is_left_is_found(stores: Stores, name: str) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    thread = name or thread_of(stores)
    await on_a_server(stores, thread)
    needles = await memory.erasures.needles(tenant, HERE)
    assert thread in needles.threads
    async with stores.pool.connection() as connection:
        await connection.execute("delete from sessions where tenant = %s", [tenant])
    only = Needles(HERE, threads=needles.threads)
    left = (await PostgresTraces(stores.pool).look(tenant, only)).left
    tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
    assert {f"{table}.thread_id" for table in tables} == left.keys()


async def test_an_idle_thread_keeps_its_latest_checkpoint_alone(stores: Stores) -> None:
    tenant, thread = stores.settings.tenant, thread_of(stores)
    await on_a_server(stores, thread)
    counted = "select count(*) as n from checkpoints where thread_id = %s"
    assert await keep_up(stores, tenant) == 0
    async with stores.pool.connection() as connection:
        long_ago = stores.clock() - timedelta(seconds=IDLE_S + 60)
        await connection.execute(
            "update messages set recorded_at = %s where tenant = %s", [long_ago, tenant]
        )
    assert await keep_up(stores, tenant) == 1
    async with stores.pool.connection() as connection:
        row = await (await connection.execute(counted, [thread])).fetchone()
    assert row == {"n": 1}
    assert AT_HOME in await kept_of(stores, thread)
