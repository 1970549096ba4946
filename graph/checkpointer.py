"""LangGraph's Postgres checkpointer, with what it lacks for the Agent Server and for resuming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

# A thread is unfinished when its newest checkpoint is a bare input or has a branch or join to take.
# Nothing marks the newest one, so that each thread is looked up by itself.
_UNFINISHED = """
select threads.thread_id from ({threads}) threads, lateral (
  select checkpoint, metadata from checkpoints c
  where c.thread_id = threads.thread_id and c.checkpoint_ns = ''
  order by c.checkpoint_id desc limit 1
) newest
where metadata->>'source' = 'input' or exists (
  select from jsonb_object_keys(checkpoint->'channel_values') as key
  where key like 'branch:to:%%' or key like 'join:%%' or key = '__pregel_tasks')
"""
_OF_CHATS = """
select thread_id::text from sessions
where tenant = any(%(tenants)s) and channel = any(%(channels)s)
"""


class RecollectSaver(AsyncPostgresSaver):
    """`AsyncPostgresSaver` that can also delete by run and list unfinished threads."""

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete what these runs wrote; without it a rolled-back run wedges its thread."""
        runs = [str(run_id) for run_id in run_ids]
        async with self._cursor() as cursor:
            await cursor.execute(
                "delete from checkpoint_writes w using checkpoints c"
                " where w.thread_id = c.thread_id and w.checkpoint_ns = c.checkpoint_ns"
                " and w.checkpoint_id = c.checkpoint_id and c.metadata->>'run_id' = any(%s)",
                [runs],
            )
            await cursor.execute(
                "delete from checkpoints where metadata->>'run_id' = any(%s)", [runs]
            )

    async def unfinished_threads(
        self, tenants: Sequence[str], channels: Sequence[str]
    ) -> list[str]:
        """Return the ids of the tenants' chats whose last run did not reach its end."""
        keys = {"tenants": list(tenants), "channels": list(channels)}
        return await self._unfinished(_OF_CHATS, keys)

    async def is_unfinished(self, thread_id: str) -> bool:
        """Tell whether a thread's last run did not reach its end."""
        keys = {"thread": thread_id}
        return bool(await self._unfinished("select %(thread)s::text as thread_id", keys))

    async def _unfinished(self, threads: str, keys: Mapping[str, object]) -> list[str]:
        async with self._cursor() as cursor:
            await cursor.execute(_UNFINISHED.format(threads=threads).encode(), keys)
            return [str(row["thread_id"]) for row in await cursor.fetchall()]
