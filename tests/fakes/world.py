"""Memory without servers: the ports that nodes use, in dictionaries, and a context around them.

Ports that no node touches are left out: whoever calls them gets an AttributeError.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from memory.facts.learning import Learner
from memory.ports.bundle import Memory
from memory.ports.outages import Outages
from memory.projection.fact_vectors import FactVectors
from memory.projection.facts import ContactFacts
from memory.projection.projector import Projector
from memory.projection.vectors import MessageVectors
from nodes.context import Context, Options
from nodes.secrets import Secrets
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.facts import (
    MemoryClaims,
    MemoryCorrections,
    MemoryFacts,
    NoEpisodes,
    NoMarks,
    NoNotes,
    NoRules,
)
from tests.fakes.ledger import TENANT, MemoryLedger, MemoryLexical
from tests.fakes.policies import MemoryPolicies, NoPersonas, PausesAlone
from tests.fakes.turns import MemoryAudit, MemoryTurns, NoEchoes
from tests.fakes.vectors import LetterEmbedder, MemoryVectors
from tests.messages import START


@dataclass
class World:
    """A memory without servers, with what a test looks at, and the context of its nodes."""

    options: Options = field(default_factory=lambda: Options(tenant="t"))
    model: BaseChatModel = field(default_factory=ScriptedChatModel)
    now: datetime = START + timedelta(minutes=30)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    facts: MemoryFacts = field(default_factory=MemoryFacts)
    claims: MemoryClaims = field(default_factory=MemoryClaims)
    vectors: MemoryVectors = field(default_factory=MemoryVectors)
    policies: MemoryPolicies = field(default_factory=MemoryPolicies)
    audit: MemoryAudit = field(default_factory=MemoryAudit)
    outages: Outages = field(default_factory=Outages)

    @property
    def memory(self) -> Memory:
        """The bundle that nodes are given."""
        parts: dict[str, Any] = {
            "ledger": self.ledger,
            "facts": self.facts,
            "all_facts": self.facts,
            "marks": NoMarks(),
            "rules": NoRules(),
            "reader": Learner(),
            "corrections": MemoryCorrections(),
            "notes": NoNotes(),
            "episodes": NoEpisodes(),
            "chat_states": PausesAlone(self.policies.pauses),
            "claims": self.claims,
            "vectors": self.vectors,
            "policies": self.policies,
            "pauses": self.policies.pauses,
            "audit": self.audit,
            "turns": MemoryTurns(self.ledger),
            "lexical": MemoryLexical(self.ledger),
            "embedder": LetterEmbedder(),
            "personas": NoPersonas(),
            "outbox": NoEchoes(),
            "backlog": self.ledger.backlog,
            "outages": self.outages,
            "rewriter": None,
            "reranker": None,
        }
        return cast("Memory", SimpleNamespace(**parts))

    @property
    def projector(self) -> Projector:
        """What keeps vectors and facts in line with the ledger."""
        memory = self.memory
        parts = (
            MessageVectors(memory),
            ContactFacts(memory, lambda: self.now),
            FactVectors(memory),
        )
        return Projector(memory, parts, [TENANT])

    def runtime(self) -> Runtime[Context]:
        """Return what a node is called with; ids count from 1."""
        numbers = count(1)
        return Runtime(
            context=Context(
                options=self.options,
                memory=self.memory,
                projector=self.projector,
                model=self.model,
                clock=lambda: self.now,
                ids=lambda: f"00000000-0000-0000-0000-{next(numbers):012d}",
                secrets=Secrets(("sk-secret-1",)),
            )
        )
