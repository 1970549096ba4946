"""Our recall as a LangChain retriever, awaited and from a program without an event loop."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.documents import Document

from graph.adapters import MemoryRetriever, opened_in_thread
from graph.adapters.threads import WrongThread
from graph.bootstrap import agent_on
from graph.settings import Settings
from graph.stores import Stores
from memory.projection.importing import import_batches
from tests.messages import message


async def _told(stores: Stores) -> None:
    agent = agent_on(stores)
    told = (
        ("I'm allergic to peanuts.", "ana"),
        ("The ferry was late because of the fog.", "ana"),
        ("My ferry sank in the fog.", "bob"),
    )
    for text, sender in told:
        said = message(text, tenant=stores.settings.tenant, chat=sender, sender=sender)
        async for _ in agent.send(said):
            pass
    await stores.projector.caught_up()


def _of_kind(found: list[Document], kind: str) -> list[Document]:
    return [each for each in found if each.metadata["kind"] == kind]


@pytest.mark.anyio
async def test_documents_are_the_contacts_own_with_day_speaker_and_score(stores: Stores) -> None:
    await _told(stores)
    retriever = MemoryRetriever(stores=stores, contact="waha:ana", limit=3)
    found = await retriever.ainvoke("Why was the ferry late in the fog?")
    first = _of_kind(found, "message")[0]
    assert first.page_content == "The ferry was late because of the fog."
    assert (first.metadata["day"], first.metadata["who"]) == ("2026-03-01", "ana")
    assert first.id == first.metadata["id"]
    assert first.metadata["score"] > 0
    assert first.metadata["parts"]
    assert not any("sank" in each.page_content for each in found)
    allergy = _of_kind(await retriever.ainvoke("Am I allergic to peanuts?"), "fact")
    assert [each.page_content for each in allergy] == ["allergy: peanuts"]
    assert await MemoryRetriever(stores=stores, contact="zoe").ainvoke("the ferry") == []
    with pytest.raises(WrongThread):
        retriever.invoke("the ferry")
    in_thread = await asyncio.to_thread(retriever.invoke, "Why was the ferry late in the fog?")
    assert in_thread == found


@pytest.mark.anyio
async def test_facts_are_bounded_and_a_talk_that_is_asked_for_is_a_document(stores: Stores) -> None:
    tenant = stores.settings.tenant
    texts = ("I like databases.", "Postgres is the faster of the databases.", "So Postgres.")
    talk = [message(text, tenant=tenant, minutes=n) for n, text in enumerate(texts)]
    tastes = [message(f"I like place number {n}.", tenant=tenant, minutes=9_999) for n in range(9)]
    await import_batches(stores.memory, stores.projector, [talk, tastes])
    await stores.projector.caught_up()
    retriever = MemoryRetriever(stores=stores, contact="waha:ana", limit=3)
    found = await retriever.ainvoke("What did we discuss about databases?")
    (talked,) = _of_kind(found, "episode")[:1]
    assert "Postgres" in talked.page_content
    assert talked.metadata["day"] == "2026-03-01"
    assert len({each.id for each in found}) == len(found)
    assert len(_of_kind(await retriever.ainvoke("What do I like?"), "fact")) == 3


def test_a_program_without_an_event_loop_opens_the_stores_and_asks(settings: Settings) -> None:
    with opened_in_thread(settings) as (stores, loop):
        asyncio.run_coroutine_threadsafe(_told(stores), loop).result(60)
        retriever = MemoryRetriever(stores=stores, contact="waha:ana", loop=loop)
        found = retriever.invoke("Why was the ferry late?")
    assert "fog" in _of_kind(found, "message")[0].page_content
