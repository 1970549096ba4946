"""LangGraph's `PostgresStore` with an index for semantic search, on a Postgres of its own.

Source: the documentation of `langgraph.store.postgres`: `index` with `dims` and `embed`, which
keeps vectors by pgvector; `setup`, `batch` of `PutOp`s, `search` with a query.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore
from langgraph.store.postgres.base import PostgresIndexConfig

from evals.recall.cases import CaseTurn
from evals.systems.langgraph_store import batches
from evals.systems.system import Found, Place, said
from memory.embedded import chroma, postgres, process
from memory.embedded.account import postgres_account
from memory.embedded.layout import prepare


class LangGraphPostgres:
    """A store in Postgres; a turn is an item under its id."""

    name = "langgraph-postgres"

    def __init__(self, place: Place) -> None:
        self._open = contextlib.ExitStack()
        index = PostgresIndexConfig(dims=place.dimension, embed=place.embed, fields=["text"])
        opened = PostgresStore.from_conn_string(self._started(place.folder), index=index)
        self._store = self._open.enter_context(opened)
        self._store.setup()
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

    def close(self) -> None:
        """Close the connection and stop the server."""
        self._open.close()

    def _started(self, folder: Path) -> str:
        """Start a server in a folder; return its address."""
        layout, account = prepare(folder / "data"), postgres_account()
        bin_dir = postgres.binaries(layout.data_dir, account)
        port, password = chroma.free_port(), "unused-elsewhere"
        lock, log = layout.lock("postgres"), layout.log("postgres")
        postgres.create_cluster(bin_dir, layout.postgres, account, password)
        spec = postgres.tcp_spec(bin_dir, layout.postgres, port, lock, log, account)
        server = process.start(spec, dies_with_us=True)
        self._open.callback(process.stop_children, [(spec, server)])
        process.wait_until(lambda: postgres.is_ready(layout.postgres, server.pid), spec, server)
        return postgres.tcp_url(port, password)
