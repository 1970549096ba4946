"""The saver: which threads it calls unfinished, and what it deletes of a run."""

from __future__ import annotations

from collections import Counter
from uuid import uuid4

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from graph.agent import Graph
from graph.build import build_graph
from graph.stores import Stores
from nodes.state import message_to_json
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

NODES = ["normalize", "policy_gate", "retrieve", "generate", "store", "extract"]


@pytest.fixture
def graph(stores: Stores) -> Graph:
    return build_graph(stores.wire, model_attempts=1).compile(checkpointer=stores.saver)


def _config(thread: str, run: str = "") -> RunnableConfig:
    return {"configurable": {"thread_id": thread}, "metadata": {"run_id": run or str(uuid4())}}


async def _say(graph: Graph, config: RunnableConfig, text: str, before: str = "") -> None:
    await graph.ainvoke(
        {"messages": [HumanMessage(text)]},
        config,
        durability="sync",
        interrupt_before=[before] if before else None,
    )


async def _rows(stores: Stores, thread: str) -> Counter[tuple[str, str]]:
    """Count a thread's rows by table and run."""
    query = """
        select 'checkpoints' as name, metadata->>'run_id' as run from checkpoints
        where thread_id = %(thread)s
        union all
        select 'writes', c.metadata->>'run_id' from checkpoint_writes w left join checkpoints c
        using (thread_id, checkpoint_ns, checkpoint_id) where w.thread_id = %(thread)s"""
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(query.encode(), {"thread": thread})
        return Counter((row["name"], str(row["run"])) for row in await cursor.fetchall())


@pytest.mark.parametrize("before", NODES)
async def test_a_thread_that_stopped_before_a_node_is_unfinished(
    stores: Stores, graph: Graph, before: str
) -> None:
    thread = str(uuid4())
    await _say(graph, _config(thread), "hello", before)
    assert (await graph.aget_state(_config(thread))).next == (before,)
    assert await stores.saver.is_unfinished(thread)
    await graph.ainvoke(None, _config(thread), durability="sync")
    assert (await graph.aget_state(_config(thread))).next == ()
    assert not await stores.saver.is_unfinished(thread)


async def test_the_unfinished_chats_of_a_tenant_are_those_with_a_node_to_run(
    stores: Stores, graph: Graph
) -> None:
    tenant = stores.settings.tenant
    threads = {}
    for place, before in [*((tenant, node) for node in [*NODES, ""]), (f"{tenant}-2", "generate")]:
        # The first run leaves finished and unfinished steps behind.
        for stop in ("", before):
            said = message("I live in Leeds.", tenant=place, chat=f"stopped-{before}")
            await stores.memory.ledger.record([said])
            threads[said.chat.thread_id] = place
            await graph.ainvoke(
                {"inbound": message_to_json(said)},
                _config(said.chat.thread_id),
                durability="sync",
                interrupt_before=[stop] if stop else None,
            )
    # LangGraph's own list of what is next is empty when there is an input and nothing else.
    begun = message("hello", tenant=tenant, chat="begun")
    await stores.memory.ledger.record([begun])
    await _say(graph, _config(begun.chat.thread_id), "hello")
    async with stores.pool.connection() as connection:
        await connection.execute(
            "delete from checkpoints where thread_id = %s and metadata->>'source' <> 'input'",
            [begun.chat.thread_id],
        )

    found = await stores.saver.unfinished_threads([tenant], ["waha"])

    states = {thread: await graph.aget_state(_config(thread)) for thread in threads}
    stopped = {thread for thread in threads if threads[thread] == tenant and states[thread].next}
    assert len(stopped) == len(NODES)
    assert sorted(found) == sorted([*stopped, begun.chat.thread_id])
    assert await stores.saver.unfinished_threads([tenant], ["telegram"]) == []


async def test_a_failed_node_leaves_its_thread_unfinished(
    stores: Stores, graph: Graph, model: ScriptedChatModel
) -> None:
    model.script(RuntimeError("down"), "hello again")
    thread = str(uuid4())
    with pytest.raises(RuntimeError):
        await _say(graph, _config(thread), "hello")
    assert (await graph.aget_state(_config(thread))).next == ("generate",)
    assert await stores.saver.is_unfinished(thread)
    await graph.ainvoke(None, _config(thread), durability="sync")
    assert not await stores.saver.is_unfinished(thread)


async def test_a_thread_that_never_ran_is_finished(stores: Stores, graph: Graph) -> None:
    thread = str(uuid4())
    assert (await graph.aget_state(_config(thread))).next == ()
    assert not await stores.saver.is_unfinished(thread)


async def test_deleting_a_run_deletes_its_rows_and_no_others(stores: Stores, graph: Graph) -> None:
    thread, other, kept, gone = (str(uuid4()) for _ in range(4))
    await _say(graph, _config(thread, kept), "My name is Alex.")
    before = await _rows(stores, thread)
    window = (await graph.aget_state(_config(thread))).values["messages"]
    await _say(graph, _config(thread, gone), "hello", before="generate")
    await _say(graph, _config(other, kept), "hello")
    elsewhere = await _rows(stores, other)
    assert {run for _, run in await _rows(stores, thread)} == {kept, gone}

    await stores.saver.adelete_for_runs([gone])

    assert await _rows(stores, thread) == before
    assert await _rows(stores, other) == elsewhere
    state = await graph.aget_state(_config(thread))
    assert (state.next, state.values["messages"]) == ((), window)
    await _say(graph, _config(thread), "and now?")
    assert not await stores.saver.is_unfinished(thread)


async def test_deleting_no_runs_deletes_nothing(stores: Stores, graph: Graph) -> None:
    thread = str(uuid4())
    await _say(graph, _config(thread), "hello")
    before = await _rows(stores, thread)
    await stores.saver.adelete_for_runs([])
    await stores.saver.adelete_for_runs([str(uuid4())])
    assert await _rows(stores, thread) == before
