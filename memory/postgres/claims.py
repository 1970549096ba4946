"""What messages claim of others, and of what kinds of thing they tell, in the ledger's database.

Whatever the facts and entities are stored in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC
from types import MappingProxyType
from typing import Final

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.readings import Kinds, ThirdPartyClaim, ToldOf
from memory.facts.entities.concerned import NAMING_KEYS
from memory.ports.entities import Claims
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

_COLUMNS: Final = "holder, key, value, confidence, has_ended"

_KEEP: Final = "keep_claims(%(tenant)s, %(claims)s)"
_KEEP_KINDS: Final = "keep_kinds(%(tenant)s, %(kinds)s)"

_LATEST: Final = f"""
  select m.uid, m.created_at, m.anchor, m.seq, c.place, {_COLUMNS}
  from third_party_claims c join messages m on m.uid = c.uid and m.contact_id = c.contact_id
  where c.tenant = %(tenant)s and c.contact_id = %(contact)s and not m.withheld and m.content <> ''
  order by m.created_at desc, m.seq desc, c.place desc limit %(latest)s
"""

_OF: Final = f"""
select * from ({_LATEST}) latest
where %(holders)s::text[] is null or holder = any(%(holders)s::text[])
order by created_at, seq, place
"""

_NAMED: Final = f"""
select distinct holder, case when key = any(%(keys)s::text[]) then value else '' end as name
from ({_LATEST}) latest
where %(anchor)s = '' or anchor = %(anchor)s
"""

_KINDS_OF: Final = """
select k.uid, k.keys, k.chances
from messages m join kinds k on k.uid = m.uid and k.tenant = m.tenant
where m.tenant = %s and m.contact_id = %s and m.author = 'contact'
"""

_CONTACTS: Final = "select distinct contact_id from third_party_claims where tenant = %s"


class PostgresClaims(Claims):
    """`Claims` on `third_party_claims` and `kinds`, whose rows go with their messages."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def keep(
        self,
        tenant: str,
        told: Mapping[str, Sequence[ThirdPartyClaim]],
        kinds: Mapping[str, Kinds] = MappingProxyType({}),
    ) -> None:
        kept = [_KEEP] * bool(told) + [_KEEP_KINDS] * bool(kinds)
        if not kept:
            return
        claims = {uid: [_said(claim) for claim in each] for uid, each in told.items()}
        given = {uid: dict(each) for uid, each in kinds.items()}
        keys = {"tenant": tenant, "claims": Jsonb(claims), "kinds": Jsonb(given)}
        async with self._pool.connection() as connection:
            await connection.execute(f"select {', '.join(kept)}".encode(), keys)

    @override
    async def kinds_of(self, tenant: str, contact_id: str) -> dict[str, Kinds]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_KINDS_OF, [tenant, contact_id])
            rows = await cursor.fetchall()
        return {str(row["uid"]): kinds_from(row["keys"], row["chances"]) for row in rows}

    @override
    async def of(
        self,
        tenant: str,
        contact_id: str,
        latest: int | None = None,
        holders: Collection[str] | None = None,
    ) -> list[ThirdPartyClaim]:
        whose = None if holders is None else sorted(holders)
        keys = {"tenant": tenant, "contact": contact_id, "latest": latest, "holders": whose}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_OF.encode(), keys)
            return [_claim(row) for row in await cursor.fetchall()]

    @override
    async def named(
        self, tenant: str, contact_id: str, latest: int, anchor: str = ""
    ) -> list[ToldOf]:
        scope = {"tenant": tenant, "contact": contact_id, "latest": latest, "anchor": anchor}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                _NAMED.encode(), {**scope, "keys": sorted(NAMING_KEYS)}
            )
            return [ToldOf(row["holder"], row["name"]) for row in await cursor.fetchall()]

    @override
    async def contacts(self, tenant: str) -> list[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CONTACTS, [tenant])
            return sorted(row["contact_id"] for row in await cursor.fetchall())


def kinds_from(keys: Sequence[str], chances: Sequence[int]) -> Kinds:
    """Return the kinds of a row, each with its chance in 0..1."""
    return {key: chance / 100 for key, chance in zip(keys, chances, strict=True)}


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
