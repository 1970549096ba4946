"""Token vectors in the ledger's database, a row a message."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from typing import Final

from typing_extensions import override

from memory.domain.recalls import TokenMatrix
from memory.ports.recall import TokenVectors
from memory.postgres.paging import pages
from memory.postgres.pool import Pool

# The later state of a message stays, whoever writes last.
_PUT: Final = """
insert into token_vectors as t (uid, tenant, space, changes, vectors)
select m.uid, m.tenant, %(space)s, given.changes, given.vectors
from unnest(%(uids)s::uuid[], %(changes)s::integer[], %(vectors)s::bytea[])
  as given (uid, changes, vectors)
join messages m on m.uid = given.uid and m.tenant = %(tenant)s
order by m.uid for key share of m
on conflict (uid) do update
set space = excluded.space, changes = excluded.changes, vectors = excluded.vectors
where t.changes <= excluded.changes
"""


class PostgresTokenVectors(TokenVectors):
    """`TokenVectors` on the table `token_vectors`, whose rows go with their messages."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def put(
        self, tenant: str, space: str, entries: Sequence[tuple[str, int, TokenMatrix]]
    ) -> None:
        keys = {
            "tenant": tenant,
            "space": space,
            "uids": [uid for uid, _, _ in entries],
            "changes": [changes for _, changes, _ in entries],
            "vectors": [tokens.vectors for _, _, tokens in entries],
        }
        async with self._pool.connection() as connection:
            await connection.execute(_PUT, keys)

    @override
    async def delete(self, tenant: str, uids: Collection[str]) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "delete from token_vectors where tenant = %s and uid = any(%s::uuid[])",
                [tenant, sorted(uids)],
            )

    @override
    async def listing(self, tenant: str) -> AsyncGenerator[Mapping[str, tuple[str, int]]]:
        query = "select uid, space, changes from token_vectors where tenant = %s"
        async with aclosing(pages(self._pool, query, [tenant])) as found:
            async for rows in found:
                yield {str(row["uid"]): (row["space"], row["changes"]) for row in rows}
