"""What is kept of one person, table by table: rows as they are, but for what is derived."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from psycopg.rows import DictRow
from typing_extensions import override

from memory.policy.ids import parts_of, spellings_of
from memory.ports.exports import ExportPart, Exports, Row
from memory.postgres.pool import Pool

PAGE: Final = 200
"""So many rows are held at a time; some tables give all that share the last one's place."""

WITHOUT: Final[dict[str, frozenset[str]]] = {
    "sessions": frozenset(),
    "messages": frozenset({"role", "searchable", "terms"}),
    "revisions": frozenset(),
    "moods": frozenset(),
    "kinds": frozenset(),
    "uses": frozenset(),
    "kept_out": frozenset(),
    "kept_out_by_rule": frozenset(),
    "third_party_claims": frozenset(),
    "answers": frozenset(),
    "rejections": frozenset(),
    "turns": frozenset(),
    "receipts": frozenset(),
    "outbox": frozenset({"body", "fingerprint", "owner"}),
    "episodes": frozenset({"digest", "last_seq", "vector_sum"}),
    "open_loops": frozenset({"vector", "number", "changes"}),
    "notes": frozenset(),
    "corrections": frozenset(),
    "fact_marks": frozenset(),
    "keeping_rules": frozenset(),
    "policies": frozenset(),
    "pauses": frozenset(),
    "audit": frozenset(),
    "imports": frozenset(),
    "waiting_changes": frozenset(),
    "identities": frozenset(),
    "audiences": frozenset(),
    "contact_states": frozenset({"version"}),
}
"""Tables that are read here, with the columns that are left out.

All others are given, those of later migrations too. What is left out is made of other columns
(`role`, words to search by, fingerprints, vectors), bookkeeping, or in a message's line already.
"""

LEFT_OUT: Final[dict[str, str]] = {
    "token_vectors": "numbers that search computes from the messages",
    "episode_courses": "how far chats were read: nothing of it is about a person",
    "open_loop_courses": "how far chats were read: nothing of it is about a person",
    "projections": "which version of what is derived serves",
    "backlog": "what is still to be derived; it empties itself",
    "queue_version": "the database's own version",
    "schema_functions": "the database's own version",
    "schema_version": "the database's own version",
    "procrastinate_jobs": "hints that a chat may have work, without a word of it",
    "procrastinate_events": "when those hints came and went",
    "procrastinate_periodic_defers": "when our own upkeep ran",
    "procrastinate_workers": "which of our own processes work",
    "taken_locks": "which of our own processes has a chat at the moment",
    "model_calls": "how often a model was asked on a day, by nobody in particular",
    "breakers": "which of our own accounts cannot send",
    "own_ids": "ids of our own accounts",
    "moved_chats": "ids that groups had before",
    "events": "what came in and could not be read, so that nobody knows whose it is; dropped soon",
    "checkpoints": "copies of the latest messages, for a turn that was interrupted",
    "checkpoint_blobs": "copies of the latest messages, for a turn that was interrupted",
    "checkpoint_writes": "copies of the latest messages, for a turn that was interrupted",
    "checkpoint_migrations": "the database's own version",
    "erasures": "receipts of erasures: figures, and a digest of whose",
    "tombstones": "digests of what was erased",
    "tombstone_salt": "what the digests are made with",
}
"""Tables that are not read for an export, with the reason."""

OF_OTHER_STORES: Final = frozenset({"facts", "entities"})
"""Tables that are read through ports of their own, whatever these are stored in."""

_NOWHERE: Final = frozenset({"tenant", "session_id"})
"""Left out everywhere: whose memory it is, and a number that means nothing outside."""

_ONE_BESIDE: Final = {"mood": "moods", "kinds": "kinds", "used": "uses", "read_by_model": "answers"}
_BESIDE: Final = {
    "before": "revisions",
    "kept_out": "kept_out",
    "kept_out_by_rule": "kept_out_by_rule",
    "claims": "third_party_claims",
    "rejected": "rejections",
    **_ONE_BESIDE,
}
"""What is kept beside a message, one row or any number, by the name that its line has for it."""


def _line(table: str, alias: str, *more: str) -> str:
    """Return SQL of a row as JSON, without what is left out."""
    without = ",".join(sorted(WITHOUT[table] | _NOWHERE | set(more)))
    return f"to_jsonb({alias}) - '{{{without}}}'::text[]"


_IS_KNOWN: Final = """
select exists (select from messages where tenant = %(tenant)s and contact_id = %(contact)s)
  or exists (select from sessions where tenant = %(tenant)s and contact_id = %(contact)s)
  or exists (select from audiences where tenant = %(tenant)s and contact_id = %(contact)s)
  or exists (select from keeping_rules where tenant = %(tenant)s and contact_id = %(contact)s)
  or exists (select from imports where tenant = %(tenant)s and contact_id = %(contact)s)
  as is_known
"""

