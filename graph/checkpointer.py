"""LangGraph's Postgres checkpointer, with what it lacks for the Agent Server and for resuming."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

# A thread is unfinished when its newest checkpoint is a bare input or has a branch or join to take.
_UNFINISHED = """
select thread_id from (
  select distinct on (thread_id) thread_id, checkpoint, metadata from checkpoints
  where checkpoint_ns = '' {scope} order by thread_id, checkpoint_id desc
) newest
where metadata->>'source' = 'input' or exists (
  select from jsonb_object_keys(checkpoint->'channel_values') as key
  where key like 'branch:to:%' or key like 'join:%' or key = '__pregel_tasks')
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

    async def unfinished_threads(self) -> list[str]:
        """Return the ids of the threads whose last run did not reach its end."""
        async with self._cursor() as cursor:
            await cursor.execute(_UNFINISHED.format(scope="").encode())
            return [str(row["thread_id"]) for row in await cursor.fetchall()]

    async def is_unfinished(self, thread_id: str) -> bool:
        """Tell whether a thread's last run did not reach its end."""
        scope = "and thread_id = %(thread)s"
        async with self._cursor() as cursor:
            query = _UNFINISHED.replace("%'", "%%'").format(scope=scope)
            await cursor.execute(query.encode(), {"thread": thread_id})
            return await cursor.fetchone() is not None
