"""Token vectors beside the ledger: a row a message, of its latest state, gone with it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from memory.domain.chats import Message
from memory.domain.recalls import TokenMatrix
from memory.embedded import EmbeddedStores
from memory.postgres import paging
from memory.postgres.ledger import PostgresLedger
from memory.postgres.pool import Pool, open_pool
from memory.postgres.tokens import PostgresTokenVectors
from tests.messages import message
from tests.stores import migrated_database

pytestmark = pytest.mark.anyio

UNKNOWN = "00000000-0000-0000-0000-000000000001"
A, B, C = (TokenMatrix(bytes([n, n + 1, n + 2, n + 3]), 2) for n in (0, 100, 252))


@pytest.fixture
async def pool(embedded: EmbeddedStores) -> AsyncIterator[Pool]:
    """Open a database of the test's own."""
    async with open_pool(migrated_database(embedded.database_url)) as opened:
        yield opened


@pytest.fixture
def tokens(pool: Pool) -> PostgresTokenVectors:
    return PostgresTokenVectors(pool)


@pytest.fixture
async def said(pool: Pool) -> list[Message]:
    """Two messages of the tenant `t`, and one of another."""
    every = [message("one"), message("two", minutes=1), message("three", tenant="u")]
    for each in every:
        await PostgresLedger(pool).record([each], history=True)
    return every


async def _listed(tokens: PostgresTokenVectors, tenant: str = "t") -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    async for page in tokens.listing(tenant):
        found |= page
    return found


async def _kept(pool: Pool) -> dict[str, bytes]:
    """Return all that is kept, whoever's it is."""
    async with pool.connection() as connection:
        cursor = await connection.execute("select uid, vectors from token_vectors")
        return {str(row["uid"]): bytes(row["vectors"]) for row in await cursor.fetchall()}


async def test_what_is_put_is_kept_byte_by_byte(
    pool: Pool, tokens: PostgresTokenVectors, said: list[Message]
) -> None:
    one, two, _ = said
    await tokens.put("t", "space", [(one.uid, 0, C), (two.uid, 3, TokenMatrix(b"", 0))])
    assert await _kept(pool) == {one.uid: C.vectors, two.uid: b""}
    assert await _listed(tokens) == {one.uid: ("space", 0), two.uid: ("space", 3)}
    await tokens.put("t", "space", [])
    assert len(await _kept(pool)) == 2


async def test_a_later_state_takes_the_place_of_an_earlier_one_and_no_other(
    pool: Pool, tokens: PostgresTokenVectors, said: list[Message]
) -> None:
    one, two, _ = said
    await tokens.put("t", "space", [(one.uid, 1, A), (two.uid, 1, A)])
    await tokens.put("t", "space", [(one.uid, 0, B), (two.uid, 2, B)])
    assert await _kept(pool) == {one.uid: A.vectors, two.uid: B.vectors}
    assert await _listed(tokens) == {one.uid: ("space", 1), two.uid: ("space", 2)}
    # The same state in another space: that of whoever writes last.
    await tokens.put("t", "another", [(one.uid, 1, C)])
    assert (await _kept(pool))[one.uid] == C.vectors
    assert (await _listed(tokens))[one.uid] == ("another", 1)


async def test_only_what_the_tenant_said_is_taken(
    pool: Pool, tokens: PostgresTokenVectors, said: list[Message]
) -> None:
    one, _, theirs = said
    await tokens.put("t", "space", [(UNKNOWN, 0, A), (theirs.uid, 0, A), (one.uid, 0, A)])
    assert await _kept(pool) == {one.uid: A.vectors}
    await tokens.put("u", "space", [(theirs.uid, 0, B)])
    await tokens.put("t", "space", [(theirs.uid, 1, C)])
    assert await _kept(pool) == {one.uid: A.vectors, theirs.uid: B.vectors}
    assert await _listed(tokens) == {one.uid: ("space", 0)}
    assert await _listed(tokens, "u") == {theirs.uid: ("space", 0)}


async def test_deleting_leaves_the_others_and_other_tenants(
    pool: Pool, tokens: PostgresTokenVectors, said: list[Message]
) -> None:
    one, two, theirs = said
    await tokens.put("t", "space", [(one.uid, 0, A), (two.uid, 0, B)])
    await tokens.put("u", "space", [(theirs.uid, 0, C)])
    await tokens.delete("t", set())
    assert len(await _kept(pool)) == 3
    await tokens.delete("t", {one.uid, theirs.uid, UNKNOWN})
    assert await _kept(pool) == {two.uid: B.vectors, theirs.uid: C.vectors}


async def test_they_go_with_the_message(
    pool: Pool, tokens: PostgresTokenVectors, said: list[Message]
) -> None:
    one, two, _ = said
    await tokens.put("t", "space", [(one.uid, 0, A), (two.uid, 0, B)])
    async with pool.connection() as connection:
        await connection.execute("delete from messages where uid = %s", [one.uid])
    assert await _kept(pool) == {two.uid: B.vectors}


async def test_the_listing_comes_page_by_page(
    tokens: PostgresTokenVectors, said: list[Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, _ = said
    monkeypatch.setattr(paging, "PAGE", 1)
    await tokens.put("t", "space", [(one.uid, 0, A), (two.uid, 0, B)])
    pages = [page async for page in tokens.listing("t")]
    assert sorted(uid for page in pages for uid in page) == sorted([one.uid, two.uid])
    assert [len(page) for page in pages] == [1, 1]
