"""What the backlog of projections costs: statements by what is owed, bloat, and the triggers.

`python -m tests.benchmarks.backlog [--messages 200000] [--churn 1000000] [--plans]` fills a
database as `tests.benchmarks.sql` does, and prints what the ledger's calls take with the triggers
and without. With nothing, 10,000 and 200,000 items owed to each projection it makes each call 20
times and prints p50 and p95 in milliseconds and the rows and index entries that one reads. In the
end it owes and strikes out `--churn` items in batches and prints how the table grows.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from memory.domain.chats import Actor, Message
from memory.embedded import lease
from memory.postgres.backlog import PostgresBacklog
from memory.postgres.ledger import PostgresLedger
from memory.postgres.pool import Pool, open_pool
from tests.benchmarks.big_ledger import OTHER, TENANT, Size, chat, fill
from tests.benchmarks.sql import Call, ExplainingCursor, measure, one_connection
from tests.stores import reachable

BOTH = [TENANT, OTHER]
BATCH = 256
OWED = (0, 10_000, 200_000)

_OWE_ALL = """
insert into backlog (projection, generation, tenant, item, due_at)
select p.name, p.generation, m.tenant, m.uid::text, now() - random() * interval '1 hour'
from projections p, (select tenant, uid from messages order by seq limit %s) m
"""
_SIZES = """
select c.relname as name, pg_relation_size(c.oid) / 1024 as kib from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'recollect' and c.relname like 'backlog%%' and c.relkind in ('r', 'i') order by 1
"""


def calls(pool: Pool) -> dict[str, Call]:
    """Return what is measured, by name; each may be called any number of times."""
    backlog = PostgresBacklog(pool)
    numbers = itertools.count()

    async def take_and_strike_out() -> None:
        await backlog.done("vectors", 1, await backlog.take("vectors", 1, BOTH, "me", BATCH))

    async def take_and_give_back() -> None:
        taken = await backlog.take("facts", 1, BOTH, "me", BATCH)
        await backlog.give_back("facts", 1, taken)

    async def owe_one_and_take_it() -> None:
        item = f"new:{next(numbers)}"
        await backlog.owe(TENANT, ["facts"], [item])
        await backlog.done("facts", 1, await backlog.take_these("facts", 1, TENANT, "me", [item]))

    return {
        "due": lambda: backlog.due(BOTH),
        "256 taken and struck out": take_and_strike_out,
        "256 taken and given back": take_and_give_back,
        "one owed, taken, struck out": owe_one_and_take_it,
        "another tenant's taken": lambda: backlog.take("vectors", 1, ["none"], "me", BATCH),
        "taken over": backlog.take_over,
        "arrears": lambda: backlog.arrears(BOTH),
        "set aside, listed": lambda: backlog.aside(BOTH, 20),
    }


async def statements(single: Pool, explaining: Pool | None) -> None:
    """Print what each call takes by what is owed."""
    for owed in OWED:
        async with single.connection() as connection:
            await connection.execute("truncate backlog")
            await connection.execute(_OWE_ALL, [owed])
        print(f"\n{owed} items owed to each projection")
        for name, call in calls(single).items():
            taken, rows = await measure(single, call)
            p50, p95 = statistics.median(taken), taken[int(len(taken) * 0.95) - 1]
            print(f"{name:32} {p50:9.2f} {p95:9.2f} {rows:9}", flush=True)
            if explaining is not None:
                await calls(explaining)[name]()


async def churn(pool: Pool, count: int) -> None:
    """Owe and strike out items in batches; print how the table grows meanwhile."""
    backlog, began = PostgresBacklog(pool), time.perf_counter()
    async with pool.connection() as connection:
        await connection.execute("truncate backlog")
    for number in range(count // BATCH):
        items = [str(uuid4()) for _ in range(BATCH)]
        await backlog.owe(TENANT, ["vectors"], items)
        taken = await backlog.take("vectors", 1, BOTH, "me", BATCH)
        await backlog.done("vectors", 1, taken)
        if (number + 1) % (count // BATCH // 4) == 0:
            async with pool.connection() as connection:
                rows = await (await connection.execute(_SIZES)).fetchall()
            sizes = "  ".join(f"{row['name']} {row['kib']}" for row in rows)
            seconds = time.perf_counter() - began
            print(f"{(number + 1) * BATCH} items, {seconds:.0f} s, KiB: {sizes}", flush=True)


async def triggers(pool: Pool) -> None:
    """Print the milliseconds that the ledger's calls take with the triggers and without."""
    ledger, numbers, now = PostgresLedger(pool), itertools.count(), datetime.now(UTC)

    def said(place: int = 2) -> Message:
        uid = str(uuid4())
        return Message(
            chat(place), uid, Actor.CONTACT, "me", f"waha:{place}@c.us", f"said {uid}", now
        )

    async def record(many: int) -> None:
        await ledger.record([said() for _ in range(many)], history=True)

    async def turn() -> None:
        message, turn_id = said(2 + next(numbers) % 5), str(uuid4())
        await ledger.record([message])
        await ledger.claim(turn_id, message)
        await ledger.finish(message.chat.tenant, turn_id)

    async def switched(word: str) -> None:
        async with pool.connection() as connection:
            for table in ("messages", "turns"):
                await connection.execute(f"alter table {table} {word} trigger user".encode())

    print("\nms with triggers, without")
    named = {
        "one message recorded": lambda: record(1),
        "200 recorded as a history": lambda: record(200),
        "a turn: recorded, claimed, ended": turn,
    }
    for name, call in named.items():
        found: dict[str, list[float]] = {"enable": [], "disable": []}
        for _ in range(5):
            for word, times in found.items():
                await switched(word)
                times += (await measure(pool, call))[0]
        await switched("enable")
        shown = " ".join(f"{statistics.median(times):9.2f}" for times in found.values())
        print(f"{name:32} {shown}", flush=True)


async def run(size: Size, many: int, *, plans: bool) -> None:
    """Fill a database, measure, print."""
    async with AsyncExitStack() as stack:
        folder = reachable(Path(tempfile.mkdtemp()))
        url = stack.enter_context(lease(folder / "data")).stores.database_url
        async with open_pool(url) as pool:
            await fill(pool, size)
        single = await stack.enter_async_context(one_connection(url))
        explaining = (
            await stack.enter_async_context(one_connection(url, ExplainingCursor))
            if plans
            else None
        )
        await triggers(single)
        await statements(single, explaining)
        await churn(single, many)


def main() -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--churn", type=int, default=1_000_000)
    parser.add_argument("--plans", action="store_true")
    given = parser.parse_args()
    size = Size(given.messages, given.messages)
    asyncio.run(run(size, given.churn, plans=given.plans))
    return 0


if __name__ == "__main__":
    sys.exit(main())
