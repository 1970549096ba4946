"""LangGraph's `PostgresStore` with an index for semantic search, on a Postgres of its own.

Source: the documentation of `langgraph.store.postgres`: `index` with `dims` and `embed`, which
keeps vectors by pgvector; `setup`, `batch` of `PutOp`s, `search` with a query.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from langgraph.store.postgres import PostgresStore
from langgraph.store.postgres.base import PostgresIndexConfig

from evals.systems.langgraph_store import LangGraphStore
from evals.systems.system import Place
from memory.embedded import chroma, postgres, process
from memory.embedded.account import postgres_account
from memory.embedded.layout import prepare


class LangGraphPostgres(LangGraphStore):
    """A store in Postgres; a turn is an item under its id."""

    name = "langgraph-postgres"

    def __init__(self, place: Place) -> None:
        self._open = contextlib.ExitStack()
        index = PostgresIndexConfig(dims=place.dimension, embed=place.embed, fields=["text"])
        opened = PostgresStore.from_conn_string(self._started(place.folder), index=index)
        store = self._open.enter_context(opened)
        store.setup()
        super().__init__(place, store)

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
