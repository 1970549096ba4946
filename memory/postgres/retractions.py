"""What commands took back, in the ledger's database: whatever the facts are stored in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.chats import is_uid
from memory.domain.facts import APART, Observation
from memory.ports.facts import Retractions
from memory.postgres.pool import Pool

_KEEP: Final = """
insert into retractions (uid, tenant, source_uid, category, key, value, importance, stated_at)
select m.uid, m.tenant, %(source)s, %(category)s, %(key)s, %(value)s, %(importance)s, %(stated_at)s
from messages m where m.uid = %(uid)s and m.tenant = %(tenant)s
on conflict do nothing
"""

_OF: Final = """
select r.source_uid, r.category, r.key, r.value, r.importance, m.anchor, r.stated_at
from messages m join retractions r on r.uid = m.uid and r.tenant = m.tenant
where m.tenant = %s and m.contact_id = %s order by r.place
"""


class PostgresRetractions(Retractions):
    """`Retractions` on the table of that name."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(self, tenant: str, taken_back: Sequence[Observation]) -> None:
        if not taken_back:
            return
        rows = [
            {
                "uid": _message_of(each),
                "tenant": tenant,
                "source": each.source_uid,
                "category": each.category,
                "key": each.key,
                "value": each.value,
                "importance": each.importance,
                "stated_at": each.stated_at,
            }
            for each in taken_back
            if is_uid(_message_of(each))
        ]
        async with self._pool.connection() as connection, connection.transaction():
            await connection.cursor().executemany(_KEEP, rows)

    @override
    async def of(self, tenant: str, contact_id: str) -> list[Observation]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF, [tenant, contact_id])
            return [_retraction(row) for row in await cursor.fetchall()]


def _message_of(taken_back: Observation) -> str:
    return taken_back.source_uid.partition(APART)[0]


def _retraction(row: DictRow) -> Observation:
    return Observation(
        category=row["category"],
        key=row["key"],
        value=row["value"],
        confidence=1.0,
        importance=row["importance"],
        source_uid=row["source_uid"],
        stated_at=row["stated_at"].astimezone(UTC),
        anchor=row["anchor"],
        retracts=True,
    )
