"""A world's ledger seen from the side: plain SQL, past every line of the product."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from psycopg import AsyncConnection
from psycopg.rows import dict_row

from evals.loops.scoring import Reply, Row
from memory.domain.chats import ChatRef
from memory.postgres.jobs import TASK, queue_of
from memory.postgres.pool import connect_kwargs

_ROWS = """
    select s.account, s.chat_id, m.message_id, m.author, m.turn_id::text as turn_id
    from messages m join sessions s using (session_id) where s.tenant = %s order by m.seq"""
_REPLIES = """
    select s.account, s.chat_id, o.turn_id::text as turn_id, o.part, o.body as text,
      o.sent_message_id as sent_id
    from outbox o join sessions s using (session_id) where s.tenant = %s order by o.delivery_id"""
# A chat that was merged into another, or moved to another id, was a thread of its own before.
_CHATS = """
    select channel, account, chat_id, topic from sessions where tenant = %(tenant)s
    union select s.channel, s.account, i.alias, s.topic from sessions s
      join identities i on i.tenant = s.tenant and i.channel = s.channel
        and i.canonical = s.chat_id where s.tenant = %(tenant)s
    union select s.channel, s.account, m.chat_id, s.topic from sessions s
      join moved_chats m on m.tenant = s.tenant and m.channel = s.channel
        and m.account = s.account and m.new_chat_id = s.chat_id where s.tenant = %(tenant)s"""
# In one statement, so that nothing slips from one heading to the next between two looks.
_OPEN = """
    select account, what, count(*) as count, sum(tries) as tries from (
      select s.account, 'messages without a turn' as what, 0 as tries
      from messages m join sessions s using (session_id)
      where m.tenant = %(tenant)s and m.pending
      union all
      select s.account, 'turns under way', 0 from turns t join sessions s using (session_id)
      where t.tenant = %(tenant)s and t.state = 'running'
      union all
      select s.account, 'replies not sent', o.attempts
      from outbox o join sessions s using (session_id)
      where o.tenant = %(tenant)s and o.status in ('queued', 'sending')
      union all
      select j.args->>'account', 'jobs', coalesce((j.args->>'failures')::integer, 0)
      from procrastinate_jobs j
      where j.queue_name = %(queue)s and j.task_name = %(task)s and j.status in ('todo', 'doing')
      union all
      select account, 'chats to be moved', 0 from moved_chats
      where tenant = %(tenant)s and moved_at is null
      union all
      select s.account, 'chats to be merged', 0 from sessions s
      join identities i on i.tenant = s.tenant and i.channel = s.channel and i.alias = s.chat_id
      where s.tenant = %(tenant)s
    ) open_work group by account, what order by account, what"""


@dataclass(frozen=True, slots=True)
class OpenWork:
    """What is still to be done for an account: how many of what, after how many tries in all."""

    account: str
    what: str
    count: int
    tries: int


class LedgerView:
    """One connection to a world's database; an async context manager."""

    def __init__(self, database_url: str, tenant: str) -> None:
        self._url = database_url
        self._tenant = tenant
        self._connection: AsyncConnection[dict[str, Any]] | None = None

    async def __aenter__(self) -> Self:
        """Connect."""
        options = connect_kwargs() | {"row_factory": dict_row}
        self._connection = await AsyncConnection.connect(self._url, **options)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Disconnect."""
        if self._connection is not None:
            await self._connection.close()

    async def open_work(self) -> list[OpenWork]:
        """Return what the product has still to do, upkeep aside; empty when it is at rest."""
        keys = {"tenant": self._tenant, "queue": queue_of(self._tenant), "task": TASK}
        return [OpenWork(**row) for row in await self._ask(_OPEN, keys)]

    async def rows(self) -> list[Row]:
        """Return every message, in the order of arrival, under the chat that it was said in."""
        return [_original(Row(**row)) for row in await self._ask(_ROWS, [self._tenant])]

    async def replies(self) -> list[Reply]:
        """Return every reply that was to be sent, part by part, oldest first."""
        return [Reply(**row) for row in await self._ask(_REPLIES, [self._tenant])]

    async def threads(self) -> dict[str, str]:
        """Return the account of every LangGraph thread that there is, or was."""
        chats = await self._ask(_CHATS, {"tenant": self._tenant})
        return {ChatRef(self._tenant, **row).thread_id: row["account"] for row in chats}

    async def _ask(self, query: str, parameters: Any) -> list[dict[str, Any]]:
        assert self._connection is not None  # noqa: S101 entered before it is asked
        cursor = await self._connection.execute(query.encode(), parameters)
        return await cursor.fetchall()


def _original(row: Row) -> Row:
    """Undo what a group's move to a new id does to ids that are unique in a chat only."""
    chat, slash, message_id = row.message_id.rpartition("/")
    return replace(row, chat_id=chat, message_id=message_id) if slash else row
