"""Rules of what is never kept, on Postgres."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from typing_extensions import override

from memory.policy.keeping import CREDENTIALS, Rule
from memory.ports.keeping import KeepingRules
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

# Under which other ids the contact of a rule `r` is known.
ALSO: Final = """(
  select array_agg(distinct i.channel || ':' || each.id)
  from (select split_part(r.contact_id, ':', 1) as channel,
    substr(r.contact_id, strpos(r.contact_id, ':') + 1) as id) named
  join identities i on i.tenant = r.tenant and i.channel = named.channel and i.canonical in (
    named.id, (select a.canonical from identities a
      where a.tenant = r.tenant and a.channel = named.channel and a.alias = named.id)),
  lateral (values (i.alias), (i.canonical)) each (id)
  where each.id <> named.id)"""

_ROWS: Final = f"""
select rule_id, kind, what, contact_id, since, ended_at, {ALSO} as also from keeping_rules r
where tenant = %(tenant)s order by rule_id
"""

_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('rules' || chr(31) || %(tenant)s, 0))"

_ADD: Final = f"""
insert into keeping_rules as r (tenant, kind, what, contact_id, since, ended_at)
values (%(tenant)s, %(kind)s, %(what)s, %(contact)s, %(since)s, %(ended)s)
returning rule_id, kind, what, contact_id, since, {ALSO} as also
"""

_END: Final = """
update keeping_rules set ended_at = %(at)s
where tenant = %(tenant)s and rule_id = %(rule)s and ended_at is null
"""

_FORGET_NOTES: Final = """
delete from kept_out_by_rule where tenant = %(tenant)s and uid = any(%(uids)s::uuid[])
"""

_NOTE: Final = """
insert into kept_out_by_rule (uid, tenant, rule_id)
select m.uid, m.tenant, given.rule_id
from unnest(%(uids)s::uuid[], %(rules)s::bigint[]) as given (uid, rule_id)
join messages m on m.uid = given.uid and m.tenant = %(tenant)s
on conflict do nothing
"""

_NOTED: Final = f"""
select n.uid, n.rule_id, r.kind, r.what, r.contact_id, r.since, {ALSO} as also
from kept_out_by_rule n left join keeping_rules r on r.rule_id = n.rule_id and r.tenant = n.tenant
where n.tenant = %(tenant)s and n.uid = any(%(uids)s::uuid[]) order by n.rule_id
"""


# A row for each message and rule. Credentials have none where nobody wrote a rule for them.
_JUDGING: Final = f"""
select given.uid, r.rule_id, r.kind, r.what, r.contact_id, r.since, r.also
from unnest(%(uids)s::uuid[]) as given (uid)
left join messages m on m.uid = given.uid and m.tenant = %(tenant)s
join (
  select rule_id, kind, what, contact_id, since, {ALSO} as also from keeping_rules r
  where tenant = %(tenant)s and ended_at is null
  union all
  select 0, null, null, null, null, null where not exists
    (select from keeping_rules where tenant = %(tenant)s and kind = 'credentials')
) r on m.uid is null or r.since is null or r.since <= greatest(m.recorded_at, m.edited_at)
union
select n.uid, n.rule_id, r.kind, r.what, r.contact_id, r.since, {ALSO}
from kept_out_by_rule n left join keeping_rules r on r.rule_id = n.rule_id and r.tenant = n.tenant
where n.tenant = %(tenant)s and n.uid = any(%(uids)s::uuid[])
order by 1, 2
"""


class PostgresKeepingRules(KeepingRules):
    """`KeepingRules` on the tables `keeping_rules` and `kept_out_by_rule`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def of(self, tenant: str) -> list[Rule]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_ROWS, {"tenant": tenant})
            return in_force(await cursor.fetchall())

    @override
    async def add(self, tenant: str, rule: Rule) -> Rule:
        row = {
            "tenant": tenant,
            "kind": rule.kind,
            "what": storable(rule.what),
            "contact": storable(rule.contact_id),
            "since": rule.since,
            "ended": None,
        }
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, row)
            held = in_force(await (await connection.execute(_ROWS, row)).fetchall())
            for each in held:
                if _about(each) == _about(rule):
                    return each
            (made,) = await (await connection.execute(_ADD, row)).fetchall()
        return _rule(made)

    @override
    async def remove(self, tenant: str, rule_id: int, at: datetime) -> Rule | None:
        keys = {"tenant": tenant, "rule": rule_id, "at": at}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, keys)
            held = in_force(await (await connection.execute(_ROWS, keys)).fetchall())
            found = next((each for each in held if each.rule_id == rule_id), None)
            if found == CREDENTIALS:
                row = {"kind": "credentials", "what": "", "contact": "", "since": at, "ended": at}
                await connection.execute(_ADD, keys | row)
            elif found:
                await connection.execute(_END, keys)
        return found

    @override
    async def note(self, tenant: str, kept_out: Mapping[str, Collection[int]]) -> None:
        pairs = [(uid, rule) for uid, rules in kept_out.items() for rule in sorted(set(rules))]
        keys = {"tenant": tenant, "uids": list(kept_out)}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_FORGET_NOTES, keys)
            row = {"uids": [uid for uid, _ in pairs], "rules": [rule for _, rule in pairs]}
            await connection.execute(_NOTE, {"tenant": tenant, **row})

    @override
    async def judging(self, tenant: str, uids: Collection[str]) -> dict[str, list[Rule]]:
        return await self._by_message(_JUDGING, tenant, uids)

    @override
    async def noted(self, tenant: str, uids: Collection[str]) -> dict[str, list[Rule]]:
        return await self._by_message(_NOTED, tenant, uids)

    async def _by_message(
        self, query: str, tenant: str, uids: Collection[str]
    ) -> dict[str, list[Rule]]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query, {"tenant": tenant, "uids": list(uids)})
            rows = await cursor.fetchall()
        found: defaultdict[str, list[Rule]] = defaultdict(list)
        for row in rows:
            found[str(row["uid"])].append(_rule(row) if row["kind"] else CREDENTIALS)
        return dict(found)


def in_force(rows: Iterable[Mapping[str, Any]]) -> list[Rule]:  # Any: rows of Postgres, or JSON
    """Return the rules that hold, of all that a tenant ever had in order."""
    every = list(rows)
    standing = [] if any(row["kind"] == CREDENTIALS.kind for row in every) else [CREDENTIALS]
    return [*standing, *(_rule(row) for row in every if row["ended_at"] is None)]


def _rule(row: Mapping[str, Any]) -> Rule:  # Any: as in `in_force`
    since = row["since"]
    at = datetime.fromisoformat(since) if isinstance(since, str) else since
    rule_id, kind = row["rule_id"], row["kind"]
    also = frozenset(row["also"] or ())
    return Rule(rule_id, kind, row["what"], row["contact_id"], at.astimezone(UTC), also)


def _about(rule: Rule) -> tuple[str, str, str]:
    return rule.kind, rule.what, rule.contact_id
