"""What the ledger gives to projections: read as a stream, in one snapshot."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from typing_extensions import override

from memory.domain.chats import StoredMessage
from memory.ports.contents import Contents
from memory.postgres.paging import pages
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, stored_message

_CONTACTS: Final = """
select distinct contact_id as name from messages where tenant = %s and author = 'contact'
"""
_ANCHORS: Final = (
    "select distinct anchor as name from messages where tenant = %s and author = 'contact'"
)

_SETTLED: Final = """
where m.tenant = %s and m.author = 'contact' and not m.withheld and not m.pending
  and coalesce(m.said, m.content) <> ''
  and not exists (select from turns t where t.turn_id = m.turn_id and t.state = 'running')
"""
_SAID: Final = (
    f"select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id) {_SETTLED}"
)
_UIDS: Final = f"select m.uid from messages m {_SETTLED} order by m.seq"


class PostgresContents(Contents):
    """`Contents` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def tenants(self) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute("select distinct tenant from messages")
            return sorted(row["tenant"] for row in await cursor.fetchall())

    @override
    async def contacts(self, tenant: str) -> list[str]:
        return await self._names(_CONTACTS, tenant)

    @override
    async def anchors(self, tenant: str) -> list[str]:
        return await self._names(_ANCHORS, tenant)

    @override
    async def threads(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        query = "select thread_id from sessions where tenant = %s"
        async with aclosing(pages(self._pool, query, [tenant])) as found:
            async for rows in found:
                yield [str(row["thread_id"]) for row in rows]

    @override
    async def uids(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        async with aclosing(pages(self._pool, _UIDS, [tenant])) as found:
            async for rows in found:
                yield [str(row["uid"]) for row in rows]

    @override
    async def said_by(
        self, tenant: str, contact_id: str
    ) -> AsyncGenerator[Sequence[StoredMessage]]:
        query = f"{_SAID} and m.contact_id = %s order by m.seq"
        async with aclosing(pages(self._pool, query, [tenant, contact_id])) as found:
            async for rows in found:
                yield [stored_message(row) for row in rows]

    @override
    async def said_in(
        self, tenant: str, anchors: Sequence[str]
    ) -> AsyncGenerator[Sequence[StoredMessage]]:
        query = f"{_SAID} and m.anchor = any(%s)"
        async with aclosing(pages(self._pool, query, [tenant, list(anchors)])) as found:
            async for rows in found:
                yield [stored_message(row) for row in rows]

    async def _names(self, query: str, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [tenant])
            return sorted(row["name"] for row in await cursor.fetchall())
