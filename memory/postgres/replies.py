"""Answers that are given again, on Postgres."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.chats import Message
from memory.domain.recalls import Receipt
from memory.domain.work import Claim
from memory.ports.replies import Replies
from memory.postgres.ledger import receipt_json
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, message_json, stored_message

_CLAIM = f"""
with target as (
  select session_id, actor_id from messages
  where uid = %(uid)s and tenant = %(tenant)s and turn_id = %(replaced)s and author = 'contact'
), turn as (
  insert into turns (turn_id, session_id, tenant, state)
  select %(turn)s, session_id, %(tenant)s, 'running' from target
  on conflict (turn_id) do nothing
), said as (
  select m.* from messages m, target t
  where m.session_id = t.session_id and m.turn_id = %(replaced)s and m.actor_id = t.actor_id
    and m.author = 'contact' and not m.is_command
), lines as (
  select m.* from messages m, target t
  where m.session_id = t.session_id and m.seq > %(after)s and not m.withheld
    and m.author <> 'system' and m.seq not in (select seq from said)
  order by m.position desc limit %(window)s
)
select {MESSAGE_COLUMNS}, true as is_said from said m join sessions s using (session_id)
union all
select {MESSAGE_COLUMNS}, false from lines m join sessions s using (session_id)
order by position
"""

_REPLACE = """
select replace_answer(%(turn)s, %(tenant)s, %(replaced)s, %(reply)s, %(receipt)s) as is_replaced
"""

_BEFORE = """
select uid::text as uid, array_agg(text_before order by number) as texts from revisions
where tenant = %s and uid = any(%s::uuid[]) group by uid
"""


class PostgresReplies(Replies):
    """`Replies` on the ledger's own rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def claim(
        self, turn_id: str, message: Message, replaced: str, *, after: int = 0, window: int = 0
    ) -> Claim:
        keys = {
            "turn": turn_id,
            "uid": message.uid,
            "tenant": message.chat.tenant,
            "replaced": replaced,
            "after": after,
            "window": window,
        }
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(_CLAIM.encode(), keys)).fetchall()
        said = tuple(stored_message(row) for row in rows if row["is_said"])
        lines = [
            stored
            for row in rows
            if (stored := stored_message(row)) and not (row["is_said"] and stored.withheld)
        ]
        return Claim(said=said, window=tuple(lines[-window:]) if window else ())

    @override
    async def replace(
        self, tenant: str, turn_id: str, replaced: str, reply: Message, receipt: Receipt
    ) -> bool:
        keys = {
            "turn": turn_id,
            "tenant": tenant,
            "replaced": replaced,
            "reply": Jsonb(message_json(reply)),
            "receipt": Jsonb(receipt_json(receipt)),
        }
        async with self._pool.connection() as connection:
            row = await (await connection.execute(_REPLACE, keys)).fetchone()
        return bool(row and row["is_replaced"])

    @override
    async def before(self, tenant: str, uids: Sequence[str]) -> dict[str, list[str]]:
        if not uids:
            return {}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_BEFORE, [tenant, list(uids)])
            return {row["uid"]: row["texts"] for row in await cursor.fetchall()}
