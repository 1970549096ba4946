"""A turn whose search a model helps: what it is told, what is seen of it, what the receipt says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from langchain_core.messages import BaseMessage

from graph.bootstrap import agent_on
from graph.stores import Stores
from memory.domain.chats import Message
from memory.domain.recalls import Receipt
from memory.projection.importing import import_batches
from memory.recall.receipts import missing_line
from nodes.context import GivenOptions
from nodes.state import message_to_json
from tests.fakes.openai_server import OpenAIServer
from tests.integration.asking.told import Opened, said_in

pytestmark = pytest.mark.anyio
ELSEWHERE = ["My sister Anna has a dog.", "Bruno is the name of Anna's dog.", "The cellar is damp."]


async def stores_with_a_past(opened: Opened, stage: str) -> Stores:
    stores = await opened("rules", recall_model=stage)
    past = [said_in(stores, text, minutes) for minutes, text in enumerate(ELSEWHERE)]
    await import_batches(stores.memory, stores.projector, [past])
    return stores


async def turn(stores: Stores, said: Message) -> Receipt:
    events = [event async for event in agent_on(stores).send(said)]
    (receipt,) = await stores.memory.turns.receipts(said.chat, 1)
    assert events
    return receipt


def in_a_new_chat(stores: Stores, text: str, minutes: float) -> Message:
    """Return a message of a chat whose window holds none of the past, by whose past it is."""
    said = said_in(stores, text, minutes)
    return replace(said, chat=replace(said.chat, chat_id="new"))


async def test_a_turn_tells_the_model_the_lines_before_and_the_receipt_names_nothing_missing(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await stores_with_a_past(opened, "both")
    server.script('{"queries": []}', '{"lines": []}')
    await turn(stores, in_a_new_chat(stores, "I saw Anna.", 60))
    server.requests.clear()
    server.script('{"queries": ["What is the dog of Anna called?"]}', '{"lines": [2, 1]}')
    receipt = await turn(stores, in_a_new_chat(stores, "what is her dog called?", 61))
    told = json.loads(server.requests[0]["messages"][-1]["content"].split("\n")[1])
    assert [line["speaker"] for line in told["before"]] == ["ana", "agent"]
    assert told["before"][0]["text"] == "I saw Anna."
    assert told["asked"] == "what is her dog called?"
    assert receipt.missing == ()
    placed = [e.parts["reranked"] for e in receipt.recalled if "reranked" in e.parts]
    assert placed == [1.0, 2.0]


async def test_the_receipt_says_what_failed_and_the_reply_comes(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await stores_with_a_past(opened, "both")
    server.default = "no JSON"
    receipt = await turn(stores, in_a_new_chat(stores, "what is her dog called?", 60))
    assert receipt.missing == ("rewriting", "reranking")
    assert receipt.recalled
    assert missing_line(receipt.missing) == (
        "not at hand: other wordings of the question, a model's order"
    )


async def test_nobody_who_watches_a_turn_sees_what_the_model_says_of_the_search(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await stores_with_a_past(opened, "both")
    server.script('{"queries": ["What is her dog called?"]}', '{"lines": [1]}')
    said = in_a_new_chat(stores, "and what is it called?", 60)
    context = cast("GivenOptions", await stores.wire(GivenOptions()))
    seen = []
    async for part in agent_on(stores).graph.astream(
        {"inbound": message_to_json(said)},
        {"configurable": {"thread_id": said.chat.thread_id}},
        context=context,
        stream_mode="messages",
    ):
        chunk, about = cast("tuple[BaseMessage, dict[str, Any]]", part)
        seen.append((about["langgraph_node"], str(chunk.content)))
    assert server.calls == 2
    assert "generate" in {node for node, _ in seen}
    assert not [text for _, text in seen if "queries" in text or "lines" in text]
