"""A plain Chroma collection in a folder, with vectors of our embedder.

Source: docs.trychroma.com, "Persistent Client", "Adding Data" and "Query And Get".
"""

from __future__ import annotations

from collections.abc import Sequence

import chromadb
import numpy as np
from chromadb.config import Settings

from evals.recall.cases import CaseTurn
from evals.systems.system import Found, Place, said

BATCH = 256


class Chroma:
    """One collection; a turn is a document under its id."""

    name = "chroma"

    def __init__(self, place: Place) -> None:
        client = chromadb.PersistentClient(
            path=str(place.folder), settings=Settings(anonymized_telemetry=False)
        )
        # Without `embedding_function=None` Chroma downloads a model.
        self._collection = client.create_collection(
            "turns", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        self._embed = place.embed

    def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """Add every turn, in batches."""
        spoken = said(turns)
        for start in range(0, len(spoken), BATCH):
            batch = spoken[start : start + BATCH]
            texts = [each.text for each in batch]
            self._collection.add(
                ids=[each.turn.id for each in batch],
                embeddings=np.array(self._embed(texts), np.float32),
                documents=texts,
                metadatas=[{"role": each.turn.role} for each in batch],
            )

    def search(self, query: str, k: int) -> Found:
        """Query by vector."""
        vectors = np.array(self._embed([query]), np.float32)
        answer = self._collection.query(
            query_embeddings=vectors, n_results=k, include=["distances"]
        )
        distances = (answer["distances"] or [[]])[0]
        return Found(tuple(answer["ids"][0]), 1.0 - distances[0] if distances else 0.0)
