"""LangGraph's Postgres checkpointer, with what it lacks for the Agent Server and for resuming.

The tables and their rows are LangGraph's: its own saver reads what this one wrote. A superstep's
writes and the checkpoint after it are one statement here, so that they take one round trip and
one commit where LangGraph's saver takes two, one chat after the other.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from json import dumps
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from memory.postgres.pool import Pool

LINGER_S = 0.01
"""How long what a task wrote waits for the checkpoint after it, to be stored with it."""

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

# Blobs come as base64 in JSON: the driver takes longer to write arrays.
_PUT_WRITES = """
insert into checkpoint_writes
  (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
select %(thread)s, %(ns)s, %(parent)s, w.task_id, w.task_path, w.idx, w.channel, w.type,
  decode(w.blob, 'base64')
from jsonb_to_recordset(%(writes)s::jsonb) w
  (task_id text, task_path text, idx integer, channel text, type text, blob text)
on conflict do nothing
"""
_PUT = f"""
with blobs as (
  insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
  select %(thread)s, %(ns)s, b.channel, b.version, b.type, decode(b.blob, 'base64')
  from jsonb_to_recordset(%(blobs)s::jsonb) b (channel text, version text, type text, blob text)
  on conflict do nothing
), writes as ({_PUT_WRITES})
insert into checkpoints
  (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
values (%(thread)s, %(ns)s, %(id)s, %(parent)s, %(checkpoint)s::jsonb, %(metadata)s::jsonb)
on conflict (thread_id, checkpoint_ns, checkpoint_id)
do update set checkpoint = excluded.checkpoint, metadata = excluded.metadata
"""
_BLOB = ("channel", "version", "type", "blob")
_WRITE = ("task_id", "task_path", "idx", "channel", "type", "blob")


class _Place(NamedTuple):
    """A checkpoint of a thread; `checkpoint_id` is None before a thread's first one."""

    thread_id: str
    checkpoint_ns: str
    checkpoint_id: str | None


@dataclass(frozen=True, slots=True, eq=False)
class _Writes:
    """What a task wrote, and what tells that it is stored."""

    rows: list[dict[str, Any]]  # Any: JSON objects
    stored: asyncio.Future[None] = field(default_factory=asyncio.Future)


class RecollectSaver(AsyncPostgresSaver):
    """`AsyncPostgresSaver` of few statements that can delete by run and list unfinished threads."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self._pool = pool
        self._lingering: dict[_Place, list[_Writes]] = {}

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, and with it what the tasks before it wrote."""
        parent = _place(config)
        inline, values = _split(checkpoint["channel_values"])
        versions = {name: new_versions[name] for name in values if name in new_versions}
        blobs = self._dump_blobs(parent.thread_id, parent.checkpoint_ns, values, versions)
        keys = {
            "id": checkpoint["id"],
            "checkpoint": dumps({**checkpoint, "channel_values": inline}),
            "metadata": dumps(get_serializable_checkpoint_metadata(config, metadata)),
            "blobs": dumps([_json(_BLOB, row[2:]) for row in blobs]),
        }
        await self._put(_PUT, parent, self._lingering.pop(parent, []), keys)
        return _config(parent._replace(checkpoint_id=checkpoint["id"]))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],  # Any: whatever a channel takes
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote: with the checkpoint after it, or alone when none comes soon."""
        place = _place(config)
        if any(channel in WRITES_IDX_MAP for channel, _ in writes):
            # Failures and interrupts, which overwrite each other: no checkpoint follows them.
            await super().aput_writes(config, writes, task_id, task_path)
            return
        thread_id, ns, checkpoint_id = (
            place.thread_id,
            place.checkpoint_ns,
            str(place.checkpoint_id),
        )
        rows = self._dump_writes(thread_id, ns, checkpoint_id, task_id, task_path, writes)
        mine = _Writes([_json(_WRITE, row[3:]) for row in rows])
        self._lingering.setdefault(place, []).append(mine)
        try:
            await asyncio.wait([mine.stored], timeout=LINGER_S)
        finally:
            lingers = self._taken(place, mine)
        if lingers:
            await self._put(_PUT_WRITES, place, [mine])
        await mine.stored

    def _taken(self, place: _Place, writes: _Writes) -> bool:
        """Take what a task wrote from what lingers at a place; tell whether it was still there."""
        left = self._lingering.get(place, [])
        if writes not in left:
            return False
        left.remove(writes)
        if not left:
            del self._lingering[place]
        return True

    async def _put(
        self,
        statement: str,
        place: _Place,
        writes: Sequence[_Writes],
        keys: Mapping[str, object] | None = None,
    ) -> None:
        """Run a statement that stores what tasks wrote at a place, and tell how that ended."""
        given = {
            "thread": place.thread_id,
            "ns": place.checkpoint_ns,
            "parent": place.checkpoint_id,
            "writes": dumps([row for each in writes for row in each.rows]),
            **(keys or {}),
        }
        try:
            async with self._pool.connection() as connection:
                await connection.execute(statement.encode(), given)
        except BaseException as error:
            for each in writes:
                if not each.stored.done():
                    each.stored.set_exception(error)
                    each.stored.exception()  # seen, even where nobody waits for it any more
            raise
        for each in writes:
            if not each.stored.done():
                each.stored.set_result(None)

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

    @asynccontextmanager
    async def _cursor(
        self, *, pipeline: bool = False
    ) -> AsyncIterator[Any]:  # Any: the cursor, a driver's type
        # Theirs lets one caller at a time in, which a single connection needs and a pool does not.
        async with self._pool.connection() as connection, AsyncExitStack() as stack:
            if pipeline:
                await stack.enter_async_context(connection.pipeline())
            yield await stack.enter_async_context(connection.cursor(binary=True))

    async def _load_checkpoint_tuple(self, value: dict[str, Any]) -> CheckpointTuple:
        # Theirs reads the writes in a thread, also where there are none.
        if value["pending_writes"]:
            return await super()._load_checkpoint_tuple(value)
        checkpoint: Checkpoint = value["checkpoint"]
        inline, blobs = checkpoint["channel_values"], self._load_blobs(value["channel_values"])
        place = _Place(value["thread_id"], value["checkpoint_ns"], value["checkpoint_id"])
        parent_id = value["parent_checkpoint_id"]
        return CheckpointTuple(
            _config(place),
            {**checkpoint, "channel_values": {**inline, **blobs}},
            value["metadata"],
            _config(place._replace(checkpoint_id=parent_id)) if parent_id else None,
            [],
        )


def _place(config: RunnableConfig) -> _Place:
    given = config["configurable"]
    return _Place(given["thread_id"], given["checkpoint_ns"], given.get("checkpoint_id"))


def _config(place: _Place) -> RunnableConfig:
    return {"configurable": place._asdict()}


def _split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what stands in a checkpoint's row itself, and what is a blob beside it."""
    inline: dict[str, Any] = {}
    blobs: dict[str, Any] = {}
    for name, value in values.items():
        if value is None or isinstance(value, (str, int, float, bool)):
            inline[name] = value
            continue
        blobs[name] = value
        if isinstance(value, _DeltaSnapshot):
            inline[name] = True
    return inline, blobs


def _json(names: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """Return a row as a JSON object; its blob, which comes last, as base64."""
    *values, blob = row
    text = b64encode(blob).decode() if blob is not None else None
    return dict(zip(names, (*values, text), strict=True))
