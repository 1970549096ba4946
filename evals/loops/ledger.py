"""A world's ledger seen from the side: plain SQL, past every line of the product."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from psycopg import AsyncConnection
from psycopg.rows import dict_row

from evals.loops.scoring import Reply, Row
from memory.postgres.pool import connect_kwargs

_ROWS = """
    select s.account, s.chat_id, m.message_id, m.author, m.turn_id::text as turn_id
    from messages m join sessions s using (session_id) where s.tenant = %s order by m.seq"""
_REPLIES = """
    select s.account, s.chat_id, o.turn_id::text as turn_id, o.part, o.body as text,
      o.sent_message_id as sent_id
    from outbox o join sessions s using (session_id) where s.tenant = %s order by o.delivery_id"""
_THREADS = "select thread_id::text as thread_id, account from sessions where tenant = %s"
_PENDING = "select count(*) as n from messages where tenant = %s and pending"
_BUSY = """
    select (select count(*) from turns where tenant = %(tenant)s and state = 'running')
      + (select count(*) from outbox where tenant = %(tenant)s
         and status in ('queued', 'sending')) as n"""
_JOBS_TABLE = "select to_regclass('procrastinate_jobs') is not null as there"
# A job for much later (a nightly one) is nothing to wait for.
_JOBS = """
    select count(*) as n from procrastinate_jobs
    where status::text in ('todo', 'doing')
      and (scheduled_at is null or scheduled_at < now() + interval '30 seconds')"""


class LedgerView:
    """One connection to a world's database; an async context manager."""

    def __init__(self, database_url: str, tenant: str) -> None:
        self._url = database_url
        self._tenant = tenant
        self._connection: AsyncConnection[dict[str, Any]] | None = None
        self._has_jobs = False

    async def __aenter__(self) -> Self:
        """Connect."""
        options = connect_kwargs() | {"row_factory": dict_row}
        self._connection = await AsyncConnection.connect(self._url, **options)
        (row,) = await self._ask(_JOBS_TABLE, None)
        self._has_jobs = bool(row["there"])
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

    async def pending(self) -> int:
        """Return how many messages no turn has claimed yet."""
        (row,) = await self._ask(_PENDING, [self._tenant])
        return int(row["n"])

    async def busy(self) -> int:
        """Return how many turns run, replies are to be sent and jobs to be done."""
        (row,) = await self._ask(_BUSY, {"tenant": self._tenant})
        jobs = (await self._ask(_JOBS, None))[0]["n"] if self._has_jobs else 0
        return int(row["n"]) + int(jobs)

    async def rows(self) -> list[Row]:
        """Return every message, in the order of arrival, under the chat that it was said in."""
        return [_original(Row(**row)) for row in await self._ask(_ROWS, [self._tenant])]

    async def replies(self) -> list[Reply]:
        """Return every reply that was to be sent, part by part, oldest first."""
        return [Reply(**row) for row in await self._ask(_REPLIES, [self._tenant])]

    async def threads(self) -> dict[str, str]:
        """Return the account of every LangGraph thread."""
        found = await self._ask(_THREADS, [self._tenant])
        return {row["thread_id"]: row["account"] for row in found}

    async def _ask(self, query: str, parameters: Any) -> list[dict[str, Any]]:
        assert self._connection is not None  # noqa: S101 entered before it is asked
        cursor = await self._connection.execute(query.encode(), parameters)
        return await cursor.fetchall()


def _original(row: Row) -> Row:
    """Undo what a group's move to a new id does to ids that are unique in a chat only."""
    chat, slash, message_id = row.message_id.rpartition("/")
    return replace(row, chat_id=chat, message_id=message_id) if slash else row
