"""MemPalace as a live integration uses it: every turn filed verbatim, then its hybrid search.

Source: MemPalace's API reference (`search_memories`) and the documentation of
`convo_miner.file_conversation_exchange`, "the canonical write path for live agent integrations".
Its file miner groups several turns to a drawer, so that a hit would name no turn. It downloads a
model of its own unless it is given an OpenAI-compatible embeddings endpoint
(`MEMPALACE_EMBEDDING_MODEL=openai-compat`): it gets one, in this process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from evals.errors import BadInputError
from evals.recall.cases import CaseTurn
from evals.systems.endpoint import EmbeddingEndpoint
from evals.systems.system import Found, Place, said

WING = "wing_conversations"
ROOM = "conversations"


class MemPalace:
    """One palace; a turn is a drawer."""

    name = "mempalace"

    def __init__(self, place: Place) -> None:
        self._endpoint = EmbeddingEndpoint(place.embed)
        self._palace = str(place.folder / "palace")
        os.environ.update(
            MEMPALACE_CONFIG_DIR=str(place.folder / "config"),
            MEMPALACE_PALACE_PATH=self._palace,
            MEMPALACE_EMBEDDING_MODEL="openai-compat",
            MEMPALACE_EMBEDDING_API_URL=self._endpoint.url,
            MEMPALACE_EMBEDDING_API_MODEL="all-MiniLM-L6-v2",
        )
        # Any: MemPalace is not installed where the types are checked.
        self._file: Any = import_module("mempalace.convo_miner").file_conversation_exchange
        self._search: Any = import_module("mempalace.searcher").search_memories
        self._drawers: Any = import_module("mempalace.palace").get_collection(self._palace)
        self._turn_of: dict[str, str] = {}

    def ingest(self, turns: Sequence[CaseTurn]) -> None:
        """File every turn under its session."""
        for each in said(turns):
            turn = each.turn
            drawer = self._file(
                self._drawers,
                wing=WING,
                room=ROOM,
                text=each.text,
                source_file=f"session:{turn.session_id}",
                agent="evals",
                authored_at=turn.timestamp.isoformat() if turn.timestamp else None,
            )
            self._turn_of[drawer] = turn.id

    def search(self, query: str, k: int) -> Found:
        """Search the palace; what it folds into another hit as a copy of it is not counted."""
        answer = self._search(query, self._palace, n_results=k)
        if "error" in answer:
            raise BadInputError(f"MemPalace: {answer['error']}")
        found = answer["results"]
        ids = tuple(self._turn_of[hit["drawer_id"]] for hit in found)
        return Found(ids, float(found[0]["similarity"] or 0.0) if found else 0.0)

    def close(self) -> None:
        """Stop the endpoint."""
        self._endpoint.close()
