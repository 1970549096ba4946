"""Erasing a person on Postgres: everything of theirs in one transaction, or nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.chats import ChatRef, message_uid
from memory.domain.erasures import AskedBy, Erasure, ErasureExtent, Needles
from memory.policy.ids import parts_of, spellings_of
from memory.ports.erasures import Erased, Erasures
from memory.postgres import erasing
from memory.postgres.checkpoints import THREADS_OF
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

LEAST_NEEDLE: Final = 8
"""Characters of an id that is looked for by itself: a shorter one may be anybody's word."""
LEAST_READ: Final = 5
"""Characters of an id by which what could not be read is known as theirs, wherever it stands.

A shorter one is looked for where JSON has an id: as a whole string, or as the number of an `id`.
"""
SAMPLE: Final = 24
LEAST_TEXT, MOST_TEXT = 20, 80
"""Characters of a piece of what was said."""

# What stands in JSON otherwise than it was written cannot be looked for there.
_PLAIN = re.compile(r'[^"\\\x00-\x1f]{20,}')

_NEEDLES = f"""
select array(select id from gone_ids union select thread_id::text from gone_chats
    union select turn_id::text from gone_turns) as uuids,
  array(select chat_id from gone_chats union select actor_id from gone_messages
    where author = 'contact' and contact_id = any(%(contacts)s)) as names,
  array(select scope from gone_chats) as scopes,
  array(select {THREADS_OF} from gone_chats s) as threads
"""
# Whichever of a person's ids is named, it is about all of them.
_PAIRED = """
select alias, canonical from identities i
where i.tenant = %(tenant)s and i.channel = %(channel)s and (i.canonical = %(bare)s
  or i.canonical in (select canonical from identities
    where tenant = %(tenant)s and channel = %(channel)s and alias = %(bare)s))
"""
_SAID = f"""
select m.content from messages m join gone_messages g using (uid)
where length(m.content) >= {LEAST_TEXT} order by length(m.content) desc limit {4 * SAMPLE}
"""
_UNSAID = """
select t from unnest(%(texts)s::text[]) as t where not exists (
  select from messages where tenant = %(tenant)s and strpos(coalesce(said, content), t) > 0)
"""


