"""Every store of a process, open, and what else it needs once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel

from graph.checkpointer import RecollectSaver
from graph.models.offline import OfflineResponder
from graph.personas import PersonaFile
from graph.settings import Settings
from memory.policy.rules import Policy
from memory.ports.bundle import Memory
from memory.ports.runtime import Clock, Ids
from memory.postgres.pool import Pool
from memory.projection.projector import Projector
from nodes.context import Context, GivenOptions, Options
from nodes.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Stores:
    """What a process opens once: the memory, the checkpoints, the model, clock, ids, persona."""

    settings: Settings
    database_url: str
    pool: Pool
    saver: RecollectSaver
    memory: Memory
    projector: Projector
    model: BaseChatModel
    clock: Clock
    ids: Ids
    secrets: Secrets
    persona: PersonaFile

    async def wire(self, given: GivenOptions) -> Context:
        """Return what a run's nodes use: the settings' options with the given ones over them.

        Raises:
            BadOptions: a given option cannot be used.
        """
        options = given.over(_options(self.settings, await self.persona.text()))
        policies = self.memory.policies.based_on(
            reply_direct=options.reply_direct, reply_group=options.reply_group
        )
        return Context(
            options=options,
            memory=replace(self.memory, policies=policies),
            projector=self.projector,
            model=self.model,
            clock=self.clock,
            ids=self.ids,
            secrets=self.secrets,
            guides_model=isinstance(self.model, OfflineResponder),
            timezone=self.settings.timezone,
        )


def _options(settings: Settings, persona: str) -> Options:
    return Options(
        contact=settings.contact,
        tenant=settings.tenant,
        persona=persona,
        reply_direct=settings.reply_direct,
        reply_group=settings.reply_group,
        window=settings.window,
        window_h=settings.window_h,
        memory_tokens=settings.memory_tokens,
        tone=settings.tone,
    )


def default_policy(settings: Settings) -> Policy:
    """Return what holds in a chat where no layer says more: what the settings say."""
    return Policy(
        reply_direct=settings.reply_direct,
        reply_group=settings.reply_group,
        blocked=settings.blocked,
        allowed=settings.allowed or None,
        debounce_ms=settings.debounce_ms,
        debounce_max_ms=settings.debounce_max_ms,
        takeover_s=settings.takeover_s,
    )
