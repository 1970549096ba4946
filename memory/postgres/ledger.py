"""The ledger on Postgres: the transcript, claims of turns, and how turns end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from memory.domain.chats import Actor, ChatRef, Message, Recorded, StoredMessage
from memory.domain.recalls import Receipt
from memory.postgres.pool import Pool
from memory.postgres.revisions import apply_waiting, correct_quotes, is_waited_for
from memory.postgres.rows import MESSAGE_COLUMNS, message_json, storable, stored_message
from memory.text.lexical import searchable

# The upsert locks the chats' rows, so that positions within a chat are handed out one at a time.
_SESSIONS = """
insert into sessions as s
  (thread_id, tenant, channel, account, chat_id, topic, contact_id, is_group, started_at)
select (array_agg(i.thread_id))[1], i.tenant, i.channel, i.account, i.chat_id, i.topic,
  (array_agg(case when i.is_group then '' else i.contact_id end))[1], bool_or(i.is_group),
  min(i.created_at)
from jsonb_to_recordset(%(messages)s) as i(
  thread_id uuid, tenant text, channel text, account text, chat_id text, topic text,
  contact_id text, is_group boolean, created_at timestamptz)
group by i.tenant, i.channel, i.account, i.chat_id, i.topic
order by 1
on conflict (thread_id) do update set is_group = s.is_group
"""

# Dedupe and storage are one statement (N1).
_MESSAGES = """
with input as (
  select i.*, s.session_id,
    (select coalesce(max(position), 0) from messages l where l.session_id = s.session_id)
      + row_number() over (partition by s.session_id order by i.place) as position
  from jsonb_to_recordset(%(messages)s) as i(
    place integer, uid uuid, thread_id uuid, tenant text, message_id text, author text,
    actor_id text, actor_name text, contact_id text, anchor text, content text,
    created_at timestamptz, from_me boolean, mentions_agent boolean, replies_to_agent boolean,
    forwarded boolean, is_owner boolean, awaits_turn boolean, quote jsonb, indexed text)
  join sessions s on s.thread_id = i.thread_id
  where not exists (select from messages known where known.uid = i.uid)
), vectors as (
  select input.*,
    case when author = 'contact' then to_tsvector('english', indexed) end as searchable
  from input
)
insert into messages
  (uid, session_id, position, tenant, message_id, author, actor_id, actor_name, contact_id, anchor,
   content, created_at, recorded_at, from_me, mentions_agent, replies_to_agent, forwarded, is_owner,
   quote, pending, searchable, terms)
select uid, session_id, position, tenant, message_id, author, actor_id, actor_name, contact_id,
  anchor, content, created_at, coalesce(%(arrived_at)s, now()), from_me, mentions_agent,
  replies_to_agent, forwarded, is_owner, nullif(quote, 'null'::jsonb),
  awaits_turn and not %(history)s, searchable,
  coalesce(count_terms(searchable), 0)
from vectors order by place
on conflict do nothing
returning uid, seq
"""

_CLAIM = """
with target as (
  select session_id, seq, actor_id from messages
  where uid = %(uid)s and (pending or turn_id = %(turn)s)
), turn as (
  insert into turns (turn_id, session_id, tenant, state)
  select %(turn)s, session_id, %(tenant)s, 'running' from target
  on conflict (turn_id) do nothing
)
update messages m set pending = false, turn_id = %(turn)s
from target t
where m.session_id = t.session_id and m.actor_id = t.actor_id
  and (m.pending or m.turn_id = %(turn)s)