class PostgresErasures(Erasures):
    """`Erasures` on the ledger's own tables."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def extent(self, tenant: str, contact_id: str) -> ErasureExtent:
        async with self._pool.connection() as connection, connection.transaction():
            keys = await _collect(connection, tenant, contact_id, ())
            threads = await _rows(connection, erasing.THREADS, keys)
            counts = await _counts(connection, keys)
        return ErasureExtent(
            tuple(keys["contacts"]), tuple(row["thread_id"] for row in threads), counts
        )

    @override
    async def needles(self, tenant: str, contact_id: str) -> Needles:
        async with self._pool.connection() as connection, connection.transaction():
            keys = await _collect(connection, tenant, contact_id, ())
            return await _needles(connection, keys)

    @override
    async def erase(
        self,
        tenant: str,
        contact_id: str,
        asked_by: AskedBy,
        held: Collection[str],
        facts: Collection[str] = (),
    ) -> Erased | None:
        async with self._pool.connection() as connection, connection.transaction() as whole:
            await connection.execute(
                "select pg_advisory_xact_lock(hashtextextended('erasure' || chr(31) || %s, 0))",
                [tenant],
            )
            keys = await _collect(connection, tenant, contact_id, facts)
            await _rows(connection, erasing.LOCK, keys)
            # Again: what was stored until the chats were locked goes, too.
            keys = await _collect(connection, tenant, contact_id, facts)
            standing = {row["thread_id"] for row in await _rows(connection, erasing.LOCK, keys)}
            await connection.execute(erasing.LOCK_MESSAGES.encode(), prepare=False)
            waits = (erasing.SENDING, erasing.DERIVING, erasing.RUNNING)
            found = [row for each in waits for row in await _rows(connection, each, keys)]
            is_busy = not standing <= set(held) or any(row["is_busy"] for row in found)
            counts = await _counts(connection, keys)
            if is_busy or not counts:
                whole.force_rollback = True
                return None
            needles = await _needles(connection, keys)
            texts = _pieces(row["content"] for row in await _rows(connection, _SAID, keys))
            await _bury(connection, keys)
            for statement in erasing.ERASE:
                await connection.execute(statement.encode(), keys, prepare=False)
            unsaid = await _rows(connection, _UNSAID, {**keys, "texts": texts})
            (filed,) = await _rows(
                connection, erasing.FILE, {**keys, "asked_by": asked_by, "counts": Jsonb(counts)}
            )
        kept = Needles(
            contact_id,
            needles.ids,
            needles.uuids,
            tuple(row["t"] for row in unsaid)[:SAMPLE],
            needles.contacts,
            needles.threads,
        )
        return Erased(filed["erasure_id"], kept)

    @override
    async def probed(
        self, tenant: str, erasure_id: str, places: int, left: Mapping[str, int]
    ) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "update erasures set probed_at = now(), places = %s, traces = %s"
                " where tenant = %s and erasure_id = %s",
                [places, Jsonb(dict(left)), tenant, erasure_id],
            )

    @override
    async def count(self, tenant: str, erasure_id: str, counts: Mapping[str, int]) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "update erasures set counts = counts || %s where tenant = %s and erasure_id = %s",
                [Jsonb(dict(counts)), tenant, erasure_id],
            )

    @override
    async def receipt(self, tenant: str, erasure_id: str) -> Erasure | None:
        query = erasing.RECEIPTS + " and e.erasure_id = %(id)s"
        async with self._pool.connection() as connection:
            rows = await _rows(connection, query, {"tenant": tenant, "id": erasure_id})
        return _receipt(rows[0]) if rows else None

    @override
    async def receipts(self, tenant: str, limit: int) -> list[Erasure]:
        query = erasing.RECEIPTS + " order by e.erased_at desc, e.erasure_id limit %(limit)s"
        async with self._pool.connection() as connection:
            rows = await _rows(connection, query, {"tenant": tenant, "limit": limit})
        return [_receipt(row) for row in rows]


Keys = dict[str, Any]  # Any: values of a statement


async def _rows(connection: AsyncConnection[DictRow], statement: str, keys: Keys) -> list[DictRow]:
    # Prepared, it would outlive the temporary tables that it was planned for.
    cursor = await connection.execute(statement.encode(), keys, prepare=False)
    return await cursor.fetchall()


async def _collect(
    connection: AsyncConnection[DictRow], tenant: str, contact_id: str, facts: Collection[str]
) -> Keys:
    """Fill the temporary tables; return the parameters of all statements."""
    contact = storable(contact_id)
    channel, bare = parts_of(contact)
    paired = await _rows(connection, _PAIRED, {"tenant": tenant, "channel": channel, "bare": bare})
    names = {bare, *(name for row in paired for name in (row["alias"], row["canonical"]))} - {""}
    contacts = {contact, *(f"{channel}:{name}" for name in names if channel)}
    spellings = {each for name in names for each in spellings_of(channel, name)}
    keys: Keys = {
        "tenant": tenant,
        "contact": contact,
        "contacts": sorted(contacts),
        "channel": channel,
        "names": sorted(names),
        "spellings": sorted(spellings),
        "pattern": _in_events(sorted(names)),
        "facts": sorted(facts),
    }
    await connection.execute(erasing.TABLES.encode(), prepare=False)
    for statement in erasing.COLLECT:
        await connection.execute(statement.encode(), keys, prepare=False)
    return keys


def _in_events(names: Sequence[str]) -> str:
    """Return a pattern of Postgres that finds any of the names in what could not be read."""
    pattern = bounded([name for name in names if len(name) >= LEAST_READ])
    short = _escaped([name for name in names if len(name) < LEAST_READ])
    if not short:
        return pattern
    # What broke off may end with the id. Ids of updates and messages are nobody's.
    string = rf'"({short})(@[a-z.]+)?("|$)'
    number = rf'"(id|[a-z]*(chat|user|sender|from)_?id)"\s*:\s*({short})($|[^0-9.])'
    return f"{pattern}|{string}|{number}"


def _escaped(names: Sequence[str]) -> str:
    return "|".join(re.sub(r"([^0-9A-Za-z])", r"\\\1", name) for name in names if name)


def bounded(names: Sequence[str]) -> str:
    """Return a pattern of Postgres that finds any of the names where it stands by itself."""
    escaped = _escaped(names)
    return rf"(^|[^0-9A-Za-z])({escaped})($|[^0-9A-Za-z@_-])" if escaped else "(?!)"


async def _counts(connection: AsyncConnection[DictRow], keys: Keys) -> dict[str, int]:
    (row,) = await _rows(connection, erasing.COUNT, keys)
    return {name: count for name, count in row.items() if count}


async def _needles(connection: AsyncConnection[DictRow], keys: Keys) -> Needles:
    (row,) = await _rows(connection, _NEEDLES, keys)
    names = {name for name in (*row["names"], *keys["names"]) if _is_telling(name)}
    qualified = {each for each in keys["contacts"] if all(each.partition(":"))}
    return Needles(
        keys["contact"],
        frozenset({*qualified, *names, *row["scopes"]}),
        frozenset(row["uuids"]),
        contacts=frozenset(keys["contacts"]),
        threads=frozenset(row["threads"]),
    )


def _is_telling(name: str) -> bool:
    """Tell whether an id is looked for wherever it stands: a name or a number may be a word."""
    return len(name) >= LEAST_NEEDLE and not name.isalpha()


def _pieces(said: Any) -> list[str]:  # Any: an iterable of texts
    """Return a piece of each text that stands alike wherever it is kept."""
    found = {max(pieces, key=len)[:MOST_TEXT] for text in said if (pieces := _PLAIN.findall(text))}
    return sorted(found)


async def _bury(connection: AsyncConnection[DictRow], keys: Keys) -> None:
    """Leave tombstones of messages, of ids under which replies were sent, and of files."""
    sent: set[str] = set()
    echoes: set[str] = set()
    for row in await _rows(connection, erasing.SENT, keys):
        chat = ChatRef(keys["tenant"], row["channel"], row["account"], row["chat_id"], row["topic"])
        if row["id"]:
            sent.add(message_uid(chat, row["id"]))
        if row["is_recent"]:
            echoes |= {
                echo_name(row["channel"], row["account"], chat_id, row["fingerprint"])
                for chat_id in {row["chat_id"], *keys["names"]}
            }
    await connection.execute(erasing.SWEEP.encode())
    given = {**keys, "sent": sorted(sent), "echoes": sorted(echoes)}
    await connection.execute(erasing.BURY.encode(), given, prepare=False)


def echo_name(channel: str, account: str, chat_id: str, fingerprint: str) -> str:
    """Return by what an echo is known whose reply was erased: where it was sent, and its words."""
    return "\x1f".join(("echo", channel, account, chat_id, fingerprint))


def _receipt(row: DictRow) -> Erasure:
    return Erasure(
        erasure_id=row["erasure_id"],
        erased_at=row["erased_at"].astimezone(UTC),
        asked_by=row["asked_by"],
        contact=row["contact"],
        counts=row["counts"],
        owed=row["owed"],
        aside=row["aside"],
        probed_at=row["probed_at"].astimezone(UTC) if row["probed_at"] else None,
        places=row["places"],
        left=row["traces"],
    )
