"""mem0's open-source `Memory`, without a model: `add(..., infer=False)` stores what was said.

Source: docs.mem0.ai, "Configure Mem0 OSS Components" (`Memory.from_config`, Qdrant in a folder,
the `langchain` embedder). `infer=False` never asks the model that mem0 insists on having
configured. Where fastembed and spaCy are installed, it weighs keywords, too (BM25): fastembed would
download nothing but stop words for it, so it gets spaCy's. Its lemmas and entities need spaCy's
English model, a download; without it words are compared by Snowball stems.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
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
        if keywords := _keywords(folder):
            self._memory.vector_store._bm25_encoder = keywords  # noqa: SLF001 it has no setting
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


def _keywords(folder: Path) -> Any:  # Any: fastembed is not installed where types are checked
    """Return the encoder that mem0 would load, with stop words at hand; None where it cannot be."""
    if find_spec("fastembed") is None or find_spec("spacy") is None:
        return None
    stop_words = set(import_module("spacy.lang.en.stop_words").STOP_WORDS)
    encoder = import_module("fastembed").SparseTextEmbedding
    return encoder("Qdrant/bm25", stopwords=stop_words, specific_model_path=str(folder))


class _Hook(Embeddings):
    def __init__(self, place: Place) -> None:
        self._place = place

    def embed_documents(self, texts: list[str]) -> Vectors:
        return self._place.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._place.embed([text])[0]
