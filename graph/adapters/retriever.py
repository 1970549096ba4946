"""Our recall as a LangChain retriever: documents are messages, facts and notes."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, InstanceOf
from typing_extensions import override

from graph.adapters.threads import from_another_thread
from graph.stores import Stores
from memory.domain.chats import contact_named
from memory.domain.facts import Fact
from memory.domain.recalls import Recalled
from memory.facts.predicates import fact_sentence
from memory.recall.passages import Remembered, remember
from memory.recall.recall import Scope, recall
from memory.recall.relevance import fits


class MemoryRetriever(BaseRetriever):
    """What a contact's direct chat would recall for a query.

    Documents are facts and notes that fit, then messages, each the best first: the text, and as
    metadata `kind` (fact, note, message), `id`, `day` and `at` (UTC), `who`, `score` and `parts` of
    the score. `loop` is the one that the stores live on, by default the one that runs: another
    thread may invoke it.
    """

    # Any: it is Stores, and pydantic would check each of its ports.
    stores: Any = Field(exclude=True, repr=False)
    contact: str
    limit: int = Field(default=10, ge=1, le=200)
    loop: InstanceOf[asyncio.AbstractEventLoop] = Field(
        default_factory=asyncio.get_running_loop, exclude=True, repr=False
    )

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        stores: Stores = self.stores
        contact_id, tenant = contact_named(self.contact), stores.settings.tenant
        memory = stores.memory
        scope = Scope(tenant, contact_id, f"contact:{contact_id}", is_group=False)
        now, clean = stores.clock(), query.replace("\x00", " ")
        found = await recall(memory, scope, clean, now, self.limit, compares_facts=True)
        read = await remember(memory, scope, found.entries, sys.maxsize)
        noted = {note.uid for note in await memory.notes.every(tenant)}
        facts = [
            _of_fact(entry, read.facts[entry.item_id], is_note=entry.item_id in noted)
            for entry, _ in read.shown_facts
            if fits(entry.parts)
        ]
        return [*facts, *_of_messages(read)]

    @override
    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return from_another_thread(self.loop, self._aget_relevant_documents(query))


def _of_fact(entry: Recalled, fact: Fact, *, is_note: bool) -> Document:
    text = fact.value if is_note else fact_sentence(fact)
    kind = "note" if is_note else "fact"
    return _document(entry, kind, text, fact.valid_from.isoformat(), fact.contact_id)


def _of_messages(read: Remembered) -> list[Document]:
    documents = []
    for entry, line in read.shown_messages:
        said = read.messages[entry.item_id].message
        at = said.sent_at.isoformat()
        documents.append(_document(entry, "message", said.text, at, line.speaker))
    return documents


def _document(entry: Recalled, kind: str, text: str, at: str, who: str) -> Document:
    return Document(
        page_content=text,
        id=entry.item_id,
        metadata={
            "kind": kind,
            "id": entry.item_id,
            "day": at[:10],
            "at": at,
            "who": who,
            "score": entry.score,
            "parts": dict(entry.parts),
        },
    )
