"""Turns on Postgres: what waits, what runs, what failed, and what replies were based on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.chats import ChatRef, StoredMessage
from memory.domain.recalls import Filed, Recalled, Receipt, use_from_json
from memory.domain.work import Turn, TurnState, Waiting
from memory.ports.ledger import Turns
from memory.postgres.checkpoints import THREADS_OF
from memory.postgres.pool import Pool
from memory.postgres.rows import MESSAGE_COLUMNS, MOST_COUNTED, chat_of, storable, stored_message

_TURNS = (
    "select t.turn_id, t.state, t.reason, t.started_at,"
    " s.tenant, s.channel, s.account, s.chat_id, s.topic"
    " from turns t join sessions s using (session_id) "
)


def _turn(row: DictRow) -> Turn:
    turn_id = str(row["turn_id"])
    return Turn(turn_id, chat_of(row), row["state"], row["reason"], row["started_at"])


class PostgresTurns(Turns):
    """`Turns` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def waiting(self, chat: ChatRef, limit: int) -> list[Waiting]:
        query = f"""
            with senders as (
              select m.session_id, max(m.seq) as seq, min(m.seq) as first_seq,
                min(m.recorded_at) as first_at, max(m.recorded_at) as last_at,
                bool_or(m.is_command and (m.author = 'owner' or m.is_owner)) as is_command
              from messages m join sessions s using (session_id)
              where s.thread_id = %s and s.tenant = %s and m.pending
              group by m.session_id, m.actor_id order by first_seq limit %s
            )
            select {MESSAGE_COLUMNS}, w.first_at, w.last_at, w.is_command
            from senders w join messages m using (seq)
            join sessions s on s.session_id = m.session_id order by w.first_seq"""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), [chat.thread_id, chat.tenant, limit])
            return [
                Waiting(
                    stored_message(row).message,
                    row["first_at"],
                    row["last_at"],
                    row["is_command"],
                )
                for row in await cursor.fetchall()
            ]

    @override
    async def count_pending(self, tenants: Sequence[str]) -> int:
        return await self._count("messages where tenant = any(%(tenants)s) and pending", tenants)

    @override
    async def count_failed(self, tenants: Sequence[str]) -> int:
        failed = "turns where tenant = any(%(tenants)s) and state = 'failed'"
        return await self._count(failed, tenants)

    async def _count(self, what: str, tenants: Sequence[str]) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                f"select count(*) as n from (select from {what} limit %(most)s) first".encode(),
                {"tenants": list(tenants), "most": MOST_COUNTED},
            )
            row = await cursor.fetchone()
            return int(row["n"]) if row else 0

    @override
    async def failed(self, tenants: Sequence[str], turn_id: str) -> Turn | None:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                _TURNS + "where t.tenant = any(%s) and t.turn_id = %s and t.state = 'failed'",
                [list(tenants), turn_id],
            )
            row = await cursor.fetchone()
            return _turn(row) if row else None

    @override
    async def in_state(
        self, tenant: str, state: TurnState, *, after: str = "", limit: int | None = None
    ) -> list[Turn]:
        beyond = (
            " and (t.started_at, t.turn_id) > (select a.started_at, a.turn_id from turns a"
            " where a.tenant = %(tenant)s and a.turn_id = %(after)s::uuid)"
            if after
            else ""
        )
        query = (
            f"{_TURNS}where t.tenant = %(tenant)s and t.state = %(state)s{beyond}"
            " order by t.started_at, t.turn_id limit %(limit)s"
        )
        keys = {"tenant": tenant, "state": state, "after": after, "limit": limit}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            return [_turn(row) for row in await cursor.fetchall()]

    @override
    async def fail(self, tenant: str, turn_id: str, reason: str) -> bool:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "update turns set state = 'failed', reason = %s, ended_at = now()"
                " where turn_id = %s and tenant = %s and state <> 'done'",
                [storable(reason), turn_id, tenant],
            )
            return bool(cursor.rowcount)

    @override
    async def release(self, tenant: str, turn_id: str) -> list[StoredMessage]:
        query = f"""
            with failed as (
              delete from turns
              where turn_id = %(turn)s and tenant = %(tenant)s and state = 'failed'
              returning turn_id
            ), released as (
              update messages set pending = true, turn_id = null
              where tenant = %(tenant)s and author in ('contact', 'owner')
                and turn_id in (select turn_id from failed)
              returning uid
            )
            select {MESSAGE_COLUMNS} from messages m join sessions s using (session_id)
            where m.uid in (select uid from released) order by m.seq"""
        async with self._pool.connection() as connection:
            keys = {"turn": turn_id, "tenant": tenant}
            cursor = await connection.execute(query.encode(), keys)
            return [stored_message(row) for row in await cursor.fetchall()]

    @override
    async def receipts(self, chat: ChatRef, limit: int) -> list[Receipt]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select r.* from receipts r join sessions s using (session_id)"
                " where s.thread_id = %s and s.tenant = %s order by r.created_at desc limit %s",
                [chat.thread_id, chat.tenant, limit],
            )
            return [_receipt(row) for row in await cursor.fetchall()]

    @override
    async def filed(
        self, tenant: str, limit: int, *, chat: str = "", turn_id: str = ""
    ) -> list[Filed]:
        channel, account, chat_id = chat.split("/", 2) if chat else ("", "", "")
        of_chat = "and (s.channel, s.account, s.chat_id) = (%(channel)s, %(account)s, %(chat_id)s)"
        query = f"""
            select r.*, s.channel, s.account, s.chat_id, s.topic,
              coalesce(m.contact_id, s.contact_id) as contact_id
            from receipts r
            join sessions s on s.session_id = r.session_id and s.tenant = r.tenant
            left join messages m on m.uid = r.reply_uid and m.tenant = r.tenant
            where r.tenant = %(tenant)s
              {of_chat if chat else ""} {"and r.turn_id = %(turn)s" if turn_id else ""}
            order by r.created_at desc limit %(limit)s"""
        given = {
            "tenant": tenant,
            "turn": turn_id,
            "channel": channel,
            "account": account,
            "chat_id": chat_id,
            "limit": limit,
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), given)
            return [
                Filed(_receipt(row), chat_of(row), row["contact_id"])
                for row in await cursor.fetchall()
            ]

    @override
    async def chats(self, tenant: str, channel: str, account: str) -> list[ChatRef]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select s.tenant, s.channel, s.account, s.chat_id, s.topic from sessions s"
                " where s.tenant = %s and s.channel = %s and s.account = %s order by"
                " (select m.seq from messages m where m.session_id = s.session_id"
                " order by m.position desc limit 1) desc nulls last",
                [tenant, channel, account],
            )
            return [chat_of(row) for row in await cursor.fetchall()]

    @override
    async def prunable(
        self, tenant: str, *, idle_since: datetime, quiet_since: datetime, many: int, limit: int
    ) -> list[str]:
        # Whether a thread has so many is asked of the index, one thread at a time: counting would
        # read every checkpoint there is.
        query = f"""
            with unpruned as materialized (
              select thread_id, coalesce((
                select m.recorded_at from messages m where m.session_id = t.session_id
                order by m.position desc limit 1), t.started_at) as heard_at
              from (select s.session_id, s.started_at, {THREADS_OF} as thread_id
                from sessions s where s.tenant = %(tenant)s) t
              where exists (select from checkpoints c where c.thread_id = t.thread_id offset 1)
            )
            select thread_id from unpruned u
            where heard_at < %(idle)s or (heard_at < %(quiet)s and exists (
              select from checkpoints c where c.thread_id = u.thread_id offset %(many)s))
            order by heard_at limit %(limit)s"""
        keys = {
            "tenant": tenant,
            "many": many,
            "quiet": quiet_since,
            "idle": idle_since,
            "limit": limit,
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            return [str(row["thread_id"]) for row in await cursor.fetchall()]


def _receipt(row: DictRow) -> Receipt:
    return Receipt(
        turn_id=str(row["turn_id"]),
        reply_uid=str(row["reply_uid"]),
        query=row["query"],
        recalled=tuple(Recalled(**entry) for entry in row["recalled"]),
        nodes=tuple(row["nodes"]),
        model=row["model"],
        created_at=row["created_at"],
        missing=tuple(row["missing"]),
        use=use_from_json(row["used"]) if row["used"] else None,
    )
