"""The product as the `peers` suite measures it: as in `recall`, on stores of the run's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from evals.recall.product import Recollect
from evals.suite.workspace import workspace
from evals.systems.adapters import Opened
from evals.systems.embedding import Embeddings, RecordingEmbedder
from evals.systems.system import System
from graph.bootstrap import Overrides
from graph.settings import Settings, load_settings


@asynccontextmanager
async def open_product(embeddings: Embeddings) -> AsyncIterator[Opened]:
    """Open the stores that the settings name; every conversation goes into the same ones.

    Raises:
        RecollectError: a store cannot be opened.
    """
    settings = load_settings()
    embedder = await RecordingEmbedder.load(embeddings)
    async with workspace(settings, Overrides(embedder=embedder)) as stores:

        def memory(case_id: str, _: int) -> AbstractAsyncContextManager[System]:
            return nullcontext(Recollect(stores, case_id))

        folder = stores.settings.data_dir
        yield Opened(memory, (folder,) if folder and not _on_servers(settings) else (), embedder)


def _on_servers(settings: Settings) -> bool:
    return bool(settings.database_url or settings.chroma_url or settings.neo4j_uri)
