"""Turns on Postgres: what waits, what runs, what failed, and what replies were based on."""

from __future__ import annotations

from collections.abc import Sequence

from memory.domain import ChatRef, Recalled, Receipt, StoredMessage, Turn, TurnState
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, chat_of, storable, stored_message


class PostgresTurns:
    """`memory.ports.Turns` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def waiting(self, tenant: str, channel: str, limit: int) -> list[StoredMessage]:
        """Return the oldest unclaimed message of each chat of a channel, oldest first."""
        query = f"""
            select * from (
              select distinct on (m.session_id) {MESSAGE_COLUMNS}
              from messages m join sessions s using (session_id)
              where m.tenant = %s and m.pending and s.channel = %s order by m.session_id, m.seq
            ) oldest order by seq limit %s"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [tenant, channel, limit])
            return [stored_message(row) for row in await cursor.fetchall()]

    async def chats_of_threads(
        self, tenant: str, channel: str, thread_ids: Sequence[str]
    ) -> list[ChatRef]:
        """Return the chats of a channel that these threads belong to."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select tenant, channel, account, chat_id, topic from sessions"
                " where tenant = %s and channel = %s and thread_id::text = any(%s)",
                [tenant, channel, list(thread_ids)],
            )
            return [chat_of(row) for row in await cursor.fetchall()]

    async def count_pending(self, tenant: str) -> int:
        """Return how many messages wait for a turn."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select count(*) as n from messages where tenant = %s and pending", [tenant]
            )
            row = await cursor.fetchone()
            return int(row["n"]) if row else 0

    async def in_state(self, tenant: str, state: TurnState) -> list[Turn]:
        """Return turns in a state, oldest first."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select t.turn_id, t.state, t.reason, t.started_at,"
                " s.tenant, s.channel, s.account, s.chat_id, s.topic"
                " from turns t join sessions s using (session_id)"
                " where t.tenant = %s and t.state = %s order by t.started_at",
                [tenant, state],
            )
            return [
                Turn(
                    str(row["turn_id"]),
                    chat_of(row),
                    row["state"],
                    row["reason"],
                    row["started_at"],
                )
                for row in await cursor.fetchall()
            ]

    async def fail(self, turn_id: str, reason: str) -> None:
        """Mark a turn failed; one that ended stays as it is."""
        async with self._pool.connection() as connection:
            await connection.execute(
                "update turns set state = 'failed', reason = %s, ended_at = now()"
                " where turn_id = %s and state <> 'done'",
                [storable(reason), turn_id],
            )

    async def release(self, turn_id: str) -> list[StoredMessage]:
        """Give a failed turn's messages back; empty when the turn did not fail."""
        query = f"""
            with failed as (
              delete from turns where turn_id = %(turn)s and state = 'failed' returning turn_id
            ), released as (
              update messages set pending = true, turn_id = null
              where turn_id in (select turn_id from failed) and author in ('contact', 'owner')
              returning uid
            )
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where m.uid in (select uid from released) order by m.seq"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), {"turn": turn_id})
            return [stored_message(row) for row in await cursor.fetchall()]

    async def receipts(self, chat: ChatRef, limit: int) -> list[Receipt]:
        """Return the chat's latest receipts, newest first."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select r.* from receipts r join sessions s using (session_id)"
                " where s.thread_id = %s order by r.created_at desc limit %s",
                [chat.thread_id, limit],
            )
            return [
                Receipt(
                    turn_id=str(row["turn_id"]),
                    reply_uid=str(row["reply_uid"]),
                    query=row["query"],
                    recalled=tuple(Recalled(**entry) for entry in row["recalled"]),
                    nodes=tuple(row["nodes"]),
                    model=row["model"],
                    created_at=row["created_at"],
                )
                for row in await cursor.fetchall()
            ]

    async def chats(self, tenant: str, channel: str, account: str) -> list[ChatRef]:
        """Return the chats of a channel account, the one with the newest message first."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select s.tenant, s.channel, s.account, s.chat_id, s.topic from sessions s"
                " where s.tenant = %s and s.channel = %s and s.account = %s order by"
                " (select m.seq from messages m where m.session_id = s.session_id"
                " order by m.position desc limit 1) desc nulls last",
                [tenant, channel, account],
            )
            return [chat_of(row) for row in await cursor.fetchall()]
