"""Our recall as a LangChain retriever: documents are facts, notes, messages and episodes."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, InstanceOf, field_validator
from typing_extensions import override

from graph.adapters.ledger import checked_contact
from graph.adapters.threads import from_another_thread, loop_here
from graph.stores import Stores
from memory.domain.chats import contact_named
from memory.errors import InvalidMessage
from memory.recall.searching import EpisodeHit, FactHit, MessageHit, search
from memory.recall.texts import speaker_of


class MemoryRetriever(BaseRetriever):
    """What a contact's direct chat would recall for a query.

    Documents are facts and notes that fit, then messages, then summaries of episodes where it is
    asked what was talked about, at most `limit` of each kind, the best first: the text, and as
    metadata `kind` (fact, note, message, episode), `id`, `day` and `at` (UTC), `who`, `score` and
    `parts` of the score. `loop` is the one that the stores live on, by default the one that runs:
    another thread may invoke it.
    """

    # Any: it is Stores, and pydantic would check each of its ports.
    stores: Any = Field(exclude=True, repr=False)
    contact: str
    limit: int = Field(default=10, ge=1, le=200)
    loop: InstanceOf[asyncio.AbstractEventLoop] = Field(
        default_factory=loop_here, exclude=True, repr=False
    )

    @field_validator("contact", mode="before")
    @classmethod
    def _checked(cls, given: object) -> str:
        # Pydantic passes the words of a ValueError on, and names the field.
        try:
            return checked_contact(given)
        except InvalidMessage as error:
            raise ValueError(str(error)) from error

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        stores: Stores = self.stores
        contact_id, tenant = contact_named(self.contact), stores.settings.tenant
        found = await search(stores.memory, tenant, contact_id, query, stores.clock(), self.limit)
        return [
            *map(_of_fact, found.facts),
            *map(_of_message, found.messages),
            *map(_of_episode, found.episodes),
        ]

    @override
    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return from_another_thread(self.loop, self._aget_relevant_documents(query))


def _of_fact(hit: FactHit) -> Document:
    kind, fact = "note" if hit.note else "fact", hit.fact
    return _document(hit, kind, fact.fact_id, hit.text, fact.valid_from, fact.contact_id)


def _of_message(hit: MessageHit) -> Document:
    said, who = hit.stored.message, speaker_of(hit.stored)
    return _document(hit, "message", hit.stored.uid, said.text, said.sent_at, who)


def _of_episode(hit: EpisodeHit) -> Document:
    # Its id is that of its first message, which may be a document, too.
    name, began_at = f"episode:{hit.episode.first_uid}", hit.episode.began_at
    return _document(hit, "episode", name, hit.summary.text, began_at, "")


def _document(
    hit: FactHit | MessageHit | EpisodeHit, kind: str, name: str, text: str, at: datetime, who: str
) -> Document:
    return Document(
        page_content=text,
        id=name,
        metadata={
            "kind": kind,
            "id": name,
            "day": at.isoformat()[:10],
            "at": at.isoformat(),
            "who": who,
            "score": hit.score,
            "parts": dict(hit.parts),
        },
    )
