"""Moving a chat's rows, a person's and an anchor's to another id, on Postgres."""

from __future__ import annotations

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from typing_extensions import override

from memory.domain.chats import ChatRef
from memory.policy.ids import spellings_of
from memory.policy.rules import scopes_of
from memory.ports.changes import Moves
from memory.postgres.erasing import NAMED
from memory.postgres.pool import Pool
from memory.postgres.rows import chat_of, storable

# The target is made first, so that whoever stores in it meanwhile finds it, or waits.
_TARGET = """
insert into sessions
  (thread_id, tenant, channel, account, chat_id, topic, contact_id, is_group, started_at)
select %(new_thread)s, tenant, channel, account, %(new_chat)s, topic,
  case when contact_id = channel || ':' || %(old_chat)s then channel || ':' || %(new_chat)s
    else contact_id end,
  is_group, started_at
from sessions where tenant = %(tenant)s and thread_id = %(old_thread)s
on conflict (thread_id) do nothing
"""

# Where ids are unique within a chat only, the other chat has, or will have, the same ones again.
_KEEP_IDS_APART = """
update messages set message_id = %(old_chat)s || '/' || message_id
where tenant = %(tenant)s and session_id = %(old)s and %(apart)s
"""

_MERGE = """
update messages m set session_id = %(new)s, position = n.place
from (select seq, row_number() over (order by seq) as place from messages
      where tenant = %(tenant)s and session_id in (%(old)s, %(new)s)) n
where m.tenant = %(tenant)s and m.seq = n.seq and (m.session_id <> %(new)s or m.position <> n.place)
"""

_FOLLOW = """
with turns_moved as (
    update turns set session_id = %(new)s where tenant = %(tenant)s and session_id = %(old)s),
  receipts_moved as (
    update receipts set session_id = %(new)s where tenant = %(tenant)s and session_id = %(old)s),
  outbox_moved as (
    update outbox set session_id = %(new)s where tenant = %(tenant)s and session_id = %(old)s)
update sessions set started_at = least(started_at,
  (select started_at from sessions where tenant = %(tenant)s and session_id = %(old)s))
where tenant = %(tenant)s and session_id = %(new)s
"""

_CONTACT = """
update messages set contact_id = %(new)s,
  anchor = case when anchor = 'contact:' || %(old)s then 'contact:' || %(new)s else anchor end,
  actor_id = case when actor_id = %(alias)s then %(canonical)s else actor_id end
where tenant = %(tenant)s and contact_id = %(old)s
"""

_RULES_OF_CONTACT = """
update keeping_rules set contact_id = %(new)s where tenant = %(tenant)s and contact_id = %(old)s
"""

_IN_LIST = """
  || case when jsonb_typeof(rules -> '{name}') = 'array'
      and rules -> '{name}' ?| %(spellings)s::text[]
    then jsonb_build_object('{name}', (rules -> '{name}')
      - (%(spellings)s::text[] || %(canonical)s::text) || jsonb_build_array(%(canonical)s::text))
    else '{{}}' end"""
_LISTS = f"""
update policies set rules = rules
{_IN_LIST.format(name="blocked")}{_IN_LIST.format(name="allowed")}
where {NAMED}
"""

_RULES = (
    "update pauses set scope = %(new)s where tenant = %(tenant)s and scope = %(old)s",
    "update policies p set scope = %(new)s where tenant = %(tenant)s and scope = %(old)s"
    " and not exists (select from policies q where q.tenant = p.tenant and q.scope = %(new)s)",
    "update audit set thread_id = %(new_thread)s"
    " where tenant = %(tenant)s and thread_id = %(old_thread)s",
)


