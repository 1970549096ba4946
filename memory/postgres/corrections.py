"""What people corrected, in the ledger's database: whatever the facts are stored in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.chats import is_uid
from memory.domain.facts import APART, BY_PERSON, Observation, is_by_hand
from memory.ports.facts import Corrections
from memory.postgres.pool import Pool

_KEEP: Final = """
insert into corrections
  (uid, tenant, source_uid, category, key, value, importance, stated_at, retracts)
select m.uid, m.tenant, %(source)s, %(category)s, %(key)s, %(value)s, %(importance)s,
  %(stated_at)s, %(retracts)s
from messages m where m.uid = %(uid)s and m.tenant = %(tenant)s
on conflict do nothing
"""

_OF: Final = """
select c.source_uid, c.category, c.key, c.value, c.importance, m.anchor, c.stated_at, c.retracts
from messages m join corrections c on c.uid = m.uid and c.tenant = m.tenant
where m.tenant = %s and m.contact_id = %s order by c.place
"""

_CONTACTS: Final = """
select distinct m.contact_id
from corrections c join messages m on m.uid = c.uid and m.tenant = c.tenant
where c.tenant = %s order by m.contact_id
"""


class PostgresCorrections(Corrections):
    """`Corrections` on the table of that name."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(self, tenant: str, corrected: Sequence[Observation]) -> None:
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
                "retracts": each.retracts,
            }
            for each in corrected
            if is_uid(_message_of(each))
        ]
        if not rows:
            return
        async with self._pool.connection() as connection, connection.transaction():
            await connection.cursor().executemany(_KEEP, rows)

    @override
    async def of(self, tenant: str, contact_id: str) -> list[Observation]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF, [tenant, contact_id])
            return [_observation(row) for row in await cursor.fetchall()]

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CONTACTS, [tenant])
            return [row["contact_id"] for row in await cursor.fetchall()]


def _message_of(corrected: Observation) -> str:
    return corrected.source_uid.partition(APART)[0]


def _observation(row: DictRow) -> Observation:
    return Observation(
        category=row["category"],
        key=row["key"],
        value=row["value"],
        confidence=1.0,
        importance=row["importance"],
        source_uid=row["source_uid"],
        stated_at=row["stated_at"].astimezone(UTC),
        anchor=row["anchor"],
        retracts=row["retracts"],
        read_by=BY_PERSON if is_by_hand(row["source_uid"]) else "",
    )
