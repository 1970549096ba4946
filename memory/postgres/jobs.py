"""Turn jobs on Postgres: one waiting job a chat, in procrastinate's table.

A job says only that a chat may have work; what the work is, the ledger says. So a job may be lost
or run twice: `orphans` finds chats without one, `rescue` frees those whose worker died. Jobs are
stored here rather than by the library, because a chat's job is moved forward when something more
urgent comes, and due times are counted by the database's clock alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import sha256

from psycopg.types.json import Jsonb
from typing_extensions import override

from memory.domain.chats import ChatRef
from memory.domain.work import JobCounts
from memory.ports.work import Jobs
from memory.postgres.locks import HELD
from memory.postgres.pool import Pool
from memory.postgres.rows import MOST_COUNTED, chat_of

TASK = "recollect.turns"
UPKEEP_TASK = "recollect.upkeep"
# `LISTEN procrastinate_queue_v1#<queue>` has to fit into the 63 bytes of a name.
_MAX_TENANT_BYTES = 32

_JOB = """
insert into procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args, scheduled_at)
select %(queue)s, %(task)s, %(lock)s, %(lock)s, %(args)s,
  now() + %(delay_s)s * interval '1 second'
where {condition}
on conflict (queueing_lock) where status = 'todo'
"""
_COUNTED = """(
  select count(*) from (
    select from procrastinate_jobs
    where queue_name = any(%(queues)s) and task_name = %(task)s and status = '{status}'
    limit %(most)s) first)"""
_COUNTS = (
    f"select {_COUNTED.format(status='todo')} as waiting,"
    f" {_COUNTED.format(status='doing')} as running"
)
_SCHEDULE = _JOB.format(condition="true")
_SOONER = """
do update set scheduled_at = excluded.scheduled_at
where procrastinate_jobs.scheduled_at > excluded.scheduled_at
"""
_INSTEAD = "do update set scheduled_at = excluded.scheduled_at, args = excluded.args"

# A job that is being worked on holds the advisory lock of its chat, as `ChatLocks` takes it.
_DEAD = f"""
j.status = 'doing' and j.queue_name = any(%(queues)s) and j.lock is not null
and not exists (
  select from procrastinate_events e where e.job_id = j.id and e.type = 'started'
    and e.at > now() - %(grace_s)s * interval '1 second')
and not {HELD.format(name="j.lock")}
"""
_IDLE = """
not exists (select from procrastinate_jobs j
  where j.lock = s.thread_id::text and j.status in ('todo', 'doing'))
"""


def queue_of(tenant: str) -> str:
    """Return the name of a tenant's queue of turns; a long tenant's name is hashed."""
    if len(tenant.encode("utf-8", "replace")) <= _MAX_TENANT_BYTES:
        return f"turns:{tenant}"
    return f"turns:{sha256(tenant.encode('utf-8', 'replace')).hexdigest()[:_MAX_TENANT_BYTES]}"


def job_where(condition: str) -> str:
    """Return a statement that schedules a chat's job, unless it is due sooner, on a condition."""
    return _JOB.format(condition=condition) + _SOONER


def job_keys(chat: ChatRef, delay_s: float, failures: int = 0) -> dict[str, object]:
    """Return the parameters of a statement that schedules a chat's job."""
    args = {
        "tenant": chat.tenant,
        "channel": chat.channel,
        "account": chat.account,
        "chat_id": chat.chat_id,
        "topic": chat.topic,
        "failures": failures,
    }
    return {
        "queue": queue_of(chat.tenant),
        "task": TASK,
        "lock": chat.thread_id,
        "args": Jsonb(args),
        "delay_s": max(delay_s, 0.0),
    }


def upkeep_lock_of(tenant: str) -> str:
    """Return the name of the lock under which one process at a time keeps a tenant's tables up."""
    return f"recollect.upkeep:{tenant}"


class PostgresJobs(Jobs):
    """`Jobs` on Postgres."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def schedule(self, chat: ChatRef, delay_s: float = 0.0) -> None:
        await self._store(_SCHEDULE + _SOONER, chat, delay_s, 0)

    @override
    async def postpone(self, chat: ChatRef, delay_s: float, failures: int) -> None:
        await self._store(_SCHEDULE + _INSTEAD, chat, delay_s, failures)

    async def _store(self, statement: str, chat: ChatRef, delay_s: float, failures: int) -> None:
        keys = job_keys(chat, delay_s, failures)
        async with self._pool.connection() as connection:
            await connection.execute(statement.encode(), keys)

    @override
    async def suspects(self, tenants: Sequence[str], grace_s: float) -> set[int]:
        query = f"select j.id from procrastinate_jobs j where {_DEAD}"
        keys = {"queues": [queue_of(tenant) for tenant in tenants], "grace_s": grace_s}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            return {int(row["id"]) for row in await cursor.fetchall()}

    @override
    async def rescue(self, tenants: Sequence[str], job_ids: Collection[int]) -> int:
        query = f"""
            delete from procrastinate_jobs j where j.id = any(%(ids)s) and {_DEAD}
            returning j.task_name, j.args"""
        queues = [queue_of(tenant) for tenant in tenants]
        keys = {"queues": queues, "grace_s": 0.0, "ids": list(job_ids)}
        async with self._pool.connection() as connection:
            cursor = await connection.execute(query.encode(), keys)
            dead = [row["args"] for row in await cursor.fetchall() if row["task_name"] == TASK]
        for args in dead:
            failures = int(args.pop("failures", 0))
            await self._store(_SCHEDULE + _SOONER, ChatRef(**args), 0.0, failures)
        return len(dead)

    @override
    async def orphans(
        self, tenants: Sequence[str], channels: Sequence[str], limit: int
    ) -> list[ChatRef]:
        query = f"""
            select distinct s.tenant, s.channel, s.account, s.chat_id, s.topic
            from messages m join sessions s using (session_id)
            where m.tenant = any(%s) and m.pending and s.channel = any(%s) and {_IDLE}
            limit %s"""
        async with self._pool.connection() as connection:
            parameters = [list(tenants), list(channels), limit]
            cursor = await connection.execute(query.encode(), parameters)
            return [chat_of(row) for row in await cursor.fetchall()]

    @override
    async def abandoned(
        self, tenants: Sequence[str], channels: Sequence[str], thread_ids: Sequence[str]
    ) -> list[ChatRef]:
        """Return those of the threads' chats that no job will look at.

        Left out are chats whose newest turn failed: those wait for the owner.
        """
        query = f"""
            select s.tenant, s.channel, s.account, s.chat_id, s.topic from sessions s
            where s.tenant = any(%s) and s.channel = any(%s) and s.thread_id = any(%s::uuid[])
              and {_IDLE}
              and (select t.state from turns t where t.session_id = s.session_id
                order by t.started_at desc limit 1) is distinct from 'failed'"""
        async with self._pool.connection() as connection:
            parameters = [list(tenants), list(channels), list(thread_ids)]
            cursor = await connection.execute(query.encode(), parameters)
            return [chat_of(row) for row in await cursor.fetchall()]

    @override
    async def counts(self, tenants: Sequence[str]) -> JobCounts:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                _COUNTS,
                {
                    "queues": [queue_of(tenant) for tenant in tenants],
                    "task": TASK,
                    "most": MOST_COUNTED,
                },
            )
            row = await cursor.fetchone()
        return JobCounts(row["waiting"], row["running"]) if row else JobCounts(0, 0)