class PostgresMoves(Moves):
    """`Moves` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def announce(self, old: ChatRef, new: ChatRef) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "insert into moved_chats"
                " (thread_id, tenant, channel, account, chat_id, new_chat_id)"
                " values (%s, %s, %s, %s, %s, %s) on conflict do nothing",
                [old.thread_id, old.tenant, old.channel, old.account, old.chat_id, new.chat_id],
            )

    @override
    async def announced(self, tenant: str, limit: int) -> list[tuple[ChatRef, ChatRef]]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select tenant, channel, account, chat_id, new_chat_id from moved_chats"
                " where tenant = %s and moved_at is null order by announced_at limit %s",
                [tenant, limit],
            )
            rows = await cursor.fetchall()
        return [
            (
                chat_of({**row, "topic": ""}),
                chat_of({**row, "topic": "", "chat_id": row["new_chat_id"]}),
            )
            for row in rows
        ]

    @override
    async def done(self, old: ChatRef) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "update moved_chats set moved_at = now() where tenant = %s and thread_id = %s",
                [old.tenant, old.thread_id],
            )

    @override
    async def chats(
        self, tenant: str, channel: str, chat_id: str, account: str | None = None
    ) -> list[ChatRef]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select tenant, channel, account, chat_id, topic from sessions"
                " where tenant = %s and channel = %s and chat_id = %s"
                " and account = coalesce(%s, account) order by session_id",
                [tenant, channel, storable(chat_id), account],
            )
            return [chat_of(row) for row in await cursor.fetchall()]

    @override
    async def is_busy(self, chat: ChatRef) -> bool:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "select 1 from turns t join sessions s using (session_id)"
                " where s.tenant = %s and s.thread_id = %s and t.state = 'running' limit 1",
                [chat.tenant, chat.thread_id],
            )
            return await cursor.fetchone() is not None

    @override
    async def move(self, old: ChatRef, new: ChatRef) -> bool:
        async with self._pool.connection() as connection, connection.transaction():
            names = {
                "tenant": old.tenant,
                "old_chat": storable(old.chat_id),
                "new_chat": storable(new.chat_id),
                "old_thread": old.thread_id,
                "new_thread": new.thread_id,
            }
            await connection.execute(_TARGET, names)
            ids = await _locked(connection, old, new)
            # The old one may have been stored after the target was to be made: the next time.
            if len(ids) < 2:
                return False
            keys = {
                **names,
                "old": ids[old.thread_id],
                "new": ids[new.thread_id],
                "apart": old.channel != "waha",
            }
            await connection.execute(_KEEP_IDS_APART, keys)
            await connection.execute(_MERGE, keys)
            await connection.execute(_FOLLOW, keys)
            await connection.execute(
                "delete from sessions where tenant = %(tenant)s and session_id = %(old)s", keys
            )
            await _move_rules(connection, old, new)
            return True

    @override
    async def rename_contact(self, tenant: str, channel: str, alias: str, canonical: str) -> None:
        async with self._pool.connection() as connection, connection.transaction():
            keys = {
                "tenant": tenant,
                "channel": channel,
                "old": f"{channel}:{storable(alias)}",
                "new": f"{channel}:{storable(canonical)}",
                "alias": storable(alias),
                "canonical": storable(canonical),
                "spellings": sorted(spellings_of(channel, storable(alias))),
            }
            for statement in (_CONTACT, _RULES_OF_CONTACT, _LISTS):
                await connection.execute(statement, keys)

    @override
    async def rename_anchor(self, tenant: str, old: str, new: str) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(
                "update messages set anchor = %s where tenant = %s and anchor = %s",
                [storable(new), tenant, storable(old)],
            )


async def _move_rules(connection: AsyncConnection[DictRow], old: ChatRef, new: ChatRef) -> None:
    """Let pauses, audit and, unless the new chat has its own, the policy go with the chat."""
    keys = {
        "tenant": old.tenant,
        "old": scopes_of(old)[-1],
        "new": scopes_of(new)[-1],
        "old_thread": old.thread_id,
        "new_thread": new.thread_id,
    }
    for statement in _RULES:
        await connection.execute(statement, keys)


async def _locked(
    connection: AsyncConnection[DictRow], old: ChatRef, new: ChatRef
) -> dict[str, int]:
    """Lock both chats' rows, so that nothing is stored in them meanwhile; thread -> session."""
    cursor = await connection.execute(
        "select thread_id::text, session_id from sessions"
        " where tenant = %s and thread_id = any(%s::uuid[]) order by session_id for update",
        [old.tenant, [old.thread_id, new.thread_id]],
    )
    return {row["thread_id"]: row["session_id"] for row in await cursor.fetchall()}
