"""Policies on Postgres: a row for each version of a scope's layer; the newest counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.channels import traits_of
from memory.domain.chats import ChatRef
from memory.policy.ids import ids_of
from memory.policy.rules import (
    Layer,
    LayerVersion,
    Pause,
    Policy,
    ReplyPolicy,
    Standing,
    merge,
    scopes_of,
)
from memory.ports.policies import Policies
from memory.postgres.keeping import ALSO, in_force
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

# The C collation orders a channel before its chats, on every server alike.
_NEWEST = """
select distinct on (scope collate "C") scope, version, rules, changed_by, changed_at
from policies where tenant = %(tenant)s and (%(scopes)s::text[] is null or scope = any(%(scopes)s))
order by scope collate "C", version desc
"""


# Layers in order of strength and pauses in order of beginning, in one row.
_STANDING = f"""
select
  (select coalesce(jsonb_agg(newest.rules order by newest.scope collate "C"), '[]') from (
    select distinct on (scope) scope, rules from policies
    where tenant = %(tenant)s and scope = any(%(scopes)s) order by scope, version desc
  ) newest) as layers,
  (select coalesce(
      jsonb_agg(jsonb_build_array(kind, began_at, ends_at) order by began_at), '[]')
    from pauses where tenant = %(tenant)s and scope = %(scope)s
      and (ends_at is null or ends_at > %(after)s)) as pauses,
  (select coalesce(
      jsonb_agg(to_jsonb(r) || jsonb_build_object('also', {ALSO}) order by r.rule_id), '[]')
    from keeping_rules r where r.tenant = %(tenant)s) as never
"""

# A row for each person who is named by any of several ids.
_SAME = """
select array_append(array_agg(alias), canonical) as ids from identities
where tenant = %(tenant)s and channel = %(channel)s and canonical in (
  select canonical from identities
  where tenant = %(tenant)s and channel = %(channel)s and alias = any(%(ids)s)
  union all select unnest(%(ids)s::text[]))
group by canonical
"""


@dataclass(frozen=True, slots=True)
class PostgresPolicies(Policies):
    """`Policies` on Postgres. `defaults` is what holds where no layer says more."""

    pool: Pool
    defaults: Policy

    @override
    async def resolve(self, chat: ChatRef) -> Policy:
        return (await self.standing(chat, datetime.max.replace(tzinfo=UTC))).policy

    @override
    async def standing(self, chat: ChatRef, after: datetime) -> Standing:
        scopes = [storable(scope) for scope in scopes_of(chat)]
        keys = {"tenant": chat.tenant, "scopes": scopes, "scope": scopes[-1], "after": after}
        async with self.pool.connection() as connection:
            row = await (await connection.execute(_STANDING, keys)).fetchone()
        if row is None:
            return Standing(self.defaults)
        layers = [Layer.model_validate(rules) for rules in row["layers"]]
        pauses = tuple(
            Pause(
                kind, datetime.fromisoformat(began), datetime.fromisoformat(ends) if ends else None
            )
            for kind, began, ends in row["pauses"]
        )
        policy = merge(self.defaults, layers)
        same = await self._same(chat, policy.blocked | (policy.allowed or frozenset()))
        never = tuple(in_force(row["never"]))
        return Standing(replace(policy, never=never, same=same), pauses)

    @override
    def based_on(self, *, reply_direct: ReplyPolicy, reply_group: ReplyPolicy) -> PostgresPolicies:
        defaults = replace(self.defaults, reply_direct=reply_direct, reply_group=reply_group)
        return replace(self, defaults=defaults)

    async def _same(self, chat: ChatRef, listed: Collection[str]) -> tuple[frozenset[str], ...]:
        """Return the ids of each listed person who has several."""
        if not listed or not traits_of(chat.channel).hidden_suffix:
            return ()
        ids = sorted({storable(each) for name in listed for each in ids_of(chat.channel, name)})
        keys = {"tenant": chat.tenant, "channel": chat.channel, "ids": ids}
        async with self.pool.connection() as connection:
            rows = await (await connection.execute(_SAME, keys)).fetchall()
        return tuple(frozenset(row["ids"]) for row in rows)

    @override
    async def newest(self, tenant: str, scopes: Sequence[str] | None = None) -> list[LayerVersion]:
        async with self.pool.connection() as connection:
            return await _newest(connection, tenant, scopes)

    @override
    async def history(self, tenant: str, scope: str) -> list[LayerVersion]:
        async with self.pool.connection() as connection:
            cursor = await connection.execute(
                "select scope, version, rules, changed_by, changed_at from policies"
                " where tenant = %s and scope = %s order by version",
                [tenant, storable(scope)],
            )
            return [_version(row) for row in await cursor.fetchall()]

    @override
    async def change(
        self,
        tenant: str,
        edits: Mapping[str, Callable[[Layer], Layer]],
        by: str,
        at: datetime,
        source: str = "",
    ) -> list[LayerVersion]:
        made = []
        async with self.pool.connection() as connection, connection.transaction():
            await connection.execute(
                "select pg_advisory_xact_lock(hashtextextended('policies' || chr(31) || %s, 0))",
                [tenant],
            )
            if source and (known := await _made_by(connection, tenant, source)):
                return known
            now = {each.scope: each for each in await _newest(connection, tenant, list(edits))}
            for scope, edit in edits.items():
                before = now.get(storable(scope))
                layer = edit(before.layer if before else Layer())
                if layer == (before.layer if before else Layer()):
                    continue
                number = before.version + 1 if before else 1
                version = LayerVersion(storable(scope), number, layer, storable(by), at)
                await _insert(connection, tenant, version, source)
                made.append(version)
        return made


async def _newest(
    connection: AsyncConnection[DictRow], tenant: str, scopes: Sequence[str] | None
) -> list[LayerVersion]:
    wanted = None if scopes is None else [storable(scope) for scope in scopes]
    cursor = await connection.execute(_NEWEST, {"tenant": tenant, "scopes": wanted})
    return [_version(row) for row in await cursor.fetchall()]


async def _made_by(
    connection: AsyncConnection[DictRow], tenant: str, source: str
) -> list[LayerVersion]:
    cursor = await connection.execute(
        "select scope, version, rules, changed_by, changed_at from policies"
        " where tenant = %s and source = %s order by scope",
        [tenant, source],
    )
    return [_version(row) for row in await cursor.fetchall()]


async def _insert(
    connection: AsyncConnection[DictRow], tenant: str, version: LayerVersion, source: str
) -> None:
    await connection.execute(
        "insert into policies (tenant, scope, version, rules, changed_by, changed_at, source)"
        " values (%s, %s, %s, %s, %s, %s, %s)",
        [
            tenant,
            version.scope,
            version.version,
            Jsonb(version.layer.model_dump(mode="json", exclude_none=True)),
            version.by,
            version.at,
            source,
        ],
    )


def _version(row: DictRow) -> LayerVersion:
    return LayerVersion(
        scope=row["scope"],
        version=row["version"],
        layer=Layer.model_validate(row["rules"]),
        by=row["changed_by"],
        at=row["changed_at"].astimezone(UTC),
    )
