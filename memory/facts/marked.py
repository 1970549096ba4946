"""Facts with what the owner marked of them, over either store: pinned, or never to be recalled."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from typing_extensions import override

from memory.domain.facts import (
    Applied,
    ContactObservations,
    Fact,
    Mark,
    MarkKind,
    Observation,
    Stated,
)
from memory.facts.slots import is_same
from memory.ports.facts import FactStore
from memory.ports.marks import Known, KnownFacts, Marks


@dataclass(frozen=True, slots=True)
class AskedBeside(KnownFacts):
    """Facts and marks of two stores, asked at once."""

    store: FactStore
    marks: Marks

    @override
    async def active(self, tenant: str, contact_id: str, told_by: Collection[str] = ()) -> Known:
        return await self._known(self.store.active(tenant, contact_id, told_by), tenant, contact_id)

    @override
    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> Known:
        return await self._known(self.store.history(tenant, contact_id, keys), tenant, contact_id)

    async def _known(
        self, asked: Coroutine[None, None, list[Fact]], tenant: str, contact_id: str
    ) -> Known:
        facts, marks = await asyncio.gather(asked, self.marks.of(tenant, [contact_id]))
        return Known(facts, marks.get(contact_id, []))


@dataclass(frozen=True, slots=True)
class MarkedFacts(FactStore):
    """A fact store that tells which facts are marked. `known`: the same facts, with marks.

    Where it `shows_withheld`, as to the owner alone, what is never to be recalled is told so;
    anybody else does not get it. What writes sees all.
    """

    store: FactStore
    known: KnownFacts
    shows_withheld: bool = False

    @override
    async def active(
        self, tenant: str, contact_id: str, told_by: Collection[str] = ()
    ) -> list[Fact]:
        return self._told(await self.known.active(tenant, contact_id, told_by))

    @override
    async def history(
        self, tenant: str, contact_id: str, keys: Collection[str] | None = None
    ) -> list[Fact]:
        return self._told(await self.known.history(tenant, contact_id, keys))

    @override
    async def stated(self, tenant: str, contact_id: str, keys: Collection[str]) -> list[Stated]:
        return await self.store.stated(tenant, contact_id, keys)

    @override
    async def holders(self, tenant: str, ids: Collection[str]) -> dict[str, str]:
        return await self.store.holders(tenant, ids)

    @override
    async def rows(self, tenant: str, contact_id: str) -> list[Fact]:
        return await self.store.rows(tenant, contact_id)

    @override
    async def contacts(self, tenant: str) -> list[str]:
        return await self.store.contacts(tenant)

    @override
    async def replace(
        self, tenant: str, contact_id: str, before: Sequence[Fact], after: Sequence[Fact]
    ) -> bool:
        return await self.store.replace(tenant, contact_id, before, after)

    @override
    async def apply(
        self, tenant: str, contact_id: str, observations: Sequence[Observation], now: datetime
    ) -> Applied:
        return await self.store.apply(tenant, contact_id, observations, now)

    @override
    async def apply_many(
        self, tenant: str, batches: Sequence[ContactObservations], now: datetime
    ) -> Applied:
        return await self.store.apply_many(tenant, batches, now)

    @override
    async def correct(
        self,
        tenant: str,
        contact_id: str,
        source_uid: str,
        observations: Sequence[Observation],
        now: datetime,
    ) -> Applied:
        return await self.store.correct(tenant, contact_id, source_uid, observations, now)

    @override
    async def forget(self, tenant: str, contact_id: str) -> int:
        return await self.store.forget(tenant, contact_id)

    def _told(self, known: Known) -> list[Fact]:
        told = marked(known.facts, known.marks)
        return told if self.shows_withheld else [fact for fact in told if fact.mark != "withheld"]


def marked(facts: Sequence[Fact], marks: Sequence[Mark]) -> list[Fact]:
    """Return facts with their marks. What is withheld is not pinned as well."""
    if not marks:
        return list(facts)
    return [replace(fact, mark=mark_of(fact, marks)) for fact in facts]


def mark_of(fact: Fact, marks: Sequence[Mark]) -> MarkKind:
    """Return the mark of a fact; empty where it has none."""
    kinds = {mark.kind for mark in marks if is_marked(fact, mark)}
    return "withheld" if "withheld" in kinds else next(iter(kinds), "")


def is_marked(fact: Fact, mark: Mark) -> bool:
    """Tell whether a mark is one of this fact.

    A pin is on what held when it was put there: what is said anew after a change has none.
    """
    if mark.key != fact.key or not is_same(fact.key, mark.value, fact.value):
        return False
    return mark.kind == "withheld" or (fact.status == "active" and fact.valid_from <= mark.since)
