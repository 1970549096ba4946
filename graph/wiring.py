"""Memory on stores that are open: which of its ports is which adapter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from graph.checkpointer import RecollectSaver
from graph.models import choice as models
from graph.personas import PersonaFolder
from graph.settings import Settings
from graph.stores import default_policy
from memory.facts.marked import MarkedFacts
from memory.facts.recent import RecentReadings
from memory.facts.ruled import RuledReader
from memory.facts.zones import ZonedReader
from memory.ports.bundle import Memory
from memory.ports.entities import EntityStore
from memory.ports.erasures import Traces
from memory.ports.facts import FactStore
from memory.ports.marks import KnownFacts, Marks
from memory.ports.outages import Outages
from memory.ports.reading import FactReader
from memory.ports.recall import VectorIndex
from memory.postgres.answers import PostgresAnswers
from memory.postgres.audit import PostgresAudit
from memory.postgres.backlog import PostgresBacklog
from memory.postgres.breakers import PostgresBreakers
from memory.postgres.chat_states import PostgresChatStates
from memory.postgres.claims import PostgresClaims
from memory.postgres.contact_states import PostgresContactStates
from memory.postgres.contents import PostgresContents
from memory.postgres.corrections import PostgresCorrections
from memory.postgres.episodes import PostgresEpisodes
from memory.postgres.erasures import PostgresErasures
from memory.postgres.events import PostgresEvents
from memory.postgres.exports import PostgresExports
from memory.postgres.identities import PostgresIdentities
from memory.postgres.imports import PostgresImports
from memory.postgres.jobs import PostgresJobs
from memory.postgres.keeping import PostgresKeepingRules
from memory.postgres.ledger import PostgresLedger
from memory.postgres.lexical import PostgresLexicalIndex
from memory.postgres.locks import ChatLocks
from memory.postgres.moves import PostgresMoves
from memory.postgres.notes import PostgresNotes
from memory.postgres.open_loops import PostgresOpenLoops
from memory.postgres.outbox import PostgresOutbox
from memory.postgres.pauses import PostgresPauses
from memory.postgres.policies import PostgresPolicies
from memory.postgres.pool import Pool
from memory.postgres.rebuilds import PostgresRebuilds
from memory.postgres.replies import PostgresReplies
from memory.postgres.revisions import PostgresRevisions
from memory.postgres.timelines import PostgresTimelines
from memory.postgres.tokens import PostgresTokenVectors
from memory.postgres.traces import PostgresTraces
from memory.postgres.turns import PostgresTurns
from memory.postgres.uses import PostgresUses
from memory.recall.recent import RecentVectors
from memory.trust.traces import VectorTraces


class Facts(NamedTuple):
    """Facts, wherever they are kept: of people, what is known of a kind, and what they are about.

    `traces`: what can be asked whether anything of somebody is left there, beside Postgres.
    """

    store: FactStore
    known: KnownFacts
    entities: EntityStore
    traces: tuple[Traces, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What was opened for a process; `topics`: the embedder by which episodes are told apart.

    `learner`: who reads facts here, beside whom `reader` may ask a model.
    """

    settings: Settings
    database_url: str
    pool: Pool
    saver: RecollectSaver
    locks: ChatLocks
    outages: Outages
    embedder: RecentVectors
    topics: RecentVectors
    learner: RecentReadings
    reader: FactReader
    answers: PostgresAnswers
    marks: Marks
    facts: Facts
    vectors: VectorIndex


def memory_on(given: Opened) -> Memory:
    """Return memory on what was opened; everything else of it lies in Postgres."""
    settings, pool, facts = given.settings, given.pool, given.facts
    asked = None if settings.recall_model == "off" else models.query_model(settings)
    backlog, lexical = PostgresBacklog(pool), PostgresLexicalIndex(pool)
    identities, rules = PostgresIdentities(pool), PostgresKeepingRules(pool)
    caches = (given.embedder, given.topics, given.learner, lexical, identities)
    return Memory(
        ledger=PostgresLedger(pool),
        turns=PostgresTurns(pool),
        replies=PostgresReplies(pool),
        outbox=PostgresOutbox(pool),
        breakers=PostgresBreakers(pool),
        jobs=PostgresJobs(pool),
        locks=given.locks,
        lexical=lexical,
        backlog=backlog,
        rebuilds=PostgresRebuilds(pool),
        facts=MarkedFacts(facts.store, facts.known),
        all_facts=MarkedFacts(facts.store, facts.known, shows_withheld=True),
        marks=given.marks,
        rules=rules,
        reader=ZonedReader(RuledReader(given.reader, rules), facts.store, settings.zone),
        answers=given.answers,
        corrections=PostgresCorrections(pool),
        notes=PostgresNotes(pool),
        claims=PostgresClaims(pool),
        entities=facts.entities,
        open_loops=PostgresOpenLoops(pool),
        episodes=PostgresEpisodes(pool),
        chat_states=PostgresChatStates(pool),
        contact_states=PostgresContactStates(pool),
        uses=PostgresUses(pool),
        contents=PostgresContents(pool),
        timelines=PostgresTimelines(pool),
        exports=PostgresExports(pool),
        erasures=PostgresErasures(pool),
        traces=(
            PostgresTraces(pool),
            VectorTraces(given.vectors, backlog),
            *facts.traces,
        ),
        caches=tuple(filter(None, caches)),
        vectors=given.vectors,
        tokens=PostgresTokenVectors(pool),
        embedder=given.embedder,
        revisions=PostgresRevisions(pool),
        identities=identities,
        moves=PostgresMoves(pool),
        events=PostgresEvents(pool),
        imports=PostgresImports(pool),
        policies=PostgresPolicies(pool, default_policy(settings)),
        pauses=PostgresPauses(pool),
        audit=PostgresAudit(pool),
        personas=PersonaFolder(settings.persona_dir),
        outages=given.outages,
        rewriter=asked if settings.recall_model in ("rewrite", "both") else None,
        reranker=asked if settings.recall_model in ("rerank", "both") else None,
    )
