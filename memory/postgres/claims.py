"""What messages claim of others, in the ledger's database: whatever the entities are stored in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.readings import ThirdPartyClaim
from memory.ports.entities import Claims
from memory.postgres.pool import Pool

_COLUMNS: Final = "holder, key, value, confidence, has_ended"

# Claims of a message are replaced by one transaction at a time.
_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('claims' || chr(31) || %s, 0))"

_HELD: Final = f"""
select m.uid, c.place, {_COLUMNS}, coalesce(c.contact_id = m.contact_id, true) as is_theirs
from messages m left join third_party_claims c on c.uid = m.uid
where m.tenant = %s and m.uid = any(%s::uuid[]) order by m.uid, c.place
"""

_CLEAR: Final = "delete from third_party_claims where tenant = %s and uid = any(%s::uuid[])"

_INSERT: Final = f"""
insert into third_party_claims (uid, place, tenant, contact_id, {_COLUMNS})
select m.uid, %s, m.tenant, m.contact_id, %s, %s, %s, %s, %s from messages m
where m.uid = %s and m.tenant = %s
"""

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
    async def keep(self, tenant: str, told: Mapping[str, Sequence[ThirdPartyClaim]]) -> set[str]:
        if not told:
            return set()
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, [tenant])
            cursor = await connection.execute(_HELD.encode(), [tenant, list(told)])
            held: dict[str, list[tuple[object, ...]]] = {}
            for row in await cursor.fetchall():
                of_message = held.setdefault(str(row["uid"]), [])
                if row["place"] is not None:
                    of_message.append(_stored(row))
            wanted = {uid: [_said(claim) for claim in told[uid]] for uid in held}
            changed = {uid for uid, claims in wanted.items() if held[uid] != claims}
            if changed:
                await connection.execute(_CLEAR, [tenant, sorted(changed)])
                rows = [
                    (place, *said, uid, tenant)
                    for uid in sorted(changed)
                    for place, said in enumerate(wanted[uid])
                ]
                if rows:
                    await connection.cursor().executemany(_INSERT.encode(), rows)
        return changed

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


def _said(claim: ThirdPartyClaim) -> tuple[object, ...]:
    words = (_clean(claim.holder), claim.key, _clean(claim.value))
    return (*words, claim.confidence, claim.has_ended)


def _clean(text: str) -> str:
    """Return a text without what Postgres cannot store."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _stored(row: DictRow) -> tuple[object, ...]:
    words = (row["holder"], row["key"], row["value"])
    # One that was kept as somebody else's is not what it should be.
    return (*words, row["confidence"], row["has_ended"]) if row["is_theirs"] else ()


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