returning m.uid
"""


def fingerprint(text: str) -> str:
    """Return the key by which an echo is matched to what was sent: a hash of its bare words."""
    return sha256(" ".join(text.split()).casefold().encode("utf-8", "replace")).hexdigest()


class PostgresLedger:
    """`memory.ports.Ledger` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def record(
        self,
        messages: Sequence[Message],
        *,
        history: bool = False,
        arrived_at: datetime | None = None,
    ) -> list[Recorded]:
        """Store messages, each once."""
        if not messages:
            return []
        uids = [m.uid for m in messages]
        async with self._pool.connection() as connection:
            async with connection.transaction():
                new = await _insert(connection, messages, history=history, arrived_at=arrived_at)
                known = await _sequence(connection, [uid for uid in uids if uid not in new])
                await apply_waiting(connection, uids)
                if any(m.quote for m in messages):
                    await correct_quotes(connection, list(new))
            # Once more for a change that began to wait while the rows were not to be seen yet.
            if await is_waited_for(connection, uids):
                async with connection.transaction():
                    await apply_waiting(connection, uids)
        return [
            Recorded(m.uid, new.get(m.uid) or known[m.uid], is_new=m.uid in new) for m in messages
        ]

    async def claim(self, turn_id: str, message: Message) -> list[StoredMessage]:
        """Claim a message and its sender's other pending ones for a turn."""
        keys = {"turn": turn_id, "uid": message.uid, "tenant": message.chat.tenant}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CLAIM, keys)
            uids = [str(row["uid"]) for row in await cursor.fetchall()]
        return await self.messages(message.chat.tenant, uids)

    async def pending(self, chat: ChatRef, limit: int | None = None) -> list[StoredMessage]:
        """Return what waits for a turn in a chat, in order of arrival."""
        query = f"""
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where s.thread_id = %s and m.pending order by m.seq limit %s"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [chat.thread_id, limit])
            return [stored_message(row) for row in await cursor.fetchall()]

    async def claim_also(self, turn_id: str, uids: Sequence[str]) -> list[StoredMessage]:
        """Claim more pending messages for a running turn."""
        query = f"""
            with claimed as (
              update messages set pending = false, turn_id = %(turn)s
              where uid = any(%(uids)s::uuid[]) and (pending or turn_id = %(turn)s)
              returning *
            )
            select {MESSAGE_COLUMNS} from claimed m join sessions s using (session_id)
            order by m.seq"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), {"turn": turn_id, "uids": list(uids)})
            return [stored_message(row) for row in await cursor.fetchall()]

    async def withhold(self, tenant: str, uids: Sequence[str]) -> None:
        """Take messages out of the lexical index."""
        async with self._pool.connection() as connection:
            await connection.execute(
                "update messages set searchable = null, terms = 0"
                " where tenant = %s and uid = any(%s::uuid[])",
                [tenant, list(uids)],
            )

    async def since(self, chat: ChatRef, seq: int, limit: int) -> list[StoredMessage]:
        """Return the newest messages after `seq`, oldest first."""
        query = f"""
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where s.thread_id = %s and m.seq > %s order by m.position desc limit %s"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [chat.thread_id, seq, limit])
            rows = await cursor.fetchall()
        return [stored_message(row) for row in reversed(rows)]

    async def page(
        self, tenant: str, contact_id: str, before: int | None, limit: int
    ) -> list[StoredMessage]:
        """Return the newest messages of a contact's direct chats before a place, oldest first."""
        query = f"""
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where s.tenant = %(tenant)s and s.contact_id = %(contact)s and not s.is_group
              and (%(before)s::bigint is null or m.seq < %(before)s)
            order by m.seq desc limit %(limit)s"""
        keys = {"tenant": tenant, "contact": contact_id, "before": before, "limit": limit}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            return [stored_message(row) for row in reversed(await cursor.fetchall())]

    async def messages(
        self, tenant: str, uids: Sequence[str], around: int = 0
    ) -> list[StoredMessage]:
        """Return messages by uid, with neighbours, in chat order."""
        if not uids:
            return []
        query = f"""
            select distinct on (m.session_id, m.position) {MESSAGE_COLUMNS}
            from messages hit
            join messages m on m.session_id = hit.session_id
              and m.position between hit.position - %(around)s and hit.position + %(around)s
            join sessions s on s.session_id = m.session_id
            where hit.uid = any(%(uids)s::uuid[]) and hit.tenant = %(tenant)s
            order by m.session_id, m.position"""
        keys = {"uids": list(uids), "tenant": tenant, "around": around}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            rows = await cursor.fetchall()
        return [stored_message(row) for row in rows]

    async def quoted(self, chat: ChatRef, message_id: str, before: int) -> list[StoredMessage]:
        """Return a quoted message and the lines before it."""
        query = f"""
            select {MESSAGE_COLUMNS} from messages q
            join messages m on m.session_id = q.session_id
              and m.position between q.position - %(before)s and q.position
            join sessions s on s.session_id = q.session_id
            where s.thread_id = %(thread)s and (q.message_id = %(id)s or q.uid =
              (select reply_uid from outbox
               where session_id = s.session_id and sent_message_id = %(id)s limit 1))
            order by m.position"""
        keys = {"thread": chat.thread_id, "id": storable(message_id), "before": before}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            rows = await cursor.fetchall()
        return [stored_message(row) for row in rows]

    async def finish(
        self,
        turn_id: str,
        reply: Message | None,
        receipt: Receipt | None,
        parts: Sequence[str] = (),
    ) -> None:
        """End a turn, once."""
        async with self._pool.connection() as connection, connection.transaction():
            cursor = await connection.execute(
                "update turns set state = 'done', reason = '', ended_at = now()"
                " where turn_id = %s and state <> 'done' returning turn_id",
                [turn_id],
            )
            if await cursor.fetchone() is None:
                return
            if reply is not None:
                await _insert(connection, [reply], history=True)
                await _tag(connection, reply.uid, turn_id)
                for part, text in enumerate(parts):
                    await _enqueue(connection, turn_id, reply, part, text)
            if receipt is not None:
                await _file(connection, receipt)


