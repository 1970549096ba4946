"""The ledger on Postgres: the transcript, claims of turns, and how turns end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from types import MappingProxyType

from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.chats import Actor, ChatRef, Message, Recorded, StoredMessage
from memory.domain.recalls import Receipt, use_to_json
from memory.domain.work import Claim
from memory.ports.ledger import Ledger
from memory.postgres.jobs import job_keys, job_where
from memory.postgres.pool import Pool
from memory.postgres.revisions import apply_waiting
from memory.postgres.rows import MESSAGE_COLUMNS, message_json, storable, stored_message
from memory.text.lexical import searchable

_RECORD = "select * from record_messages(%(messages)s, %(history)s, %(arrived_at)s)"
_RECORD_FOR_WORKER = f"""
with recorded as materialized ({_RECORD}),
job as ({job_where("exists (select from recorded where is_new)")})
select * from recorded
"""

# One statement for what a turn begins with. The rows that it claims are not yet seen as claimed by
# the part that reads the window, which leaves them out by what makes them claimable.
_CLAIM = f"""
with target as (
  select session_id, actor_id from messages
  where uid = %(uid)s and tenant = %(tenant)s and (pending or turn_id = %(turn)s)
), turn as (
  insert into turns (turn_id, session_id, tenant, state)
  select %(turn)s, session_id, %(tenant)s, 'running' from target
  on conflict (turn_id) do nothing
), claimed as (
  update messages m set pending = false, turn_id = %(turn)s
  from target t
  where m.session_id = t.session_id and m.author in ('contact', 'owner')
    and ((m.pending and m.actor_id = t.actor_id) or m.turn_id = %(turn)s)
  returning m.*
), lines as (
  select m.* from messages m, target t
  where m.session_id = t.session_id and m.seq > %(after)s and not m.withheld
    and m.author <> 'system' and m.turn_id is distinct from %(turn)s
    and not (m.pending and m.actor_id = t.actor_id and m.author in ('contact', 'owner'))
  order by m.position desc limit %(window)s
)
select {MESSAGE_COLUMNS}, true as is_claimed, m.actor_id = t.actor_id as is_said
from claimed m join sessions s using (session_id), target t
union all
select {MESSAGE_COLUMNS}, false, false from lines m join sessions s using (session_id)
order by position
"""

_END = "select end_turn(%(turn)s, %(tenant)s, %(replies)s, %(parts)s, %(receipt)s)"


def fingerprint(text: str) -> str:
    """Return the key by which an echo is matched to what was sent: a hash of its bare words."""
    return sha256(" ".join(text.split()).casefold().encode("utf-8", "replace")).hexdigest()


class PostgresLedger(Ledger):
    """`Ledger` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def record(
        self,
        messages: Sequence[Message],
        *,
        history: bool = False,
        arrived_at: datetime | None = None,
        look_in_s: float | None = None,
        about: str = "",
    ) -> list[Recorded]:
        if not messages:
            return []
        rows = [_row(place, m) for place, m in enumerate({m.uid: m for m in messages}.values())]
        if about:
            rows = [row | {"about_uid": about} for row in rows]
        keys = {"messages": Jsonb(rows), "history": history, "arrived_at": arrived_at}
        async with self._pool.connection() as connection:
            statement = _RECORD
            if look_in_s is not None:
                statement, keys = _RECORD_FOR_WORKER, keys | job_keys(messages[0].chat, look_in_s)
            cursor = await connection.execute(statement.encode(), keys)
            found = {str(row["uid"]): row for row in await cursor.fetchall()}
            waited_for = [uid for uid, row in found.items() if row["is_waited_for"]]
            if waited_for:
                async with connection.transaction():
                    await apply_waiting(connection, waited_for)
        return [
            Recorded(m.uid, row["seq"], row["is_new"])
            if (row := found.get(m.uid))
            else Recorded(m.uid, 0, is_new=False)
            for m in messages
        ]

    @override
    async def claim(
        self, turn_id: str, message: Message, *, after: int = 0, window: int = 0
    ) -> Claim:
        keys = {
            "turn": turn_id,
            "uid": message.uid,
            "tenant": message.chat.tenant,
            "after": after,
            "window": window,
        }
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(_CLAIM.encode(), keys)).fetchall()
        said = tuple(stored_message(row) for row in rows if row["is_said"])
        lines = [
            stored
            for row in rows
            if (stored := stored_message(row)) and not (row["is_claimed"] and stored.withheld)
        ]
        return Claim(
            said=said,
            along=tuple(
                stored_message(row) for row in rows if row["is_claimed"] and not row["is_said"]
            ),
            window=tuple(lines[-window:]) if window else (),
        )

    @override
    async def pending(self, chat: ChatRef, limit: int | None = None) -> list[StoredMessage]:
        query = f"""
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where s.thread_id = %s and s.tenant = %s and m.pending
            order by m.seq limit %s"""
        async with self._pool.connection() as connection:
            keys = [chat.thread_id, chat.tenant, limit]
            cursor = await connection.execute(query.encode(), keys)
            return [stored_message(row) for row in await cursor.fetchall()]

    @override
    async def claim_also(
        self, tenant: str, turn_id: str, uids: Sequence[str]
    ) -> list[StoredMessage]:
        query = f"""
            with claimed as (
              update messages set pending = false, turn_id = %(turn)s
              where uid = any(%(uids)s::uuid[]) and tenant = %(tenant)s
                and (pending or turn_id = %(turn)s)
              returning *
            )
            select {MESSAGE_COLUMNS} from claimed m join sessions s using (session_id)
            order by m.seq"""
        async with self._pool.connection() as connection:
            keys = {"turn": turn_id, "uids": list(uids), "tenant": tenant}
            cursor = await connection.execute(query.encode(), keys)
            return [stored_message(row) for row in await cursor.fetchall()]

    @override
    async def withhold(self, tenant: str, uids: Sequence[str]) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "update messages set withheld = true, searchable = null, terms = 0"
                " where tenant = %s and uid = any(%s::uuid[])",
                [tenant, list(uids)],
            )

    @override
    async def since(self, chat: ChatRef, seq: int, limit: int) -> list[StoredMessage]:
        query = f"""
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where s.thread_id = %s and s.tenant = %s and m.seq > %s
            order by m.position desc limit %s"""
        async with self._pool.connection() as connection:
            keys = [chat.thread_id, chat.tenant, seq, limit]
            cursor = await connection.execute(query.encode(), keys)
            rows = await cursor.fetchall()
        return [stored_message(row) for row in reversed(rows)]

    @override
    async def page(
        self, tenant: str, contact_id: str, before: int | None, limit: int
    ) -> list[StoredMessage]:
        query = f"""
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where s.tenant = %(tenant)s and s.contact_id = %(contact)s and not s.is_group
              and (%(before)s::bigint is null or m.seq < %(before)s)
            order by m.seq desc limit %(limit)s"""
        keys = {"tenant": tenant, "contact": contact_id, "before": before, "limit": limit}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            return [stored_message(row) for row in reversed(await cursor.fetchall())]

    @override
    async def contact_of(self, chat: ChatRef) -> str:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select contact_id from sessions where thread_id = %s and tenant = %s",
                [chat.thread_id, chat.tenant],
            )
            row = await cursor.fetchone()
        return row["contact_id"] if row else ""

    @override
    async def messages(
        self, tenant: str, uids: Sequence[str], with_neighbours: Collection[str] = ()
    ) -> list[StoredMessage]:
        if not uids and not with_neighbours:
            return []
        query = f"""
            select distinct on (m.session_id, m.position) {MESSAGE_COLUMNS}
            from (
              select session_id, position, (uid = any(%(near)s::uuid[]))::integer as reach
              from messages where uid = any(%(uids)s::uuid[]) and tenant = %(tenant)s
            ) hit
            join messages m on m.session_id = hit.session_id
              and m.position between hit.position - hit.reach and hit.position + hit.reach
            join sessions s on s.session_id = m.session_id
            order by m.session_id, m.position"""
        near = list(with_neighbours)
        keys = {"uids": [*uids, *near], "near": near, "tenant": tenant}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            rows = await cursor.fetchall()
        return [stored_message(row) for row in rows]

    @override
    async def before(self, tenant: str, uids: Sequence[str]) -> dict[str, str]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select m.uid, b.content from messages m join messages b"
                " on b.session_id = m.session_id and b.position = m.position - 1"
                " where m.tenant = %(tenant)s and m.uid = any(%(uids)s::uuid[])"
                " and not b.withheld and b.content <> ''"
                " and (b.author <> 'contact' or b.actor_id = m.actor_id"
                " or strpos(b.content, '?') > 0)"
                " and b.created_at between m.created_at - interval '12 hours' and m.created_at",
                {"tenant": tenant, "uids": list(uids)},
            )
            return {str(row["uid"]): row["content"] for row in await cursor.fetchall()}

    @override
    async def own_lines(
        self, tenant: str, uids: Sequence[str], *, after: bool = False
    ) -> dict[str, list[StoredMessage]]:
        query = f"""
            select {MESSAGE_COLUMNS}, o.uid as of_uid from messages o
            join messages m on m.session_id = o.session_id and m.contact_id = o.contact_id
              and m.author = 'contact' and m.position between o.position + %(first)s
              and o.position + %(last)s
            join sessions s on s.session_id = m.session_id
            where o.tenant = %(tenant)s and o.uid = any(%(uids)s::uuid[]) and not m.withheld
              and m.created_at between o.created_at - interval '12 hours'
              and o.created_at + interval '12 hours'
            order by o.uid, m.position"""
        first, last = (1, 12) if after else (-12, -1)
        keys = {"tenant": tenant, "uids": list(uids), "first": first, "last": last}
        lines: dict[str, list[StoredMessage]] = {}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            for row in await cursor.fetchall():
                lines.setdefault(str(row["of_uid"]), []).append(stored_message(row))
        return lines

    @override
    async def settled(self, tenant: str, uids: Sequence[str]) -> list[StoredMessage]:
        return await self._settled("m.uid = any(%(key)s::uuid[])", tenant, list(uids))

    @override
    async def said_in(self, tenant: str, anchor: str) -> list[StoredMessage]:
        return await self._settled("m.author = 'contact' and m.anchor = %(key)s", tenant, anchor)

    @override
    async def said_by(self, tenant: str, contact_id: str) -> list[StoredMessage]:
        which = "m.author = 'contact' and m.contact_id = %(key)s"
        return await self._settled(which, tenant, contact_id)

    async def _settled(self, which: str, tenant: str, key: object) -> list[StoredMessage]:
        query = f"""
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where m.tenant = %(tenant)s and {which} and not m.pending and not exists (
              select from turns t where t.turn_id = m.turn_id and t.state = 'running')
            order by m.seq"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), {"tenant": tenant, "key": key})
            return [stored_message(row) for row in await cursor.fetchall()]

    @override
    async def quoted(self, chat: ChatRef, message_id: str, before: int) -> list[StoredMessage]:
        query = f"""
            select {MESSAGE_COLUMNS} from messages q
            join messages m on m.session_id = q.session_id
              and m.position between q.position - %(before)s and q.position
            join sessions s on s.session_id = q.session_id
            where s.thread_id = %(thread)s and s.tenant = %(tenant)s
              and (q.message_id = %(id)s or q.uid =
              (select reply_uid from outbox
               where session_id = s.session_id and sent_message_id = %(id)s limit 1))
            order by m.position"""
        keys = {
            "thread": chat.thread_id,
            "tenant": chat.tenant,
            "id": storable(message_id),
            "before": before,
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            rows = await cursor.fetchall()
        return [stored_message(row) for row in rows]

    @override
    async def finish(
        self,
        tenant: str,
        turn_id: str,
        replies: Sequence[Message] = (),
        receipt: Receipt | None = None,
        parts: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        rows = [_row(place, reply) for place, reply in enumerate(replies)]
        keys = {
            "tenant": tenant,
            "turn": turn_id,
            "replies": Jsonb(rows) if rows else None,
            "parts": Jsonb(_parts(replies, parts)),
            "receipt": Jsonb(receipt_json(receipt)) if receipt else None,
        }
        async with self._pool.connection() as connection:
            await connection.execute(_END, keys)


def _row(place: int, message: Message) -> dict[str, object]:
    is_indexed = message.actor in (Actor.CONTACT, Actor.AGENT) and not message.withheld
    indexed = searchable(storable(message.text)) if is_indexed else ""
    return message_json(message) | {"place": place, "indexed": indexed}


def _parts(
    replies: Sequence[Message], parts: Mapping[str, Sequence[str]]
) -> list[dict[str, object]]:
    sent = [(r, n, text) for r in replies for n, text in enumerate(parts.get(r.uid, ()))]
    return [
        {
            "part": place,
            "reply_uid": reply.uid,
            # Only the first part of a long reply quotes what it answers.
            "reply_to": reply.quote.message_id if reply.quote and number == 0 else "",
            "body": storable(text),
            "fingerprint": fingerprint(storable(text)),
            "created_at": reply.sent_at.isoformat(),
        }
        for place, (reply, number, text) in enumerate(sent)
    ]


def receipt_json(receipt: Receipt) -> dict[str, object]:
    """Return a receipt as the JSON object that turns end with."""
    return {
        "reply_uid": receipt.reply_uid,
        "query": storable(receipt.query),
        "recalled": [
            {
                "kind": r.kind,
                "item_id": r.item_id,
                "score": r.score,
                "parts": dict(r.parts),
                "is_shown": r.is_shown,
                "repeats": r.repeats,
            }
            for r in receipt.recalled
        ],
        "nodes": list(receipt.nodes),
        "model": receipt.model,
        "created_at": receipt.created_at.isoformat(),
        "missing": list(receipt.missing),
        "used": use_to_json(receipt.use) if receipt.use else None,
    }
