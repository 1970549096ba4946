"""mem0's open-source `Memory`, without a model: `add(..., infer=False)` stores what was said.

Source: docs.mem0.ai, "Configure Mem0 OSS Components" (`Memory.from_config`, Qdrant in a folder,
the `langchain` embedder). `infer=False` never asks the model that mem0 insists on having
configured. Its optional parts (spaCy and fastembed, for keywords and entities) need downloads;
where they are not installed, mem0 searches by vectors alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from langchain_core.embeddings import Embeddings

from evals.recall.cases import CaseTurn
from evals.systems.system import Found, Place, Vectors, said

_UNUSED = "unused"


class Mem0:
    """One mem0 memory, one user in it."""

    name = "mem0"

    def __init__(self, place: Place) -> None:
        memory = import_module("mem0").Memory
        folder = place.folder
        # Any: mem0 is not installed where the types are checked.
        self._memory: Any = memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "collection_name": "memories",
                        "path": str(folder / "qdrant"),
                        "embedding_model_dims": place.dimension,
                        "on_disk": True,
                    },
                },
                "embedder": {"provider": "langchain", "config": {"model": _Hook(place)}},
                "llm": {"provider": "openai", "config": {"model": _UNUSED, "api_key": _UNUSED}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._user = place.case_id
        self._turn_of: dict[str, str] = {}

    def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Add every message; mem0 answers with the id that it gave to each."""
        for each in said(turns):
            message = {"role": each.turn.role, "content": each.text, "name": each.turn.speaker}
            added = self._memory.add([message], user_id=self._user, infer=False)
            for memory in added["results"]:
                self._turn_of[memory["id"]] = each.turn.id

    def search(self, query: str, k: int) -> Found:
        """Search the user's memories; mem0 leaves out what scores below 0.1."""
        answer = self._memory.search(query, top_k=k, filters={"user_id": self._user})
        found = answer["results"]
        ids = tuple(self._turn_of[memory["id"]] for memory in found)
        return Found(ids, float(found[0]["score"]) if found else 0.0)

    def close(self) -> None:
        """Let go of the database and the vectors."""
        self._memory.close()
        self._memory.vector_store.client.close()


class _Hook(Embeddings):
    def __init__(self, place: Place) -> None:
        self._place = place

    def embed_documents(self, texts: list[str]) -> Vectors:
        return self._place.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._place.embed([text])[0]
