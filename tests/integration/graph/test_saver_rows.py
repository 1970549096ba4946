"""What the saver stores, and when: LangGraph's own rows, a superstep at a time."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph

from graph.stores import Stores
from memory.errors import StoreRefused
from tests.benchmarks.statements import counted

pytestmark = pytest.mark.anyio

_ROWS = """
select 'checkpoint' as kind, c.metadata->>'step' as step, c.metadata->>'source' as name,
  (c.checkpoint->'channel_values')::text as value, ''::bytea as blob,
  (c.parent_checkpoint_id is null)::text as place
from checkpoints c where c.thread_id = %(thread)s
union all
select 'blob', split_part(version, '.', 1), channel, type, blob, ''
from checkpoint_blobs where thread_id = %(thread)s
union all
select 'write', c.metadata->>'step', w.channel, w.type, w.blob, w.task_path || w.idx
from checkpoint_writes w join checkpoints c using (thread_id, checkpoint_ns, checkpoint_id)
where w.thread_id = %(thread)s
"""


class _State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    trace: Annotated[list[str], operator.add]
    count: int
    note: str | None


class Once:
    """A node that fails once."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, state: _State) -> _State:
        del state
        self.calls += 1
        await asyncio.sleep(0.05)
        if self.calls == 1:
            raise RuntimeError("once")
        return {"trace": ["failing"]}


async def _first(state: _State) -> _State:
    del state
    return {"messages": [AIMessage("hi", id="a")], "trace": ["first"], "count": 1, "note": None}


async def _left(state: _State) -> _State:
    del state
    return {"trace": ["left"], "note": "left"}


async def _right(state: _State) -> _State:
    del state
    return {"trace": ["right"]}


def _graph(saver: BaseCheckpointSaver[str], right: Any = _right) -> CompiledStateGraph[Any]:
    graph = StateGraph(_State)
    graph.add_node("first", _first)
    graph.add_node("left", _left)
    graph.add_node("right", right)
    graph.add_edge(START, "first")
    graph.add_edge("first", "left")
    graph.add_edge("first", "right")
    graph.add_edge(["left", "right"], END)
    return graph.compile(checkpointer=saver)


def _config() -> RunnableConfig:
    return {"configurable": {"thread_id": str(uuid4())}}


async def _begun(stores: Stores) -> RunnableConfig:
    """Store an empty checkpoint of a new thread and return its config."""
    config = _config()
    config["configurable"]["checkpoint_ns"] = ""
    return await stores.saver.aput(config, empty_checkpoint(), {}, {})


async def _say(graph: CompiledStateGraph[Any], config: RunnableConfig) -> None:
    said: Any = {"messages": [HumanMessage("hello", id="h")]}
    await graph.ainvoke(said, config, durability="sync")


async def _rows(stores: Stores, config: RunnableConfig) -> list[tuple[Any, ...]]:
    keys = {"thread": config["configurable"]["thread_id"]}
    async with stores.pool.connection() as connection:
        rows = await (await connection.execute(_ROWS.encode(), keys)).fetchall()
    return sorted(tuple(row.values()) for row in rows)


async def test_the_rows_are_those_of_langgraph_s_own_saver(stores: Stores) -> None:
    ours, theirs = _config(), _config()
    for _ in range(2):
        await _say(_graph(stores.saver), ours)
        await _say(_graph(AsyncPostgresSaver(stores.pool)), theirs)

    assert await _rows(stores, ours) == await _rows(stores, theirs)


async def test_langgraph_s_own_saver_reads_every_step(stores: Stores) -> None:
    config = _config()
    await _say(_graph(stores.saver), config)
    theirs = AsyncPostgresSaver(stores.pool)

    read = [each async for each in theirs.alist(config)]

    assert read == [each async for each in stores.saver.alist(config)]
    assert read[0] == await stores.saver.aget_tuple(config)
    assert [len(each.pending_writes or []) for each in read] == [0, 3, 6, 2]


async def test_a_superstep_is_one_statement(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However busy the machine is: what was written waits for its checkpoint.
    monkeypatch.setattr("graph.checkpointer.LINGER_S", 60)
    sent: list[str] = []
    graph, config = _graph(stores.saver), _config()
    with counted(sent.append):
        await _say(graph, config)
    # The newest checkpoint is read; the input and three supersteps are written.
    assert sum("checkpoint" in each for each in sent) == 5


async def test_what_a_task_wrote_is_kept_when_the_one_beside_it_fails(stores: Stores) -> None:
    failing = Once()
    graph, config = _graph(stores.saver, failing), _config()
    with pytest.raises(RuntimeError):
        await _say(graph, config)
    stopped = await stores.saver.aget_tuple(config)
    assert stopped is not None
    assert {channel for _, channel, _ in stopped.pending_writes or []} >= {"trace", "__error__"}

    await graph.ainvoke(None, config, durability="sync")

    state = await graph.aget_state(config)
    assert (failing.calls, sorted(state.values["trace"])) == (2, ["failing", "first", "left"])


async def test_writes_without_a_checkpoint_after_them_are_stored_alone(stores: Stores) -> None:
    config = await _begun(stores)
    await asyncio.gather(
        stores.saver.aput_writes(config, [("one", 1), ("two", "x")], "task-1"),
        stores.saver.aput_writes(config, [("one", 2)], "task-2"),
    )
    found = await AsyncPostgresSaver(stores.pool).aget_tuple(config)
    assert found is not None
    assert found.pending_writes == [
        ("task-1", "one", 1),
        ("task-1", "two", "x"),
        ("task-2", "one", 2),
    ]


async def test_writes_fail_with_the_checkpoint_that_took_them_along(stores: Stores) -> None:
    config = await _begun(stores)
    unstorable = empty_checkpoint()
    unstorable["channel_values"] = {"text": "\x00"}
    ended = await asyncio.gather(
        stores.saver.aput_writes(config, [("one", 1)], "task"),
        stores.saver.aput(config, unstorable, {}, {"text": "1"}),
        return_exceptions=True,
    )
    assert [type(each) for each in ended] == [StoreRefused, StoreRefused]
    found = await stores.saver.aget_tuple(config)
    assert found is not None
    assert found.pending_writes == []


async def test_what_a_cancelled_task_wrote_waits_for_no_checkpoint(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.checkpointer.LINGER_S", 60)
    config = await _begun(stores)
    writing = asyncio.create_task(stores.saver.aput_writes(config, [("one", "private")], "task"))
    await asyncio.sleep(0.05)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await stores.saver.aput(config, empty_checkpoint(), {}, {})
    found = await stores.saver.aget_tuple(config)
    assert found is not None
    assert found.pending_writes == []
