"""A database that cannot be had reads as one line; the schema has a version."""

from __future__ import annotations

import asyncio

import pytest

from memory.embedded import EmbeddedStores
from memory.errors import SchemaTooNew, StoreRefused, StoreUnavailable
from memory.postgres.migrate import migrate, migrations
from memory.postgres.pool import MAX_CONNECTIONS, open_pool
from tests.stores import fresh_database

pytestmark = pytest.mark.anyio


async def test_an_absent_server_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        async with open_pool("postgresql://ann:hush@127.0.0.1:9/x"):
            pass
    assert str(caught.value) == (
        "RECOLLECT_DATABASE_URL: cannot reach 127.0.0.1:9/x (Connection refused)"
    )


async def test_what_is_no_url_is_said_so() -> None:
    with pytest.raises(StoreUnavailable, match="RECOLLECT_DATABASE_URL"):
        async with open_pool("not a url"):
            pass


async def test_no_cancellation_is_lost_as_a_connection_comes(embedded: EmbeddedStores) -> None:
    async with open_pool(_fresh(embedded)) as pool:
        for ticks in range(8):
            taken = [await pool.getconn() for _ in range(MAX_CONNECTIONS)]
            waiting = asyncio.create_task(pool.getconn())
            await asyncio.sleep(0.05)
            await pool.putconn(taken.pop())
            for _ in range(ticks):
                await asyncio.sleep(0)
            was_asked = waiting.cancel()
            await asyncio.wait([waiting])
            assert waiting.cancelled() == was_asked, ticks
            for connection in [*taken, *([] if was_asked else [waiting.result()])]:
                await pool.putconn(connection)


async def test_a_schema_brought_up_step_by_step_equals_a_fresh_one(
    embedded: EmbeddedStores,
) -> None:
    shapes = []
    for steps in ([None], [migration.number for migration in migrations()]):
        async with open_pool(_fresh(embedded)) as pool:
            for step in steps:
                version = await migrate(pool, step)
            assert version == migrations()[-1].number
            async with pool.connection() as connection:
                cursor = await connection.execute(
                    "select table_name, column_name, data_type, is_nullable, column_default"
                    " from information_schema.columns where table_schema = 'recollect'"
                    " order by table_name, ordinal_position"
                )
                shapes.append(await cursor.fetchall())
    assert shapes[0] == shapes[1] != []


async def test_a_newer_schema_is_refused_in_one_line(embedded: EmbeddedStores) -> None:
    async with open_pool(_fresh(embedded)) as pool:
        await migrate(pool)
        async with pool.connection() as connection:
            await connection.execute("insert into schema_version values (9999, 'future')")
        with pytest.raises(SchemaTooNew, match="install the newer version") as caught:
            await migrate(pool)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("select 'the secret word'::int", "22P02"),
        ("select string_agg(n::text, ' ')::tsvector from generate_series(1, 400000) n", "54000"),
        ("do $$ begin raise unique_violation using message = 'secret'; end $$", "23505"),
        ("select from nowhere", "42P01"),
    ],
)
async def test_what_the_server_refuses_is_refused_for_good_and_quotes_no_value(
    embedded: EmbeddedStores, statement: str, code: str
) -> None:
    async with open_pool(_fresh(embedded)) as pool:
        with pytest.raises(StoreRefused, match=f"SQLSTATE {code}") as caught:
            async with pool.connection() as connection:
                await connection.execute(statement.encode())
    assert "secret" not in str(caught.value)


async def test_a_deadlock_and_a_lost_connection_may_pass(embedded: EmbeddedStores) -> None:
    async with open_pool(_fresh(embedded)) as pool:
        async with pool.connection() as connection:
            await connection.execute("create table two as select * from (values (1), (2)) v (n)")

        async def cross(first: int, second: int) -> None:
            async with pool.connection() as connection, connection.transaction():
                await connection.execute("update two set n = n where n = %s", [first])
                await asyncio.sleep(0.2)
                await connection.execute("update two set n = n where n = %s", [second])

        outcomes = await asyncio.gather(cross(1, 2), cross(2, 1), return_exceptions=True)
        (dead,) = [outcome for outcome in outcomes if outcome is not None]
        assert isinstance(dead, StoreUnavailable)
        assert "DeadlockDetected" in str(dead)
        with pytest.raises(StoreUnavailable):
            async with pool.connection() as connection:
                await connection.execute("select pg_terminate_backend(pg_backend_pid())")


def _fresh(embedded: EmbeddedStores) -> str:
    return fresh_database(embedded.database_url)
