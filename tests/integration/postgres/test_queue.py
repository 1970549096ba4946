"""The queue's tables: a migrated one equals a fresh one, and a newer one is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from memory.embedded import EmbeddedStores
from memory.errors import SchemaTooNew
from memory.postgres.migrate import migrate
from memory.postgres.pool import Pool, open_pool
from memory.postgres.procrastinate_schema import migrate_queue, queue_migrations
from tests.stores import fresh_database

pytestmark = pytest.mark.anyio

_SHAPE = """
select 'column' as kind, c.relname || '.' || a.attname as name,
  format_type(a.atttypid, a.atttypmod) || a.attnotnull::text as shape
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'recollect'::regnamespace and c.relname like 'procrastinate%' and
  c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
union all select 'function', p.proname, pg_get_function_identity_arguments(p.oid)
from pg_proc p where p.pronamespace = 'recollect'::regnamespace and p.proname like 'procrastinate%'
union all select 'index', indexname, regexp_replace(indexdef, '\\s+', ' ', 'g')
from pg_indexes where schemaname = 'recollect' and tablename like 'procrastinate%'
union all select 'trigger', t.tgname, pg_get_triggerdef(t.oid)
from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'recollect'::regnamespace and not t.tgisinternal
union all select 'value', t.typname || '.' || e.enumlabel, ''
from pg_enum e join pg_type t on t.oid = e.enumtypid
order by 1, 2, 3
"""


@pytest.fixture
async def pools(embedded: EmbeddedStores) -> AsyncIterator[list[Pool]]:
    """Two fresh databases with our own schema."""
    async with AsyncExitStack() as stack:
        found = []
        for _ in range(2):
            pool = await stack.enter_async_context(open_pool(fresh_database(embedded.database_url)))
            await migrate(pool)
            found.append(pool)
        yield found


async def shape(pool: Pool) -> list[tuple[str, str, str]]:
    async with pool.connection() as connection:
        cursor = await connection.execute(_SHAPE.encode())
        return [(r["kind"], r["name"], r["shape"]) for r in await cursor.fetchall()]


@pytest.mark.parametrize(
    "start", ["00.00.00_01_initial.sql", "03.00.00_50_post_cancel_notification.sql"]
)
async def test_a_queue_migrated_from_any_version_equals_a_fresh_one(
    pools: list[Pool], start: str
) -> None:
    fresh, old = pools
    await migrate_queue(fresh)
    assert await migrate_queue(old, fresh_from=start) == start
    assert await shape(old) != await shape(fresh)
    assert await migrate_queue(old) == queue_migrations()[-1]
    assert await shape(old) == await shape(fresh)


async def test_processes_that_start_together_make_one_queue(pools: list[Pool]) -> None:
    pool = pools[0]
    await asyncio.gather(*(migrate_queue(pool) for _ in range(4)))
    async with pool.connection() as connection:
        cursor = await connection.execute("select count(*) as n from queue_version")
        row = await cursor.fetchone()
    assert row == {"n": 1}


async def test_a_queue_of_a_newer_library_is_refused(pools: list[Pool]) -> None:
    pool = pools[0]
    await migrate_queue(pool)
    async with pool.connection() as connection:
        await connection.execute("insert into queue_version values ('99.00.00_01_later.sql')")
    with pytest.raises(SchemaTooNew, match="99.00.00_01_later"):
        await migrate_queue(pool)
