"""What messages claim of others, in the ledger's database: whatever the entities are stored in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.readings import ThirdPartyClaim
from memory.ports.entities import Claims
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

_COLUMNS: Final = "holder, key, value, confidence, has_ended"

_KEEP: Final = "select keep_claims(%s, %s)"

_OF: Final = f"""
select * from (
  select m.uid, m.created_at, m.anchor, m.seq, c.place, {_COLUMNS}
  from third_party_claims c join messages m on m.uid = c.uid and m.contact_id = c.contact_id
  where c.tenant = %s and c.contact_id = %s and not m.withheld and m.content <> ''
  order by m.created_at desc, m.seq desc, c.place desc limit %s
) latest order by created_at, seq, place
"""

_CONTACTS: Final = "select distinct contact_id from third_party_claims where tenant = %s"


class PostgresClaims(Claims):
    """`Claims` on the table `third_party_claims`, whose rows go with their messages."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(self, tenant: str, told: Mapping[str, Sequence[ThirdPartyClaim]]) -> None:
        claims = Jsonb({uid: [_said(claim) for claim in each] for uid, each in told.items()})
        async with self._pool.connection() as connection:
            await connection.execute(_KEEP, [tenant, claims])

    @override
    async def of(
        self, tenant: str, contact_id: str, latest: int | None = None
    ) -> list[ThirdPartyClaim]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF.encode(), [tenant, contact_id, latest])
            return [_claim(row) for row in await cursor.fetchall()]

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CONTACTS, [tenant])
            return sorted(row["contact_id"] for row in await cursor.fetchall())


def _said(claim: ThirdPartyClaim) -> list[str | float | bool]:
    words = (claim.holder, claim.key, claim.value)
    return [*map(storable, words), claim.confidence, claim.has_ended]


def _claim(row: DictRow) -> ThirdPartyClaim:
    return ThirdPartyClaim(
        holder=row["holder"],
        key=row["key"],
        value=row["value"],
        confidence=row["confidence"],
        source_uid=str(row["uid"]),
        stated_at=row["created_at"].astimezone(UTC),
        anchor=row["anchor"],
        has_ended=row["has_ended"],
    )
