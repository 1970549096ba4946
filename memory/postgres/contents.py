"""What the ledger gives to projections: read as a stream, in one snapshot."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Final

from typing_extensions import override

from memory.domain.chats import StoredMessage
from memory.ports.contents import Contents
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, stored_message

PAGE: Final = 500

_CONTACTS: Final = """
select distinct contact_id as name from messages where tenant = %s and author = 'contact'
"""
_ANCHORS: Final = (
    "select distinct anchor as name from messages where tenant = %s and author = 'contact'"
)

_SAID: Final = f"""
select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
where m.tenant = %s and m.author = 'contact' and not m.withheld and not m.pending
  and m.content <> ''
  and not exists (select from turns t where t.turn_id = m.turn_id and t.state = 'running')
"""


class PostgresContents(Contents):
    """`Contents` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def contacts(self, tenant: str) -> list[str]:
        return await self._names(_CONTACTS, tenant)

    @override
    async def anchors(self, tenant: str) -> list[str]:
        return await self._names(_ANCHORS, tenant)

    @override
    def said_by(self, tenant: str, contact_id: str) -> AsyncGenerator[Sequence[StoredMessage]]:
        return self._pages(f"{_SAID} and m.contact_id = %s order by m.seq", [tenant, contact_id])

    @override
    def said_in(
        self, tenant: str, anchors: Sequence[str]
    ) -> AsyncGenerator[Sequence[StoredMessage]]:
        return self._pages(f"{_SAID} and m.anchor = any(%s)", [tenant, list(anchors)])

    async def _names(self, query: str, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [tenant])
            return sorted(row["name"] for row in await cursor.fetchall())

    async def _pages(
        self, query: str, parameters: Sequence[object]
    ) -> AsyncGenerator[Sequence[StoredMessage]]:
        async with (
            self._pool.connection() as connection,
            connection.transaction(),
            connection.cursor("said") as cursor,
        ):
            await cursor.execute(query.encode(), parameters)
            while rows := await cursor.fetchmany(PAGE):
                yield [stored_message(row) for row in rows]
