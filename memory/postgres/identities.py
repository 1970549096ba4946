"""Ids of one person, and ids of our own accounts, on Postgres; every process sees the same.

A known pair never changes, but another process may erase it: it is asked for again after `KNOWN_S`.
What is not known yet is asked for again after `NEWS_S`, which is how long another process' news may
take.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from typing_extensions import override

from memory.domain.chats import Pair
from memory.ports.changes import Identities
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

NEWS_S = 2.0
"""How long an id counts as unknown, and how long the list of our own ids as current."""
KNOWN_S = 60.0
"""How long a known id is not asked for again, nor written down again where it was erased."""
SETTLE = "10 seconds"
"""A pair younger than this is joined once more: another process may not have heard of it yet."""
MAX_CACHED = 100_000

_LEARN = """
insert into identities (tenant, channel, alias, canonical, account, how)
select %s, %s, %s, %s, %s, %s where not is_erased(%s, %s)
on conflict (tenant, channel, alias) do nothing
returning alias
"""

# A pair is joined again when something was stored under its hidden id all the same. The pattern is
# that of the index `sessions_hidden`, which a parameter could not use.
_UNJOINED = """
select tenant, channel, account, alias, canonical from (
  select * from identities where tenant = %(tenant)s and joined_at is null
  union
  select i.* from sessions s join identities i
    on i.tenant = s.tenant and i.channel = s.channel and i.alias = s.chat_id
  where s.tenant = %(tenant)s and s.chat_id like '%%@lid'
) due
order by learned_at limit %(limit)s
"""


_Key = tuple[str, str, str]


class _Known(NamedTuple):
    """Which id stands for another, and until when that is not asked for again."""

    canonical: str
    until: float


class PostgresIdentities(Identities):
    """`Identities` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: dict[_Key, _Known] = {}
        self._unknown_until: dict[_Key, float] = {}
        self._remembered: set[_Key] = set()
        self._own: dict[str, tuple[float, dict[str, frozenset[str]]]] = {}

    @override
    async def resolve(self, tenant: str, channel: str, ids: Collection[str]) -> Mapping[str, str]:
        now = time.monotonic()
        keys = {each: (tenant, channel, each) for each in ids}
        unsure = [
            each
            for each, key in keys.items()
            if not self._is_known(key, now) and self._unknown_until.get(key, 0.0) <= now
        ]
        if unsure:
            await self._ask(tenant, channel, unsure, now)
        known = self._known
        return {each: known[key].canonical for each, key in keys.items() if key in known}

    @override
    async def aliases(self, tenant: str, channel: str, canonical: str) -> frozenset[str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select alias from identities"
                " where tenant = %s and channel = %s and canonical = %s",
                [tenant, channel, storable(canonical)],
            )
            return frozenset(row["alias"] for row in await cursor.fetchall())

    @override
    async def learn(self, pairs: Sequence[Pair], how: str, told_by: str = "") -> list[Pair]:
        now = time.monotonic()
        fresh = [p for p in pairs if not self._is_known((p.tenant, p.channel, p.alias), now)]
        new = []
        for pair in fresh:
            async with self._pool.connection() as connection:
                cursor = await connection.execute(
                    _LEARN,
                    [
                        pair.tenant,
                        pair.channel,
                        storable(pair.alias),
                        storable(pair.canonical),
                        pair.account,
                        how,
                        pair.tenant,
                        told_by,
                    ],
                )
                if await cursor.fetchone() is not None:
                    new.append(pair)
            self._unknown_until.pop((pair.tenant, pair.channel, pair.alias), None)
            await self.resolve(pair.tenant, pair.channel, [pair.alias])
        return new

    @override
    async def unjoined(self, tenant: str, limit: int) -> list[Pair]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_UNJOINED, {"tenant": tenant, "limit": limit})
            return [Pair(**row) for row in await cursor.fetchall()]

    def clear(self) -> None:
        """Forget which pairs are known: what was erased is read anew."""
        self._known.clear()
        self._unknown_until.clear()

    @override
    async def joined(self, pair: Pair) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "update identities set joined_at = now()"
                " where tenant = %s and channel = %s and alias = %s"
                f" and learned_at < now() - interval '{SETTLE}'",
                [pair.tenant, pair.channel, pair.alias],
            )

    @override
    async def remember_own(self, channel: str, account: str, own_ids: Collection[str]) -> None:
        fresh = [(channel, account, own_id) for own_id in own_ids]
        fresh = [each for each in fresh if each not in self._remembered]
        if not fresh:
            return
        async with self._pool.connection() as connection, connection.cursor() as cursor:
            await cursor.executemany(
                "insert into own_ids (channel, account, own_id) values (%s, %s, %s)"
                " on conflict do nothing",
                fresh,
            )
        self._remembered.update(fresh)
        self._own.pop(channel, None)

    @override
    async def other_own(self, channel: str, account: str) -> frozenset[str]:
        now = time.monotonic()
        read_at, by_account = self._own.get(channel, (0.0, {}))
        if channel not in self._own or now - read_at > NEWS_S:
            by_account = await self._own_ids(channel)
            self._own[channel] = (now, by_account)
        others = [ids for name, ids in by_account.items() if name != account]
        return frozenset().union(*others) - by_account.get(account, frozenset())

    def _is_known(self, key: _Key, now: float) -> bool:
        known = self._known.get(key)
        return known is not None and known.until > now

    async def _ask(self, tenant: str, channel: str, ids: Sequence[str], now: float) -> None:
        if len(self._known) + len(self._unknown_until) > MAX_CACHED:
            self._known.clear()
            self._unknown_until.clear()
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select alias, canonical from identities"
                " where tenant = %s and channel = %s and alias = any(%s)",
                [tenant, channel, [storable(each) for each in ids]],
            )
            found = {row["alias"]: row["canonical"] for row in await cursor.fetchall()}
        for each in ids:
            key = (tenant, channel, each)
            if each in found:
                self._known[key] = _Known(found[each], now + KNOWN_S)
                self._unknown_until.pop(key, None)
            else:
                self._known.pop(key, None)
                self._unknown_until[key] = now + NEWS_S

    async def _own_ids(self, channel: str) -> dict[str, frozenset[str]]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select account, array_agg(own_id) as ids from own_ids"
                " where channel = %s group by account",
                [channel],
            )
            return {row["account"]: frozenset(row["ids"]) for row in await cursor.fetchall()}