_CHATS: Final = f"""
with found as (
  select session_id from sessions
  where tenant = %(tenant)s and not is_group and contact_id = %(contact)s
  union
  select session_id from messages
  where tenant = %(tenant)s and contact_id = %(contact)s and author = 'contact'
)
select s.session_id, s.thread_id::text as thread_id,
  not s.is_group and s.contact_id = %(contact)s as is_theirs,
  s.channel || '/' || s.account || '/' || s.chat_id as scope,
  s.channel || '/' || s.account || '/' || s.chat_id
    || case s.topic when '' then '' else '/' || s.topic end as chat,
  {_line("sessions", "s")} as line
from found join sessions s using (session_id) where s.tenant = %(tenant)s order by s.session_id
"""

_IN_CHAT: Final = """
  m.tenant = %(tenant)s and m.session_id = %(session)s
  and (%(theirs)s or (m.contact_id = %(contact)s and m.author = 'contact'))
"""

# Other people's words are in quotes, too; what was quoted of the chat's own has a line of its own.
_MESSAGES: Final = (
    f"""
with page as materialized (
  select m.* from messages m where {_IN_CHAT} and m.position > %(after)s
  order by m.position limit {PAGE}
)
select p.position as place, ({_line("messages", "p", "quote")})
  || jsonb_build_object('quote', case when p.quote ->> 'sender_id' = p.actor_id then p.quote
    else p.quote - 'text' - 'sender_id' end)
  || jsonb_strip_nulls(jsonb_build_object("""
    + ", ".join(
        f"'{name}', {table}.found{' -> 0' if name in _ONE_BESIDE else ''}"
        for name, table in _BESIDE.items()
    )
    + ")) as line from page p"
    + "".join(
        f"""
left join (
  select x.uid, jsonb_agg({_line(table, "x", "uid")}) as found from {table} x
  where x.tenant = %(tenant)s and x.uid in (select uid from page) group by x.uid
) {table} on {table}.uid = p.uid"""
        for table in _BESIDE.values()
    )
    + " order by p.position"
)

# What was looked for in a group may hold what was quoted there.
_TURNS: Final = f"""
with page as materialized (
  select t.* from turns t
  where t.tenant = %(tenant)s and t.session_id = %(session)s and t.started_at > %(after)s
    and (%(theirs)s or exists (
      select from messages m where m.turn_id = t.turn_id and {_IN_CHAT}))
  order by t.started_at fetch first {PAGE} rows with ties
)
select p.started_at as place, {_line("turns", "p")} || jsonb_build_object(
  'receipt', (select case when %(theirs)s then {_line("receipts", "r", "turn_id")}
      else {_line("receipts", "r", "turn_id", "query")} end
    from receipts r where r.turn_id = p.turn_id),
  'deliveries', case when %(theirs)s then (
    select jsonb_agg({_line("outbox", "o", "turn_id")} order by o.part)
    from outbox o where o.turn_id = p.turn_id) end) as line
from page p order by p.started_at, p.turn_id
"""

_EPISODES: Final = f"""
select e.first_seq as place, {_line("episodes", "e", "first_seq")} as line
from episodes e where e.tenant = %(tenant)s and e.session_id = %(session)s
  and e.first_seq > %(after)s
order by e.first_seq limit {PAGE}
"""


def _by_message(table: str, *told: str) -> str:
    """Return SQL of rows that belong to messages, with columns of these beside them."""
    beside = ", ".join(f"'{name}', m.{name}" for name in told)
    return f"""
select m.seq as place, ({_line(table, "x")}) || jsonb_build_object({beside}) as line
from messages m join {table} x on x.uid = m.uid join sessions s on s.session_id = m.session_id
where m.tenant = %(tenant)s and m.contact_id = %(contact)s and m.seq > %(after)s
  and (m.author = 'contact' or not s.is_group)
order by m.seq fetch first {PAGE} rows with ties
"""


_AUDIT: Final = f"""
select a.audit_id as place, {_line("audit", "a")} as line
from audit a where a.tenant = %(tenant)s and a.audit_id > %(after)s
  and (a.thread_id = any(%(threads)s::uuid[]) or a.turn_id in (
    select m.turn_id::text from messages m
    where m.tenant = %(tenant)s and m.contact_id = %(contact)s and m.author = 'contact'
      and m.turn_id is not null))
order by a.audit_id limit {PAGE}
"""

_RULES: Final = f"""
select {_line("keeping_rules", "k")} as line from keeping_rules k
where k.tenant = %(tenant)s and (k.contact_id = %(contact)s or (k.contact_id = '' and exists (
  select from messages m join kept_out_by_rule o on o.uid = m.uid
  where m.tenant = %(tenant)s and m.contact_id = %(contact)s and o.rule_id = k.rule_id)))
order by k.rule_id
"""