async def _insert(
    connection: AsyncConnection[DictRow],
    messages: Sequence[Message],
    *,
    history: bool,
    arrived_at: datetime | None = None,
) -> dict[str, int]:
    rows = [
        message_json(message)
        | {
            "place": place,
            "indexed": searchable(storable(message.text)) if message.actor is Actor.CONTACT else "",
        }
        for place, message in enumerate({m.uid: m for m in messages}.values())
    ]
    parameters = {"messages": Jsonb(rows), "history": history, "arrived_at": arrived_at}
    await connection.execute(_SESSIONS, parameters)
    cursor = await connection.execute(_MESSAGES, parameters)
    return {str(row["uid"]): row["seq"] for row in await cursor.fetchall()}


async def _sequence(connection: AsyncConnection[DictRow], uids: Sequence[str]) -> dict[str, int]:
    if not uids:
        return {}
    cursor = await connection.execute(
        "select uid, seq from messages where uid = any(%s::uuid[])", [list(uids)]
    )
    return {str(row["uid"]): row["seq"] for row in await cursor.fetchall()}


async def _tag(connection: AsyncConnection[DictRow], uid: str, turn_id: str) -> None:
    await connection.execute("update messages set turn_id = %s where uid = %s", [turn_id, uid])


async def _enqueue(
    connection: AsyncConnection[DictRow], turn_id: str, reply: Message, part: int, text: str
) -> None:
    await connection.execute(
        """
        insert into outbox
          (turn_id, part, session_id, tenant, channel, reply_uid, reply_to, body, fingerprint,
           status, created_at)
        select %(turn)s, %(part)s, session_id, tenant, channel, %(uid)s, %(reply_to)s, %(body)s,
          %(print)s, 'queued', %(created_at)s
        from sessions where thread_id = %(thread)s
        on conflict (turn_id, part) do nothing""",
        {
            "turn": turn_id,
            "part": part,
            "uid": reply.uid,
            # Only the first part of a long reply quotes what it answers.
            "reply_to": reply.quote.message_id if reply.quote and part == 0 else "",
            "body": storable(text),
            "print": fingerprint(storable(text)),
            "thread": reply.chat.thread_id,
            "created_at": reply.sent_at,
        },
    )


async def _file(connection: AsyncConnection[DictRow], receipt: Receipt) -> None:
    recalled = [
        {"kind": r.kind, "item_id": r.item_id, "score": r.score, "parts": dict(r.parts)}
        for r in receipt.recalled
    ]
    await connection.execute(
        """
        insert into receipts
          (turn_id, session_id, tenant, reply_uid, query, recalled, nodes, model, created_at)
        select turn_id, session_id, tenant, %s, %s, %s, %s, %s, %s from turns where turn_id = %s
        on conflict (turn_id) do nothing""",
        [
            receipt.reply_uid,
            storable(receipt.query),
            Jsonb(recalled),
            list(receipt.nodes),
            receipt.model,
            receipt.created_at,
            receipt.turn_id,
        ],
    )
