"""What is promised, asked, wanted or fixed in chats is kept as open loops (T1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from datetime import UTC, timedelta, tzinfo
from typing import Any, Final

import numpy as np
from typing_extensions import override

from memory.domain.chats import Actor, StoredMessage
from memory.domain.drift import Compared, Difference
from memory.domain.open_loops import Vector
from memory.domain.projections import ANEW, CHAT, ProjectionName
from memory.facts.zones import zone_told
from memory.open_loops import (
    AGENT,
    Before,
    Model,
    Said,
    Tracker,
    advance,
    hear,
    load_model,
    texts_of,
)
from memory.open_loops.model import DIMENSION
from memory.ports.bundle import Memory
from memory.ports.open_loops import Kept, Reach, Reading
from memory.ports.projections import Projection
from memory.ports.recall import Embedder
from memory.ports.runtime import Clock
from memory.text.words import QUOTED
from memory.text.zones import zone_of

HORIZON: Final = timedelta(days=180)
"""What was said longer ago is not looked through: what is open of it has lapsed."""
MOST_MESSAGES: Final = 2_000
"""Of a chat that is read anew, or was not read for long, so many of the last messages are read."""
OWNER: Final = "owner"
_BATCH: Final = 128


@dataclass(frozen=True, slots=True)
class ChatLoops(Projection):
    """Open loops of chats. Items: `chat:` to go on where a chat was left, `anew:` to begin again.

    `zone` is the one of contacts of whom no fact says theirs. With an embedder whose vectors the
    weights were not learnt on, sentences are read by their words alone.
    """

    memory: Memory
    embedder: Embedder
    clock: Clock
    zone: tzinfo = UTC

    @property
    @override
    def name(self) -> ProjectionName:
        return "open_loops"

    @property
    @override
    def fingerprint(self) -> str:
        return self._model.fingerprint

    @property
    def _model(self) -> Model:
        return load_model(self.embedder.fingerprint)

    @override
    async def project(self, tenant: str, items: Sequence[str], generation: int) -> int:
        anew = {item.removeprefix(ANEW) for item in items if item.startswith(ANEW)}
        follows = {item.removeprefix(CHAT) for item in items if item.startswith(CHAT)}
        kept = [
            await self._follow(tenant, thread_id, anew=thread_id in anew)
            for thread_id in sorted(anew | follows)
        ]
        return sum(kept)

    @override
    async def everything(self, tenant: str) -> AsyncGenerator[Sequence[str]]:
        async with aclosing(self.memory.contents.threads(tenant)) as pages:
            async for threads in pages:
                yield [ANEW + thread_id for thread_id in threads]

    @override
    async def compare(self, tenant: str, generation: int, part: str) -> Compared:
        present = 0
        differences: set[Difference] = set()
        async with aclosing(self.memory.contents.threads(tenant)) as pages:
            async for threads in pages:
                for thread_id in threads:
                    items = (CHAT + thread_id, ANEW + thread_id)
                    count, unsound, is_read = await self.memory.open_loops.unsettled(
                        tenant, thread_id, self.clock() - HORIZON
                    )
                    present += count
                    differences |= {Difference("stale", uid, items) for uid in unsound}
                    if not is_read:
                        differences.add(Difference("missing", thread_id, items))
        missing = sum(each.kind == "missing" for each in differences)
        return Compared(present + missing, present, frozenset(differences))

    async def _follow(self, tenant: str, thread_id: str, *, anew: bool) -> int:
        """Bring a chat's loops in line; return how many there are.

        Whoever says something meanwhile makes what was read outdated: then it is read once more.
        """
        store, since = self.memory.open_loops, self.clock() - HORIZON
        while reading := await store.read(tenant, thread_id, since, MOST_MESSAGES, anew=anew):
            is_other = reading.made_by not in ("", self.fingerprint)
            if is_other and not anew:
                anew = True
                continue
            begins = anew or reading.is_stale
            if not reading.said and not begins:
                return len(reading.loops)
            kept = await self._made(tenant, reading, begins=begins)
            if await store.keep(tenant, thread_id, reading.version, kept):
                return len(kept.loops)
        return 0

    async def _made(self, tenant: str, reading: Reading, *, begins: bool) -> Kept:
        model, said = self._model, reading.said
        zone = await self._zone(tenant, said)
        tracker = Tracker() if begins else Tracker(_unpacked(reading.tracker), (*reading.loops,))
        spoken = [_spoken(each, zone) for each in said]
        for start in range(0, len(spoken), _BATCH):
            some = spoken[start : start + _BATCH]
            vectors = await self._vectors(some, model)
            tracker = await asyncio.to_thread(_taken_in, tracker, some, vectors, model)
        reached = Reach(said[-1].message.sent_at, said[-1].seq) if said else None
        return Kept(self.fingerprint, reached, _packed(tracker.before), tracker.loops)

    async def _vectors(self, said: Sequence[Said], model: Model) -> list[list[Vector]]:
        """Return the vectors of each message's sentences."""
        texts = [texts_of(each) for each in said]
        if not model.reads_vectors:
            return [[np.zeros(DIMENSION, np.float32)] * len(each) for each in texts]
        flat = [text for each in texts for text in each]
        vectors = iter(await self.embedder.embed(flat))
        return [[np.asarray(next(vectors), np.float32) for _ in each] for each in texts]

    async def _zone(self, tenant: str, said: Sequence[StoredMessage]) -> tzinfo:
        """Return the zone of whom a direct chat is with, where a fact says it."""
        message = next((each.message for each in said if each.message.contact_id), None)
        if message is None or message.is_group:
            return self.zone
        facts = await self.memory.facts.active(tenant, message.contact_id)
        return zone_of(zone_told(facts)) or self.zone


def _taken_in(
    tracker: Tracker, said: Sequence[Said], vectors: Sequence[Sequence[Vector]], model: Model
) -> Tracker:
    for one, of_one in zip(said, vectors, strict=True):
        tracker = advance(tracker, hear(one, of_one, tracker.before), model)
    return tracker


def _spoken(stored: StoredMessage, zone: tzinfo) -> Said:
    message = stored.message
    name = message.sender_name or message.contact_id or message.sender_id
    # Nobody else may take the agent's or the owner's place by a name.
    others = f"{name}." if name in (AGENT, OWNER) else name
    speaker = {Actor.AGENT: AGENT, Actor.OWNER: OWNER}.get(message.actor, others)
    # What the agent quotes is nothing that it says: a date of long ago would be one to come.
    text = QUOTED.sub("", message.text) if speaker == AGENT else message.text
    return Said(message.uid, speaker, text, message.sent_at.astimezone(zone), stored.changes)


def _packed(before: Before) -> dict[str, Any]:  # Any: JSON
    return asdict(before)


def _unpacked(tracker: Mapping[str, Any] | None) -> Before:
    if tracker is None:
        return Before()
    return Before(**{**tracker, "speakers": tuple(tracker["speakers"])})
