"""A tenant that is removed leaves no row behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.policy.keeping import Rule
from memory.postgres.tenants import BESIDE_THE_TRANSCRIPT, remove_transcript
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import START, message

pytestmark = pytest.mark.anyio

OF_OTHER_STORES = {"facts", "entities"}
_TENANTS_TABLES = """
select c.relname as name from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant'
where c.relkind = 'r' and c.relnamespace = 'recollect'::regnamespace
"""
# What goes with a session, or with what goes with one.
_WITH_SESSIONS = f"""
with recursive going (oid) as (
  select 'sessions'::regclass::oid
  union select c.conrelid from pg_constraint c join going on c.confrelid = going.oid
  where c.contype = 'f' and c.confdeltype = 'c'
)
{_TENANTS_TABLES} and c.oid in (select oid from going)
"""


@pytest.fixture
async def stores(settings: Settings, model: ScriptedChatModel) -> AsyncIterator[Stores]:
    """Stores on which nobody works off what is owed."""
    async with open_stores(settings, Overrides(model=model), projects=False) as opened:
        yield opened


async def _names(stores: Stores, statement: str) -> set[str]:
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(statement.encode())
        return {row["name"] for row in await cursor.fetchall()}


async def _rows(stores: Stores, table: str) -> list[dict[str, Any]]:  # Any: rows of any table
    async with stores.pool.connection() as connection:
        query = f"select * from {table} where tenant = %s".encode()
        return await (await connection.execute(query, [stores.settings.tenant])).fetchall()


async def test_nothing_of_a_removed_tenant_is_left_in_any_table(stores: Stores) -> None:
    tenant = stores.settings.tenant
    await stores.memory.ledger.record([message("I live in Porto.", tenant=tenant)], history=True)
    await stores.memory.rules.add(tenant, Rule(0, "words", "Porto", "", START))
    tables = await _names(stores, _TENANTS_TABLES) - OF_OTHER_STORES
    assert {"messages", "keeping_rules"} <= {each for each in tables if await _rows(stores, each)}
    await remove_transcript(stores.pool, tenant)
    assert {each: left for each in tables if (left := await _rows(stores, each))} == {}


async def test_every_table_of_a_tenant_is_emptied_or_goes_with_its_sessions(
    stores: Stores,
) -> None:
    tables = await _names(stores, _TENANTS_TABLES)
    going = await _names(stores, _WITH_SESSIONS)
    assert tables - going - set(BESIDE_THE_TRANSCRIPT) == OF_OTHER_STORES | {"backlog"}
