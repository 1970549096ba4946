"""Every store of a process, open: opened once, handed to whoever works on memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.ports.changes import Events, Identities, Moves, Revisions
from memory.ports.chat_states import ChatStates
from memory.ports.contact_states import ContactStates
from memory.ports.contents import Contents
from memory.ports.entities import Claims, EntityStore
from memory.ports.episodes import Episodes
from memory.ports.erasures import Cached, Erasures, Traces
from memory.ports.exports import Exports
from memory.ports.facts import Corrections, FactStore
from memory.ports.imports import Imports
from memory.ports.keeping import KeepingRules
from memory.ports.ledger import Ledger, Turns
from memory.ports.marks import Marks
from memory.ports.notes import Notes
from memory.ports.open_loops import OpenLoops
from memory.ports.outages import Outages
from memory.ports.policies import Audit, Pauses, Personas, Policies
from memory.ports.projections import Backlog
from memory.ports.querying import Reranker, Rewriter
from memory.ports.reading import Answers, FactReader
from memory.ports.rebuilds import Rebuilds
from memory.ports.recall import Embedder, LexicalIndex, TokenVectors, VectorIndex
from memory.ports.replies import Replies
from memory.ports.runtime import Locks
from memory.ports.timelines import Timelines
from memory.ports.uses import Uses
from memory.ports.work import Breakers, Jobs, Outbox


@dataclass(frozen=True, slots=True)
class Memory:
    """The ports on open stores.

    `facts` are those that may be shown; `all_facts`, for the owner's eyes and hands, are the same
    with those that are never to be recalled. `traces` are all stores, to be asked for what was
    erased, `caches` what this process keeps copies in.
    """

    ledger: Ledger
    turns: Turns
    replies: Replies
    outbox: Outbox
    breakers: Breakers
    jobs: Jobs
    locks: Locks
    lexical: LexicalIndex
    backlog: Backlog
    rebuilds: Rebuilds
    facts: FactStore
    all_facts: FactStore
    marks: Marks
    rules: KeepingRules
    reader: FactReader
    answers: Answers
    corrections: Corrections
    notes: Notes
    claims: Claims
    entities: EntityStore
    open_loops: OpenLoops
    episodes: Episodes
    chat_states: ChatStates
    contact_states: ContactStates
    uses: Uses
    contents: Contents
    timelines: Timelines
    exports: Exports
    erasures: Erasures
    traces: Sequence[Traces]
    caches: Sequence[Cached]
    vectors: VectorIndex
    tokens: TokenVectors
    embedder: Embedder
    revisions: Revisions
    identities: Identities
    moves: Moves
    events: Events
    imports: Imports
    policies: Policies
    pauses: Pauses
    audit: Audit
    personas: Personas
    outages: Outages = field(default_factory=Outages)
    rewriter: Rewriter | None = None
    reranker: Reranker | None = None
