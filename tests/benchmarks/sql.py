"""How long statements take on 200,000 messages and deliveries, and how many rows they read.

`python -m tests.benchmarks.sql [--only WORD...] [--plans]` makes the database anew and each call
`RUNS` times, and prints p50 and p95 in milliseconds and the rows and index entries that one reads.
`--plans` prints what EXPLAIN (ANALYZE, BUFFERS) says of each statement as well.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from psycopg import AsyncCursor
from psycopg.rows import DictRow

from graph.checkpointer import RecollectSaver
from memory.domain.chats import Actor, Message
from memory.embedded import lease
from memory.postgres.identities import PostgresIdentities
from memory.postgres.jobs import PostgresJobs
from memory.postgres.ledger import PostgresLedger
from memory.postgres.lexical import PostgresLexicalIndex
from memory.postgres.outbox import PostgresOutbox
from memory.postgres.pool import Pool, connect_kwargs, open_pool
from memory.postgres.timelines import PostgresTimelines
from memory.postgres.turns import PostgresTurns
from tests.benchmarks.big_ledger import OTHER, TENANT, Size, chat, fill, group_anchor
from tests.stores import reachable

RUNS = 20
# Shared buffers are read either way; what differs between statements is how many rows they touch.
_ROWS_READ = """
select (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'recollect')
  + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'recollect') as n
"""

Call = Callable[[], Awaitable[object]]


def calls(pool: Pool) -> dict[str, Call]:
    """Return what is measured, by name; each may be called any number of times."""
    outbox, jobs, turns = PostgresOutbox(pool), PostgresJobs(pool), PostgresTurns(pool)
    lexical, ledger, saver = PostgresLexicalIndex(pool), PostgresLedger(pool), RecollectSaver(pool)
    timelines = PostgresTimelines(pool)
    now, both = datetime.now(UTC), [TENANT, OTHER]
    day, month = now - timedelta(hours=25), now - timedelta(days=31)
    own = Message(chat(2), "x", Actor.OWNER, "me", "waha:2@c.us", "an own line", now, from_me=True)
    hidden = replace(own, chat=replace(own.chat, chat_id="77@lid"))
    anchor = [group_anchor()]

    async def abandoned() -> object:
        threads = await saver.unfinished_threads(both, ["waha"])
        return await jobs.abandoned(both, ["waha"], threads)

    return {
        "abandoned turns": abandoned,
        "prunable threads": lambda: turns.prunable(
            TENANT, idle_since=day, quiet_since=now, many=1000, limit=200
        ),
        "echo of nothing": lambda: outbox.match_echo(own),
        "echo under a hidden id": lambda: outbox.match_echo(hidden),
        "deliveries counted": lambda: outbox.counts(both),
        "delivery taken": lambda: outbox.take(both, ["waha"], "me"),
        "delivery taken, none due": lambda: outbox.take(both, ["telegram"], "me"),
        "delivery taken, all too old": lambda: outbox.take(
            both, ["waha"], "me", not_before=now + timedelta(days=1)
        ),
        "interrupted deliveries": lambda: outbox.interrupted(both, ["waha"], 5.0),
        "expired deliveries": lambda: outbox.expire(both, month, 100),
        "texts of settled ones dropped": lambda: outbox.blank_settled(both, day),
        "settled ones deleted": lambda: outbox.delete_settled(both, month),
        "unknown ones listed": lambda: outbox.listing(TENANT, "unknown", limit=20),
        "retries hastened": lambda: outbox.hasten(TENANT, "waha", "another"),
        "orphans": lambda: jobs.orphans(both, ["waha"], 200),
        "histories still apart": lambda: PostgresIdentities(pool).unjoined(TENANT, 20),
        "contact's page": lambda: ledger.page(TENANT, "waha:3@c.us", None, 50),
        "contact's activity": lambda: timelines.activity(TENANT, "waha:3@c.us", UTC),
        "pending counted": lambda: turns.count_pending(both),
        "others said something": lambda: lexical.audience(TENANT, "waha:3@c.us", anchor[0], []),
        "bm25, a rare word": lambda: lexical.search(TENANT, anchor, "w9000", 150),
        "bm25, four words": lambda: lexical.search(TENANT, anchor, "w40 w300 w900 w2000", 150),
        "bm25, a frequent word too": lambda: lexical.search(TENANT, anchor, "w2 w300 w7000", 150),
        "bm25, a direct chat": lambda: lexical.search(
            TENANT, ["contact:waha:3@c.us"], "w2 w40 w300", 150
        ),
    }


def one_connection(url: str, cursor: type[AsyncCursor[DictRow]] = AsyncCursor) -> Pool:
    """Return a pool of one connection: what it has read is known as soon as it is asked."""
    kwargs = connect_kwargs() | {"cursor_factory": cursor}
    return Pool(url, kwargs=kwargs, open=False, min_size=1, max_size=1)


async def rows_read(pool: Pool) -> int:
    """Return how many rows and index entries the server has read until now."""
    async with pool.connection() as connection:
        await connection.execute("select pg_stat_force_next_flush()")
        row = await (await connection.execute(_ROWS_READ)).fetchone()
    return int(row["n"]) if row else 0


async def measure(pool: Pool, call: Call) -> tuple[list[float], int]:
    """Return the milliseconds of `RUNS` calls in order of size, and the rows that one reads."""
    before = await rows_read(pool)
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - began) * 1000)
    # The statistics' own look-ups are in the catalog, which is not counted.
    return sorted(taken), (await rows_read(pool) - before) // RUNS


class ExplainingCursor(AsyncCursor[DictRow]):
    """Prints the plan of each statement that it executes."""

    async def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        text = query.decode() if isinstance(query, bytes) else query
        if text.split()[0] in ("select", "with", "update", "insert", "delete"):
            await super().execute("begin")
            await super().execute(f"explain (analyze, buffers) {text}".encode(), params)
            print(*("    " + next(iter(row.values())) for row in await self.fetchall()), sep="\n")
            await super().execute("rollback")
        return await super().execute(query, params, **options)


async def run(size: Size, only: list[str], *, plans: bool) -> None:
    """Fill a database, measure, print."""
    async with AsyncExitStack() as stack:
        folder = reachable(Path(tempfile.mkdtemp()))
        held = stack.enter_context(lease(folder / "data"))
        began = time.perf_counter()
        async with open_pool(held.stores.database_url) as pool:
            await fill(pool, size)
        print(f"filled in {time.perf_counter() - began:.0f} s")
        single = await stack.enter_async_context(one_connection(held.stores.database_url))
        explaining = one_connection(held.stores.database_url, ExplainingCursor)
        explained = calls(await stack.enter_async_context(explaining))
        for name, call in calls(single).items():
            if only and not any(word in name for word in only):
                continue
            taken, rows = await measure(single, call)
            p50, p95 = statistics.median(taken), taken[int(len(taken) * 0.95) - 1]
            print(f"{name:32} {p50:9.2f} {p95:9.2f} {rows:9}", flush=True)
            if plans:
                await explained[name]()


def main() -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--plans", action="store_true")
    given = parser.parse_args()
    size = Size(given.messages, given.messages)
    asyncio.run(run(size, given.only, plans=given.plans))
    return 0


if __name__ == "__main__":
    sys.exit(main())
