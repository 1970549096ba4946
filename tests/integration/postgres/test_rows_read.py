"""Statements that run again and again read the rows they need, however many others there are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from memory.domain.changes import Change
from memory.embedded import EmbeddedStores
from memory.postgres.migrate import migrate
from memory.postgres.pool import Pool
from memory.postgres.revisions import PostgresRevisions
from tests.benchmarks.backlog import BATCH
from tests.benchmarks.backlog import calls as backlog_calls
from tests.benchmarks.big_ledger import Size, chat, fill
from tests.benchmarks.sql import calls, measure, one_connection
from tests.stores import fresh_database

pytestmark = pytest.mark.anyio

SIZE = Size(messages=20_000, deliveries=20_000)
CHATS = SIZE.chats
# Rows and index entries that one call may read. A quarter of the chats have 160 checkpoints, of
# which those of today are read: they might be too many.
MOST = {
    "abandoned turns": 4 * CHATS,
    "prunable threads": 12 * CHATS,
    "bm25, a rare word": 12_000,
    "echo of nothing": 50,
    "echo under a hidden id": 50,
    "deliveries counted": 15_000,
    "delivery taken": 50,
    "interrupted deliveries": 50,
    "texts of settled ones dropped": 50,
    "unknown ones listed": 100,
    "contact's page": 200,
    # About 50 messages, each with its chat, and what became of those without an answer.
    "contact's activity": 500,
}
_OWE = """
insert into backlog (projection, generation, tenant, item)
select name, generation, 'big', md5(n::text) from projections, generate_series(1, %s) as n
"""


@pytest.fixture(scope="module")
async def pool(embedded: EmbeddedStores) -> AsyncIterator[Pool]:
    """A filled database, and the one connection that reads it."""
    async with one_connection(fresh_database(embedded.database_url)) as opened:
        async with opened.connection() as connection:
            await connection.execute("create schema if not exists recollect")
        await fill(opened, SIZE)
        yield opened


@pytest.mark.parametrize("name", MOST)
async def test_a_statement_reads_what_it_needs(pool: Pool, name: str) -> None:
    _, rows = await measure(pool, calls(pool)[name])
    assert rows <= MOST[name]


async def test_a_change_of_a_reply_reads_its_own_parts(pool: Pool) -> None:
    number = 9_003  # an answer that was sent, here in two parts
    async with pool.connection() as connection:
        await connection.execute(
            "update messages m set turn_id = o.turn_id from outbox o"
            " where o.sent_message_id = %s and m.uid = o.reply_uid",
            [f"sent{number}"],
        )
        await connection.execute(
            "update outbox o set turn_id = f.turn_id, reply_uid = f.reply_uid, part = 1,"
            " tenant = f.tenant from outbox f"
            " where f.sent_message_id = %s and o.sent_message_id = %s",
            [f"sent{number}", f"sent{number + 1}"],
        )
    sent_to, now = chat(1 + number * 7919 % CHATS), datetime.now(UTC)
    edit = Change(sent_to, f"sent{number}", "edit", "e", "other words", (), True, now)
    revisions = PostgresRevisions(pool)
    assert await revisions.change(edit, now) == "refused"
    _, rows = await measure(pool, lambda: revisions.change(edit, now))
    assert rows <= 50


async def test_a_batch_costs_the_same_however_much_is_owed(embedded: EmbeddedStores) -> None:
    async with one_connection(fresh_database(embedded.database_url)) as fresh:
        async with fresh.connection() as connection:
            await connection.execute("create schema if not exists recollect")
        await migrate(fresh)
        async with fresh.connection() as connection:
            await connection.execute(_OWE, [2_000])
            await connection.execute("delete from backlog")
            await connection.execute("vacuum backlog")
        named = backlog_calls(fresh)
        batches = [name for name in named if "taken and" in name]
        for name in batches:
            # Plans are made, and kept, while nothing is owed.
            await measure(fresh, named[name])
        async with fresh.connection() as connection:
            await connection.execute(_OWE, [20_000])
        read = {name: (await measure(fresh, named[name]))[1] for name in batches}
    assert max(read.values()) < 10 * BATCH
