"""Stored functions come to what their files say, from wherever a database starts, and only once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from memory.embedded import EmbeddedStores
from memory.errors import SchemaTooNew
from memory.postgres.migrate import migrate, migrations
from memory.postgres.pool import Pool, open_pool
from memory.postgres.stored_functions import StoredFunctions, apply_functions, stored_functions
from tests.stores import fresh_database

pytestmark = pytest.mark.anyio

LAST_WITH_FUNCTIONS = 47
TODAY = stored_functions()
_DEFINITIONS = """
select proname as name, array_agg(pg_get_functiondef(oid)) as definitions,
  array_agg(xmin::text) as written
from pg_proc where pronamespace = 'recollect'::regnamespace group by proname
"""
_TRIGGERS = """
select tgname as name, pg_get_triggerdef(t.oid) as definition
from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'recollect'::regnamespace and not tgisinternal order by 1
"""
# A message is recorded, answered, and edited.
_CONVERSATION = (
    """
    select * from record_messages('[{"place": 1, "uid": "00000000-0000-0000-0000-00000000000a",
      "thread_id": "00000000-0000-0000-0000-0000000000aa", "tenant": "t", "channel": "web",
      "account": "", "chat_id": "ann", "topic": "", "contact_id": "web:ann", "is_group": false,
      "message_id": "m1", "author": "contact", "actor_id": "ann", "actor_name": "Ann",
      "anchor": "web:ann", "content": "I live in Porto", "created_at": "2026-05-01T10:00:00Z",
      "from_me": false, "mentions_agent": false, "replies_to_agent": false, "forwarded": false,
      "is_owner": false, "is_command": false, "withheld": false, "awaits_turn": true,
      "quote": null, "indexed": "I live in Porto", "teaches": true}]',
      false, '2026-05-01T10:00:01Z')
    """,
    """
    insert into turns (turn_id, session_id, tenant, state)
    select '00000000-0000-0000-0000-00000000000b', session_id, 't', 'running' from sessions
    """,
    "update messages set pending = false, turn_id = '00000000-0000-0000-0000-00000000000b'",
    """
    select end_turn('00000000-0000-0000-0000-00000000000b', 't', null, '[]',
      '{"reply_uid": "00000000-0000-0000-0000-00000000000c", "query": "", "recalled": [],
        "nodes": [], "model": "m", "created_at": "2026-05-01T10:00:02Z", "missing": []}')
    """,
    "update messages set content = 'I live in Braga', changes = 1",
)
_LEFT = """
select projection || ' ' || item || ' ' || version as line from backlog
union all select to_jsonb(m)::text from messages m
union all select to_jsonb(r)::text from receipts r
union all select state from turns order by 1
"""


@pytest.fixture
async def database(embedded: EmbeddedStores) -> AsyncIterator[Callable[[], Any]]:
    """Opens a fresh database each time it is called."""
    async with AsyncExitStack() as stack:

        async def opened() -> Pool:
            url = fresh_database(embedded.database_url)
            return await stack.enter_async_context(open_pool(url))

        yield opened


async def _rows(pool: Pool, statement: str) -> list[dict[str, Any]]:  # Any: rows of any statement
    async with pool.connection() as connection:
        cursor = await connection.execute(statement.encode())
        return await cursor.fetchall() if cursor.description else []


async def _definitions(pool: Pool) -> dict[str, list[str]]:
    return {row["name"]: row["definitions"] for row in await _rows(pool, _DEFINITIONS)}


def _with(name: str, text: str, base: StoredFunctions = TODAY) -> StoredFunctions:
    """Return the functions of a version that has another definition of this one."""
    changed = replace(base, texts={**base.texts, name: text})
    checksums = (*base.released.get(name, ()), changed.checksums[name])
    return replace(changed, released={**base.released, name: checksums})


def _newer() -> StoredFunctions:
    return _with("salted", TODAY.texts["salted"].replace("sha256(salt", "sha256('' || salt"))


async def test_what_the_files_make_is_what_the_migrations_had_come_to(
    database: Callable[[], Any],
) -> None:
    field, fresh = await database(), await database()
    await migrate(field, LAST_WITH_FUNCTIONS)
    await migrate(fresh)
    before, now = await _definitions(field), await _definitions(fresh)
    unchanged = {name for name, released in TODAY.released.items() if len(released) == 1}
    assert len(unchanged & before.keys()) > 20
    assert {name: now[name] for name in unchanged & before.keys()} == {
        name: before[name] for name in unchanged & before.keys()
    }


async def test_what_is_said_leaves_the_same_rows_in_both(database: Callable[[], Any]) -> None:
    field, fresh = await database(), await database()
    await migrate(field, LAST_WITH_FUNCTIONS)
    await migrate(fresh)
    for statement in _CONVERSATION:
        assert await _rows(field, statement) == await _rows(fresh, statement)
    left = await _rows(fresh, _LEFT)
    assert await _rows(field, _LEFT) == left
    assert len(left) > 8


@pytest.mark.parametrize("number", [1, 12, 24, 33, 44, 46, LAST_WITH_FUNCTIONS])
async def test_a_database_of_any_version_comes_to_the_functions_of_a_fresh_one(
    database: Callable[[], Any], number: int
) -> None:
    old, fresh = await database(), await database()
    await migrate(old, number)
    assert await migrate(old) == await migrate(fresh) == migrations()[-1].number
    definitions = await _definitions(fresh)
    assert await _definitions(old) == definitions
    assert await _rows(old, _TRIGGERS) == await _rows(fresh, _TRIGGERS)
    # One of each name: other arguments would stand beside what they were to replace.
    assert {name: len(each) for name, each in definitions.items()} == dict.fromkeys(TODAY.texts, 1)


async def test_postgres_finds_nothing_wrong_in_any_body(database: Callable[[], Any]) -> None:
    pool = await database()
    await migrate(pool)
    async with pool.connection() as connection:
        for text in TODAY.texts.values():
            await connection.execute(text.encode(), prepare=False)


async def test_a_second_start_applies_nothing(database: Callable[[], Any]) -> None:
    pool = await database()
    await migrate(pool)
    before = await _rows(pool, _DEFINITIONS), await _rows(pool, "table schema_functions")
    await migrate(pool)
    assert (await _rows(pool, _DEFINITIONS), await _rows(pool, "table schema_functions")) == before


async def test_only_what_differs_is_applied(database: Callable[[], Any]) -> None:
    pool, newer = await database(), _newer()
    await migrate(pool)
    before = {row["name"]: row["written"] for row in await _rows(pool, _DEFINITIONS)}
    await migrate(pool, functions=newer)
    after = {row["name"]: row["written"] for row in await _rows(pool, _DEFINITIONS)}
    assert [name for name in after if after[name] != before[name]] == ["salted"]


@pytest.mark.parametrize("number", [0, LAST_WITH_FUNCTIONS])
async def test_of_processes_that_start_together_one_applies_them(
    database: Callable[[], Any], number: int
) -> None:
    pool = await database()
    await migrate(pool, number)
    await asyncio.gather(*(migrate(pool) for _ in range(4)))
    written = {each for row in await _rows(pool, _DEFINITIONS) for each in row["written"]}
    (migrated,) = await _rows(
        pool, "select xmin::text as written from schema_version order by number desc limit 1"
    )
    assert written == {migrated["written"]}


async def test_an_older_version_does_not_put_its_own_in_the_place_of_newer_ones(
    database: Callable[[], Any],
) -> None:
    pool, newer = await database(), _newer()
    # Both versions know the same migrations.
    await migrate(pool)
    await migrate(pool, functions=newer)
    definitions = await _definitions(pool)
    with pytest.raises(SchemaTooNew, match=r"newer functions.*\(salted\).*install the newer") as e:
        await migrate(pool)
    assert "\n" not in str(e.value)
    assert await _definitions(pool) == definitions
    await migrate(pool, functions=newer)
    assert await _definitions(pool) == definitions


async def test_of_two_versions_that_start_together_the_newer_ones_functions_stay(
    database: Callable[[], Any],
) -> None:
    pool, newer = await database(), _newer()
    starts = [migrate(pool, functions=each) for each in (TODAY, newer, TODAY, newer)]
    outcomes = await asyncio.gather(*starts, return_exceptions=True)
    refused = [isinstance(each, SchemaTooNew) for each in outcomes]
    assert [refused[1], refused[3]] == [False, False]
    (row,) = await _rows(pool, "select checksum from schema_functions where name = 'salted'")
    assert row["checksum"] == newer.checksums["salted"]
    assert "'' || salt" in (await _definitions(pool))["salted"][0]


async def test_a_function_that_only_a_newer_version_has_is_one_of_its(
    database: Callable[[], Any],
) -> None:
    pool = await database()
    text = "create or replace function later() returns integer language sql as 'select 1';"
    await migrate(pool, functions=_with("later", text))
    with pytest.raises(SchemaTooNew, match="later"):
        await migrate(pool)


async def test_a_new_trigger_comes_with_its_function(database: Callable[[], Any]) -> None:
    pool = await database()
    text = (
        "create or replace function later() returns trigger language plpgsql"
        " as 'begin return null; end';\n"
        "create or replace trigger later after insert on turns execute function later();"
    )
    for version in (_with("later", text), _with("later", text + "\n", _with("later", text))):
        await migrate(pool, functions=version)
    assert "later" in {row["name"] for row in await _rows(pool, _TRIGGERS)}


async def test_one_that_a_version_has_no_more_is_forgotten_and_may_come_back(
    database: Callable[[], Any],
) -> None:
    pool = await database()
    text = "create or replace function passing() returns integer language sql as 'select 1';"
    with_it = _with("passing", text)
    await migrate(pool, functions=with_it)
    without = replace(with_it, texts=TODAY.texts)
    async with pool.connection() as connection:
        await connection.execute("drop function passing")  # as a migration does
    await migrate(pool, functions=without)
    await migrate(pool, functions=with_it)
    assert await _rows(pool, "select passing() as n") == [{"n": 1}]


async def test_one_that_a_migration_dropped_is_there_again_after_it(
    database: Callable[[], Any],
) -> None:
    pool = await database()
    await migrate(pool)
    definitions = await _definitions(pool)
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("drop function locked_facts")
        await apply_functions(connection, TODAY, all_of_them=True)
    assert await _definitions(pool) == definitions


def test_the_functions_of_a_folder_are_read_with_all_that_they_were(tmp_path: Path) -> None:
    text = "-- One.\ncreate or replace function one() returns integer language sql as 'select 1';\n"
    checksum = sha256(text.partition("\n")[2].encode()).hexdigest()
    (tmp_path / "one.sql").write_text(text, encoding="utf-8")
    (tmp_path / "checksums.txt").write_text(f"one 00\none {checksum}\n", encoding="utf-8")
    assert stored_functions(tmp_path) == StoredFunctions({"one": text}, {"one": ("00", checksum)})
    assert stored_functions(tmp_path).checksums == {"one": checksum}
