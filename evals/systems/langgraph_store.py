"""LangGraph's `InMemoryStore` with an index for semantic search.

Source: the documentation of `langgraph.store.memory` and `langgraph.store.base`: `index` with
`dims` and `embed`, a namespace a user, `batch` of `PutOp`s, `search` with a query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore

from evals.recall.cases import CaseTurn
from evals.systems.system import Found, Place, said

BATCH = 256


class LangGraphStore:
    """A store, in memory unless another is given; a turn is an item under its id."""

    name = "langgraph-store"

    def __init__(self, place: Place, store: BaseStore | None = None) -> None:
        self._store = store or InMemoryStore(
            index={
                "dims": place.dimension,
                "embed": place.embed,
                "fields": ["text"],
            }
        )
        self._namespace = ("memories", place.case_id)

    def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Put every turn, in batches."""
        puts = [
            PutOp(self._namespace, each.turn.id, {"text": each.text, "role": each.turn.role})
            for each in said(turns)
        ]
        for batch in batches(puts):
            self._store.batch(batch)

    def search(self, query: str, k: int) -> Found:
        """Search the namespace."""
        found = self._store.search(self._namespace, query=query, limit=k)
        best = found[0].score if found else None
        return Found(tuple(item.key for item in found), best or 0.0)


def batches(puts: Sequence[PutOp]) -> Iterator[list[PutOp]]:
    """Yield what may be put at once: the store in memory takes no text twice in a batch."""
    batch: dict[str, PutOp] = {}
    for put in puts:
        text = str(put.value and put.value["text"])
        if len(batch) == BATCH or text in batch:
            yield list(batch.values())
            batch = {}
        batch[text] = put
    if batch:
        yield list(batch.values())
