"""Studio's ways with a run, by the SDK: stream, interrupt, time travel, fork.

Whatever is replayed, and from wherever, sends nothing and stores nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from nodes.state import message_to_json
from tests.drivers.studio import Studio
from tests.messages import message
from tests.stores import database_url, store_environment

NODES = ["normalize", "policy_gate", "retrieve", "generate", "store", "extract"]
TABLES = ("messages", "turns", "receipts", "outbox", "facts")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("travel")
    with Studio(store_environment(folder), folder) as running:
        yield running


@pytest.fixture
def client(studio: Studio) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=studio.url) as opened:
        yield opened


class Thread:
    """A thread of a contact of its own, and what the database holds."""

    def __init__(self, studio: Studio, client: SyncLangGraphClient) -> None:
        self.client, self.studio = client, studio
        self.id, self.contact = str(uuid4()), f"c{uuid4().hex[:8]}"

    def run(self, given: Any, **options: Any) -> Any:
        context: Any = {"contact": self.contact}
        return self.client.runs.wait(
            self.id,
            "agent",
            input=given,
            context=context,
            if_not_exists="create",
            durability="sync",
            **options,
        )

    def say(self, text: str, **options: Any) -> Any:
        return self.run({"messages": [{"role": "user", "content": text}]}, **options)

    def checkpoint_before(self, node: str) -> Any:
        """Return the newest checkpoint that a node comes after."""
        history: Any = self.client.threads.get_history(self.id, limit=50)
        return next(each["checkpoint"] for each in history if each["next"] == [node])

    def rows(self) -> dict[str, int]:
        """Count what is stored, for whomever: the tests run one after the other."""
        with psycopg.connect(database_url(self.studio.stores)) as connection:
            counted = {
                table: connection.execute(f"select count(*) from recollect.{table}".encode())
                for table in TABLES
            }
            return {table: int(found.fetchone()[0]) for table, found in counted.items()}  # type: ignore[index]


@pytest.fixture
def thread(studio: Studio, client: SyncLangGraphClient) -> Thread:
    return Thread(studio, client)


def test_a_run_is_streamed_node_by_node_and_word_by_word(
    client: SyncLangGraphClient, thread: Thread
) -> None:
    said: Any = {"messages": [{"role": "user", "content": "My name is Ines."}]}
    somebody: Any = {"contact": thread.contact}
    parts = list(
        client.runs.stream(
            thread.id,
            "agent",
            input=said,
            context=somebody,
            stream_mode=["updates", "messages-tuple"],
            if_not_exists="create",
            durability="sync",
        )
    )
    updates = [part.data for part in parts if part.event == "updates"]
    assert [node for update in updates for node in update] == NODES
    written = [
        piece["content"]
        for part in parts
        if part.event == "messages"
        for piece in part.data[:1]
        if piece["type"] == "AIMessageChunk"
    ]
    state: Any = client.threads.get_state(thread.id)
    assert "".join(written) == state["values"]["messages"][-1]["content"]
    assert len(written) > 1


def test_an_interrupted_run_waits_and_goes_on_once(
    client: SyncLangGraphClient, thread: Thread
) -> None:
    before = thread.rows()
    thread.say("My name is Ines.", interrupt_before=["store"])
    state: Any = client.threads.get_state(thread.id)
    assert state["next"] == ["store"]
    waiting = thread.rows()
    assert waiting["messages"] == before["messages"] + 1
    assert waiting["receipts"] == before["receipts"]
    ended = thread.run(None)
    assert [each["type"] for each in ended["messages"]] == ["human", "ai"]
    done = thread.rows()
    assert done["messages"] == before["messages"] + 2
    assert done["receipts"] == before["receipts"] + 1
    thread.run(None)
    assert thread.rows() == done


@pytest.mark.parametrize("node", ["__start__", *NODES])
def test_a_replayed_checkpoint_stores_nothing_twice(thread: Thread, node: str) -> None:
    thread.say("My name is Ines and I live in Lisbon.")
    once = thread.rows()
    for _ in range(2):
        thread.run(None, checkpoint=thread.checkpoint_before(node))
        assert thread.rows() == once


@pytest.mark.parametrize("node", NODES)
def test_a_replayed_checkpoint_sends_nothing_again(thread: Thread, node: str) -> None:
    told = message("My name is Ines.", chat=thread.contact, sender=thread.contact)
    before = thread.rows()
    thread.run({"inbound": message_to_json(told)})
    once = thread.rows()
    assert once["outbox"] == before["outbox"] + 1
    thread.run(None, checkpoint=thread.checkpoint_before(node))
    assert thread.rows() == once


def test_a_fork_answers_anew_and_leaves_what_was_stored(
    client: SyncLangGraphClient, thread: Thread
) -> None:
    thread.say("My name is Ines.")
    thread.say("What's my name?")
    once = thread.rows()
    values: Any = client.threads.get_state(thread.id)["values"]
    at = thread.checkpoint_before("generate")
    forked: Any = client.threads.update_state(
        thread.id, {"recalled": []}, checkpoint=at, as_node="retrieve"
    )
    ended = thread.run(None, checkpoint=forked["checkpoint"])
    # Without what was recalled the window alone answers; the ledger keeps what was said.
    assert ended["messages"][-1]["id"] != values["messages"][-1]["id"]
    assert thread.rows() == once


def test_time_travel_with_another_message_is_a_message_of_its_own(
    client: SyncLangGraphClient, thread: Thread
) -> None:
    thread.say("My name is Ines.")
    first: Any = client.threads.get_state(thread.id)
    thread.say("I live in Lisbon.")
    once = thread.rows()
    ended = thread.say("I live in Porto.", checkpoint=first["checkpoint"])
    assert "I live in Porto." in [each["content"] for each in ended["messages"]]
    assert ended["messages"][-1]["type"] == "ai"
    now = thread.rows()
    assert now["messages"] == once["messages"] + 2
    assert now["receipts"] == once["receipts"] + 1
