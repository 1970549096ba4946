"""What kinds of thing messages tell of, beside the ledger: a row a message, gone with it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from memory.domain.chats import Message
from memory.embedded import EmbeddedStores
from memory.postgres.claims import PostgresClaims
from memory.postgres.ledger import PostgresLedger
from memory.postgres.pool import Pool, open_pool
from tests.messages import message
from tests.stores import migrated_database

pytestmark = pytest.mark.anyio

UNKNOWN = "00000000-0000-0000-0000-000000000001"
ANA = "waha:ana"


@pytest.fixture
async def pool(embedded: EmbeddedStores) -> AsyncIterator[Pool]:
    """Open a database of the test's own."""
    async with open_pool(migrated_database(embedded.database_url)) as opened:
        yield opened


@pytest.fixture
def claims(pool: Pool) -> PostgresClaims:
    return PostgresClaims(pool)


@pytest.fixture
async def said(pool: Pool) -> list[Message]:
    """Two messages of the tenant `t`, and one of another."""
    every = [message("one"), message("two", minutes=1), message("three", tenant="u")]
    for each in every:
        await PostgresLedger(pool).record([each], history=True)
    return every


async def test_what_is_kept_takes_the_place_of_what_was(
    claims: PostgresClaims, said: list[Message]
) -> None:
    one, two, _ = said
    told = {one.uid: {"pet": 0.31, "home": 0.87}, two.uid: {"age": 1.0}}
    await claims.keep("t", {}, told)
    assert await claims.kinds_of("t", ANA) == told
    await claims.keep("t", {}, {one.uid: {"pet": 0.29}, two.uid: {}})
    assert await claims.kinds_of("t", ANA) == {one.uid: {"pet": 0.29}}
    await claims.keep("t", {}, {})
    assert await claims.kinds_of("t", ANA) == {one.uid: {"pet": 0.29}}


async def test_only_what_the_tenant_said_is_taken(
    claims: PostgresClaims, said: list[Message]
) -> None:
    one, _, theirs = said
    await claims.keep("t", {}, {uid: {"pet": 0.5} for uid in (UNKNOWN, one.uid, theirs.uid)})
    assert await claims.kinds_of("t", ANA) == {one.uid: {"pet": 0.5}}
    await claims.keep("u", {}, {theirs.uid: {"home": 0.5}})
    await claims.keep("t", {}, {theirs.uid: {}})
    assert await claims.kinds_of("u", ANA) == {theirs.uid: {"home": 0.5}}


async def test_they_go_with_the_message(
    pool: Pool, claims: PostgresClaims, said: list[Message]
) -> None:
    one, two, _ = said
    await claims.keep("t", {}, {one.uid: {"pet": 0.5}, two.uid: {"home": 0.5}})
    async with pool.connection() as connection:
        await connection.execute("delete from messages where uid = %s", [one.uid])
    assert await claims.kinds_of("t", ANA) == {two.uid: {"home": 0.5}}
