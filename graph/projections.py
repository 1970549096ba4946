"""What is made of the ledger: every projection there is, and which of their makings serve."""

from __future__ import annotations

import logging

from graph.models import choice as models
from graph.settings import Settings
from memory.contacts.mood.reading import load_reader
from memory.domain.projections import MADE_IN_PLACE, REBUILT_AS
from memory.errors import another_embedder
from memory.ports.bundle import Memory
from memory.ports.recall import Embedder
from memory.ports.runtime import Clock
from memory.ports.summaries import Summarizer
from memory.projection.contact_states import ContactStates
from memory.projection.entities import ContactEntities
from memory.projection.episode_vectors import EpisodeVectors
from memory.projection.episodes import ChatEpisodes
from memory.projection.fact_vectors import FactVectors
from memory.projection.facts import ContactFacts
from memory.projection.open_loops import ChatLoops
from memory.projection.projector import Projector
from memory.projection.tokens import MessageTokens
from memory.projection.uses import MessageUses
from memory.projection.vectors import MessageVectors

log = logging.getLogger(__name__)


def projector_on(memory: Memory, settings: Settings, clock: Clock, topics: Embedder) -> Projector:
    """Return what keeps every projection; `topics`: the embedder that tells episodes apart."""
    projections = (
        MessageVectors(memory),
        MessageTokens(memory),
        ContactFacts(memory, clock),
        FactVectors(memory),
        ContactEntities(memory),
        ChatLoops(memory, memory.embedder, clock, settings.zone),
        ChatEpisodes(memory, topics, clock, _asked(settings, memory)),
        EpisodeVectors(memory),
        ContactStates(memory, load_reader(), settings.timezone),
        MessageUses(memory),
    )
    return Projector(memory, projections, settings.served_tenants)


def _asked(settings: Settings, memory: Memory) -> Summarizer | None:
    """Return the model's summarizer where it is to sum up episodes; None: their own words do."""
    if settings.summaries == "extract":
        return None
    return models.summarizer(settings, memory.answers)


async def serve(memory: Memory, projector: Projector) -> None:
    """Answer from the generations that serve.

    Raises:
        EmbedderMismatch: another embedder made the vectors.
    """
    for each in projector.projections:
        serving = await memory.backlog.register(each.name, each.fingerprint)
        if serving.fingerprint != each.fingerprint:
            if each.name not in MADE_IN_PLACE:
                raise another_embedder(serving.fingerprint, each.fingerprint)
            wanted = REBUILT_AS.get(each.name, "facts")
            log.warning(
                "%s were made by another version: recollect rebuild %s makes them anew",
                each.name,
                wanted,
            )
        each.serve(serving.number)
