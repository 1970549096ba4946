"""The one place that chooses and opens adapters. Every dependency can be overridden."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

from langchain_core.language_models import BaseChatModel

from graph.addresses import addresses
from graph.agent import Agent
from graph.build import build_graph
from graph.checkpointer import RecollectSaver
from graph.models import choice as models
from graph.personas import PersonaFile
from graph.projections import projector_on, serve
from graph.secrets import secrets_of
from graph.settings import Settings
from graph.stores import Stores
from graph.wiring import Facts, Opened, memory_on
from memory.domain.recalls import Part
from memory.errors import Transient
from memory.facts.learning import Learner
from memory.facts.marked import AskedBeside
from memory.facts.recent import RecentReadings
from memory.ports.marks import Marks
from memory.ports.outages import Outages
from memory.ports.reading import FactReader, SpanReader
from memory.ports.recall import Embedder, VectorIndex
from memory.ports.runtime import Clock, Ids, utc_now
from memory.postgres.answers import PostgresAnswers
from memory.postgres.backlog import PostgresBacklog
from memory.postgres.locks import ChatLocks
from memory.postgres.marks import PostgresMarks
from memory.postgres.migrate import migrate, one_at_a_time
from memory.postgres.pool import Pool, open_pool
from memory.postgres.procrastinate_schema import migrate_queue
from memory.recall.recent import RecentVectors

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")


def new_id() -> str:
    """Return a fresh UUID."""
    return str(uuid4())


@dataclass(frozen=True, slots=True)
class Overrides:
    """Dependencies that a caller brings itself; None: as the settings say."""

    model: BaseChatModel | None = None
    embedder: Embedder | None = None
    spans: SpanReader | None = None
    reader: FactReader | None = None
    clock: Clock = utc_now
    ids: Ids = new_id


@asynccontextmanager
async def open_stores(
    settings: Settings,
    overrides: Overrides | None = None,
    *,
    projects: bool = True,
    rebuilds: bool = False,
    asks_again: bool = False,
) -> AsyncIterator[Stores]:
    """Open every store that the settings name, bring schemas up to date, load the embedder.

    Meanwhile projections are kept in line with the ledger, unless `projects` is false: then others
    do it. `rebuilds`: the vectors may be another embedder's, since they are to be made anew.
    `asks_again`: facts that are made anew are asked for where a model gave no answer before.

    Raises:
        RecollectError: one line that names the setting and what is wrong with it.
    """
    given = overrides or Overrides()
    model = given.model or models.chat_model(settings)
    persona = await asyncio.to_thread(PersonaFile, settings)
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(
            _opened(settings, given, rebuilds=rebuilds, asks_again=asks_again)
        )
        memory = memory_on(opened)
        projector = projector_on(memory, settings, given.clock, opened.topics)
        if not rebuilds:
            await serve(memory, projector)
        _begin(stack, projector.run() if projects else projector.follow())
        yield Stores(
            settings=settings,
            database_url=opened.database_url,
            pool=opened.pool,
            saver=opened.saver,
            memory=memory,
            projector=projector,
            model=model,
            clock=given.clock,
            ids=given.ids,
            secrets=secrets_of(settings),
            persona=persona,
        )


@asynccontextmanager
async def open_agent(
    settings: Settings, overrides: Overrides | None = None, *, projects: bool = True
) -> AsyncIterator[Agent]:
    """Open the stores, as `open_stores` does, and yield an agent on them.

    Raises:
        RecollectError: one line that names the setting and what is wrong with it.
    """
    async with open_stores(settings, overrides, projects=projects) as stores:
        yield agent_on(stores)


def agent_on(stores: Stores) -> Agent:
    """Return an agent on open stores."""
    graph = build_graph(stores.wire, stores.settings.model_attempts).compile(
        checkpointer=stores.saver
    )
    return Agent(graph, stores)


@asynccontextmanager
async def _opened(
    settings: Settings, given: Overrides, *, rebuilds: bool, asks_again: bool
) -> AsyncIterator[Opened]:
    """Open what memory stands on; the stores start while the models load."""
    async with AsyncExitStack() as stack:
        loading = _begin(stack, _embedder(settings, given))
        learning = _begin(stack, _learner(settings, given))
        where = await stack.enter_async_context(addresses(settings))
        pool = await stack.enter_async_context(open_pool(where.database_url))
        saver = await _up_to_date(pool)
        locks = ChatLocks(where.database_url)
        stack.push_async_callback(locks.close)
        loaded = await loading
        if settings.embeddings is None and given.embedder is None and not rebuilds:
            loaded = await _that_made_vectors(loaded, pool, where.chroma_url)
        embedder = RecentVectors(loaded)
        answers, marks = PostgresAnswers(pool), PostgresMarks(pool)
        learner = await learning
        reader = given.reader or models.reader(settings, answers, learner, asks_again=asks_again)
        stack.push_async_callback(reader.close)
        outages = Outages(_patience_s(settings))
        facts = await stack.enter_async_context(_facts(settings, pool, marks, outages, given.clock))
        vectors = await stack.enter_async_context(
            _vectors(where.chroma_url, embedder, outages, rebuilds)
        )
        yield Opened(
            settings=settings,
            database_url=where.database_url,
            pool=pool,
            saver=saver,
            locks=locks,
            outages=outages,
            embedder=embedder,
            topics=await _topics(settings, given, embedder),
            learner=learner,
            reader=reader,
            answers=answers,
            marks=marks,
            facts=facts,
            vectors=vectors,
        )


async def _up_to_date(pool: Pool) -> RecollectSaver:
    """Bring every schema up to date; return the checkpointer, whose tables are among them."""
    await migrate(pool)
    await migrate_queue(pool)
    saver = RecollectSaver(pool)
    async with one_at_a_time(pool):
        await saver.setup()
    return saver


def _patience_s(settings: Settings) -> dict[Part, float]:
    """Return what memory does without where it is missing, and how long a reply waits for it.

    What is in this process, or in Postgres, cannot be missing alone.
    """
    patience: dict[Part, float] = {"vectors": settings.store_patience_s}
    share = settings.recall_model_s / (2 if settings.recall_model == "both" else 1)
    patience |= {"rewriting": share, "reranking": share}
    if settings.neo4j_uri is not None:
        patience["facts"] = settings.store_patience_s
    if settings.embeddings is not None:
        patience["embedder"] = 5.0
    return patience


async def _embedder(settings: Settings, given: Overrides) -> Embedder:
    if given.embedder is not None:
        return given.embedder
    return await models.embedder(settings)


async def _topics(settings: Settings, given: Overrides, embedder: RecentVectors) -> RecentVectors:
    """Return what tells episodes apart: the embedder that ships, where a server embeds."""
    if settings.embeddings is None or given.embedder is not None:
        return embedder
    return RecentVectors(await models.topics_embedder())


async def _that_made_vectors(loaded: Embedder, pool: Pool, chroma_url: str) -> Embedder:
    """Return the embedder that shipped before where vectors are still its own, else the given."""
    from memory.chroma.collections import made_by

    generations = await PostgresBacklog(pool).generations()
    serving = [each for each in generations if each.projection == "vectors" and each.is_serving]
    maker = "".join(each.fingerprint for each in serving) or await made_by(chroma_url)
    if maker == loaded.fingerprint:
        return loaded
    before = await models.published_embedder(maker)
    if before is None:
        return loaded
    log.warning(
        "vectors are of %s: recollect rebuild vectors makes them anew, and more is found", maker
    )
    return before


async def _learner(settings: Settings, given: Overrides) -> RecentReadings:
    spans = None if settings.capture == "rules" else given.spans
    if spans is None and given.reader is None:
        spans = await models.span_reader(settings)
    return RecentReadings(Learner(spans))


def _begin(stack: AsyncExitStack, work: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
    """Let work go on until it ends or the stack is left."""
    task = asyncio.create_task(work)
    stack.push_async_callback(_cancelled, task)
    return task


async def _cancelled(task: asyncio.Task[Any]) -> None:  # Any: whatever it returns
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def _facts(
    settings: Settings, pool: Pool, marks: Marks, outages: Outages, clock: Clock
) -> AsyncIterator[Facts]:
    if settings.neo4j_uri is None:
        from memory.postgres.entities import PostgresEntityStore
        from memory.postgres.facts import PostgresFactStore
        from memory.postgres.known_facts import PostgresKnownFacts

        known = PostgresKnownFacts(pool, clock)
        yield Facts(PostgresFactStore(pool, clock), known, PostgresEntityStore(pool))
        return
    from memory.neo4j.entities import Neo4jEntityStore
    from memory.neo4j.facts import neo4j_store
    from memory.neo4j.traces import Neo4jTraces

    password = settings.neo4j_password.get_secret_value()
    store = neo4j_store(settings.neo4j_uri, settings.neo4j_user, password, clock)
    try:
        if await outages.ask("facts", store.greet, tolerates=Transient):
            await store.prepare()
        entities = Neo4jEntityStore(store.driver, store.address)
        traces = Neo4jTraces(store.driver, store.address)
        yield Facts(store, AskedBeside(store, marks), entities, (traces,))
    finally:
        await store.close()


@asynccontextmanager
async def _vectors(
    url: str, embedder: Embedder, outages: Outages, rebuilds: bool
) -> AsyncIterator[VectorIndex]:
    from memory.chroma.index import chroma_index

    index = chroma_index(url, embedder.fingerprint, embedder.dimension, takes_over=rebuilds)
    try:
        await outages.ask("vectors", index.connect, tolerates=Transient)
        yield index
    finally:
        await index.close()