# Of what holds elsewhere for many only whether it names the person.
_POLICIES: Final = f"""
select case when p.scope = any(%(scopes)s) then {_line("policies", "p")}
  else jsonb_build_object('scope', p.scope, 'version', p.version, 'changed_at', p.changed_at,
    'blocks_them', coalesce(p.rules -> 'blocked' ?| %(names)s::text[], false),
    'allows_them', coalesce(p.rules -> 'allowed' ?| %(names)s::text[], false)) end as line
from policies p where p.tenant = %(tenant)s and (p.scope = any(%(scopes)s)
  or p.rules -> 'blocked' ?| %(names)s::text[] or p.rules -> 'allowed' ?| %(names)s::text[])
order by p.scope, p.version
"""

_PAUSES: Final = f"""
select {_line("pauses", "p")} as line from pauses p
where p.tenant = %(tenant)s and p.scope = any(%(scopes)s) order by p.began_at
"""

_OWN: Final = """
select {line} as line from {table} x
where x.tenant = %(tenant)s and x.contact_id = %(contact)s order by x
"""

_WAITING: Final = f"""
select {_line("waiting_changes", "w")} as line from waiting_changes w
where w.tenant = %(tenant)s
  and (w.channel || '/' || w.account || '/' || w.chat_id = any(%(scopes)s) or exists (
    select from unnest(w.author_ids) as author where w.channel || ':' || author = %(contact)s))
order by w.change_id
"""

_IDENTITIES: Final = f"""
select {_line("identities", "i")} as line from identities i
where i.tenant = %(tenant)s
  and %(contact)s in (i.channel || ':' || i.canonical, i.channel || ':' || i.alias)
order by i.learned_at
"""

_BY_CHAT: Final[dict[ExportPart, tuple[str, object]]] = {
    "messages": (_MESSAGES, 0),
    "turns": (_TURNS, "-infinity"),
    "episodes": (_EPISODES, 0),
}
"""Read chat by chat, from the place before the first."""

_PAGED: Final[dict[ExportPart, str]] = {
    "open_loops": _by_message("open_loops", "author", "contact_id"),
    "notes": _by_message("notes", "content", "created_at", "anchor"),
    "corrections": _by_message("corrections", "created_at"),
    "marks": _by_message("fact_marks", "created_at"),
    "audit": _AUDIT,
}

_AT_ONCE: Final[dict[ExportPart, str]] = {
    "rules": _RULES,
    "policies": _POLICIES,
    "pauses": _PAUSES,
    "imports": _OWN.format(table="imports", line=_line("imports", "x")),
    "audiences": _OWN.format(table="audiences", line=_line("audiences", "x")),
    "contact_states": _OWN.format(table="contact_states", line=_line("contact_states", "x")),
    "waiting_changes": _WAITING,
    "identities": _IDENTITIES,
}
"""So few of each that they are read in one statement."""


class PostgresExports(Exports):
    """`Exports` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def is_known(self, tenant: str, contact_id: str) -> bool:
        (row,) = await self._all(_IS_KNOWN, {"tenant": tenant, "contact": contact_id})
        return bool(row["is_known"])

    @override
    async def rows(
        self, tenant: str, contact_id: str, part: ExportPart
    ) -> AsyncGenerator[Sequence[Row]]:
        keys: dict[str, Any] = {"tenant": tenant, "contact": contact_id}  # Any: as psycopg's
        chats = await self._all(_CHATS, keys)
        if part == "chats":
            yield [{"chat": each["chat"], **each["line"]} for each in chats]
            return
        if part in _BY_CHAT:
            query, first = _BY_CHAT[part]
            for chat in chats:
                told = {"chat": chat["chat"]}
                at = {"session": chat["session_id"], "theirs": chat["is_theirs"]}
                if part == "episodes" and not chat["is_theirs"]:
                    continue  # their summaries are of everybody's words
                async for rows in self._pages(query, keys | at, first):
                    yield [told | row["line"] for row in rows]
            return
        theirs = [each for each in chats if each["is_theirs"]]
        keys["threads"] = [each["thread_id"] for each in theirs]
        keys["scopes"] = sorted({each["scope"] for each in theirs})
        keys["names"] = sorted(spellings_of(*parts_of(contact_id)))
        if part in _PAGED:
            async for rows in self._pages(_PAGED[part], keys, 0):
                yield [row["line"] for row in rows]
            return
        yield [row["line"] for row in await self._all(_AT_ONCE[part], keys)]

    async def _pages(
        self, query: str, keys: dict[str, Any], after: object
    ) -> AsyncGenerator[Sequence[DictRow]]:
        while rows := await self._all(query, keys | {"after": after}):
            yield rows
            after = rows[-1]["place"]

    async def _all(self, query: str, keys: dict[str, Any]) -> list[DictRow]:
        async with self._pool.connection() as connection:
            return await (await connection.execute(query.encode(), keys)).fetchall()
