"""LangGraph's own Postgres checkpointer and store, as they come, in a schema of the run's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres import PoolConfig
from langgraph.store.postgres.aio import AsyncPostgresStore
from langgraph.store.postgres.base import PostgresIndexConfig

from graph.stores import Stores
from memory.errors import StoreRefused
from memory.ports.recall import Embedder
from memory.postgres.pool import MAX_CONNECTIONS, translated

EXTENSION = "vector"
_SCHEMA_OF = (
    "select extnamespace::regnamespace::text as schema from pg_extension where extname = %s"
)


@dataclass(frozen=True, slots=True)
class Stock:
    """What LangGraph gives its users. `lacks`: why `store` is None; empty where it is not."""

    saver: AsyncPostgresSaver
    store: AsyncPostgresStore | None
    lacks: str


@asynccontextmanager
async def open_stock(stores: Stores) -> AsyncIterator[Stock]:
    """Open them on the product's Postgres, with as many connections; drop what they made.

    The store searches by vectors of the product's embedder, which needs the extension pgvector:
    the embedded Postgres has it, on another one it may be missing.

    Raises:
        RecollectError: Postgres cannot be had, or the schema cannot be made.
    """
    schema = f"eval_{uuid4().hex}"
    async with stores.pool.connection() as connection:
        await connection.execute(f"create schema {schema}".encode())
    try:
        lacks = await _make_vectors(stores, schema)
        with translated(stores.database_url):
            async with AsyncPostgresStore.from_conn_string(
                stores.database_url,
                pool_config=PoolConfig(
                    min_size=1,
                    max_size=MAX_CONNECTIONS,
                    kwargs={"options": f"-c search_path={await _path(stores, schema)}"},
                ),
                index=None if lacks else _index(stores.memory.embedder),
            ) as store:
                await store.setup()
                saver = AsyncPostgresSaver(store.conn)
                await saver.setup()
                yield Stock(saver, None if lacks else store, lacks)
    finally:
        async with stores.pool.connection() as connection:
            await connection.execute(f"drop schema {schema} cascade".encode())


async def _make_vectors(stores: Stores, schema: str) -> str:
    """Make the extension where it is missing; return why it cannot be, empty where it is there."""
    try:
        async with stores.pool.connection() as connection:
            await connection.execute(
                f"create extension if not exists {EXTENSION} schema {schema}".encode()
            )
    except StoreRefused:
        return "this Postgres has no extension vector (pgvector), or its user may not create it"
    return ""


async def _path(stores: Stores, schema: str) -> str:
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(_SCHEMA_OF, [EXTENSION])
        rows = await cursor.fetchall()
    return ",".join(dict.fromkeys([schema, *(row["schema"] for row in rows)]))


def _index(embedder: Embedder) -> PostgresIndexConfig:
    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return [list(vector) for vector in await embedder.embed(texts)]

    return {"dims": embedder.dimension, "embed": embed, "fields": ["text"]}
