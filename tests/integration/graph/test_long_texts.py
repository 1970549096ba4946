"""However long a text is: a row holds all of it, it is answered, and its beginning is found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest
from langchain_core.messages import HumanMessage

from graph.bootstrap import Overrides, agent_on, open_stores
from graph.build import build_graph
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import READ_CHARS, ChatRef
from nodes.checks.input import MAX_LINE_CHARS
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import CountingEmbedder, take
from tests.long_texts import LONG_TEXT
from tests.messages import message

pytestmark = pytest.mark.anyio

MAX_SUMMARY_CHARS = 1_000


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
async def stores(
    settings: Settings, model: ScriptedChatModel, embedder: CountingEmbedder
) -> AsyncIterator[Stores]:
    async with open_stores(settings, Overrides(model=model, embedder=embedder)) as opened:
        yield opened


async def _is_kept_and_found(stores: Stores, chat: ChatRef, anchor: str) -> None:
    stored = (await stores.memory.ledger.since(chat, 0, 10))[0]
    assert stored.message.text == LONG_TEXT
    found = await stores.memory.lexical.search(chat.tenant, [anchor], "heron", 5)
    assert [hit.item_id for hit in found.hits] == [stored.uid]
    await stores.projector.caught_up()
    (vector,) = await stores.memory.embedder.embed(["heron"])
    near = await stores.memory.vectors.search(chat.tenant, "message", [anchor], vector, 1)
    assert [hit.item_id for hit in near] == [stored.uid]


@pytest.mark.slow
async def test_a_long_message_given_to_the_graph_is_answered_and_found(
    stores: Stores, model: ScriptedChatModel
) -> None:
    graph = build_graph(stores.wire, model_attempts=1).compile(checkpointer=stores.saver)
    thread = str(uuid4())
    await graph.ainvoke(
        {"messages": [HumanMessage(LONG_TEXT)]}, {"configurable": {"thread_id": thread}}
    )
    (prompt,) = model.prompts
    more = len(LONG_TEXT) - MAX_LINE_CHARS
    assert prompt[-1].text == f"{LONG_TEXT[:MAX_LINE_CHARS]}… [{more} more characters]"
    chat = ChatRef(stores.settings.tenant, "web", "studio", thread)
    await _is_kept_and_found(stores, chat, "contact:web:me")


async def test_an_edit_to_a_long_text_is_kept_and_found(stores: Stores) -> None:
    said = message("short", tenant=stores.settings.tenant)
    assert [event async for event in agent_on(stores).send(said)]
    at = said.sent_at + timedelta(minutes=1)
    change = Change(said.chat, said.message_id, "edit", "e1", LONG_TEXT, ("ana",), False, at)
    assert await stores.memory.revisions.change(change, at) == "applied"
    await _is_kept_and_found(stores, said.chat, said.anchor)


async def test_a_long_imported_message_is_kept_and_found(
    stores: Stores, embedder: CountingEmbedder
) -> None:
    await take(stores, MadeExport([entry(LONG_TEXT, "Anna")]))
    # Beside the message a summary of it may be embedded.
    assert 0 < embedder.characters <= READ_CHARS + MAX_SUMMARY_CHARS
    chat = ChatRef(stores.settings.tenant, "jsonl", "import", "anna")
    await _is_kept_and_found(stores, chat, chat.group_anchor)
